# SPDX-License-Identifier: Apache-2.0
"""The look of one document: language, type, colours, strokes, and the habits of its author.

One form is drawn by one hand, so these choices are made once per document; variety comes from many documents.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from acromeld.corpus.synth.lexicon import Lexicon, lexicon
from acromeld.corpus.synth.pen import BLACK, Colour

if TYPE_CHECKING:
    import random

    from acromeld.corpus.synth.fonts import Family, FontBook

BlankStyle = Literal["line", "underscores", "dots", "box", "tint", "rounded", "brackets"]
ChoiceStyle = Literal[
    "square", "rounded", "circle", "double", "dingbat", "brackets", "parentheses", "shadow", "tint"
]
GridStyle = Literal["lines", "path", "slabs", "rects", "rows"]
BarStyle = Literal["dark", "tint", "under", "plain", "boxed"]

_ACCENTS: tuple[Colour, ...] = (
    BLACK, BLACK, BLACK, (0.1, 0.2, 0.45), (0.0, 0.35, 0.3), (0.45, 0.08, 0.1), (0.25, 0.25, 0.28),
    (0.05, 0.4, 0.65), (0.35, 0.15, 0.45), (0.6, 0.35, 0.0), (0.15, 0.4, 0.12),
)  # fmt: skip
_FAMILIES = {"Helvetica": 6.0, "Times": 3.0, "LiberationSans": 3.0, "DejaVuSans": 1.0, "DejaVuMono": 0.3}
_WEIGHTS = {"en": 12.0, "de": 2.0, "fr": 2.0, "es": 2.5}


@dataclass(frozen=True)
class Theme:
    """Choices that hold for a whole document. Lengths in points."""

    words: Lexicon
    second: Lexicon | None
    family: Family
    size: float
    accent: Colour
    ink: Colour
    rule_ink: Colour
    tint: Colour
    rule: float
    dash: tuple[float, ...]
    grid: GridStyle
    blank: BlankStyle
    choice: ChoiceStyle
    choice_side: Literal["left", "right"]
    choice_size: float
    choice_grow: float
    cell_label: Literal["inside", "left"]
    whole_cell: bool
    row: float
    inset: float
    rise: float
    jitter: float
    colon: str
    upper: bool
    margin: float
    radius: float
    bar: BarStyle
    paper: Colour | None


def sample_theme(rng: random.Random, book: FontBook) -> Theme:
    """Draw a theme; the order of the draws is part of "same seed, same bytes"."""
    codes = book.languages()
    code = rng.choices(codes, [_WEIGHTS.get(item, 1.0) for item in codes])[0]
    others = [item for item in ("en", "fr", "de", "es") if item != code and not lexicon(code).rtl]
    second = rng.choice(others) if others and rng.random() < 0.08 else None
    families = book.fitting(code, second) if second else book.fitting(code)
    family = rng.choices(families, [_FAMILIES.get(item.name, 0.7) for item in families])[0]
    accent = rng.choice(_ACCENTS)
    grey = rng.choice((0.0, 0.0, 0.0, 0.15, 0.3, 0.5))
    size = rng.choices((6.5, 7.5, 8.5, 9.0, 10.0, 11.0, 12.5), (1, 2, 3, 4, 4, 2, 1))[0]
    return Theme(
        words=lexicon(code),
        second=lexicon(second) if second else None,
        family=family,
        size=size,
        accent=accent,
        ink=rng.choices((BLACK, (0.15, 0.15, 0.2), accent), (8, 2, 1))[0],
        rule_ink=rng.choice(((grey, grey, grey), (grey, grey, grey), accent)),
        tint=_tint(rng, accent),
        rule=rng.choice((0.25, 0.4, 0.5, 0.5, 0.75, 1.0, 1.4)),
        dash=rng.choices(((), (1.0, 1.5), (3.0, 2.0)), (14, 1, 1))[0],
        grid=rng.choices(("lines", "path", "slabs", "rects", "rows"), (3, 3, 3, 3, 1))[0],
        blank=rng.choices(
            ("line", "underscores", "dots", "box", "tint", "rounded", "brackets"), (8, 4, 2, 5, 2, 1, 0.4)
        )[0],
        choice=rng.choices(
            ("square", "rounded", "circle", "double", "dingbat", "brackets", "parentheses", "shadow", "tint"),
            (8, 1.5, 3, 1, 4, 1, 0.7, 0.7, 1),
        )[0],
        choice_side=rng.choices(("left", "right"), (5, 1))[0],
        choice_size=round(size * rng.uniform(0.8, 1.15), 1),
        choice_grow=rng.choice((-0.6, 0.0, 0.0, 0.0, 0.5, 1.2)),
        cell_label=rng.choices(("inside", "left"), (3, 2))[0],
        whole_cell=rng.random() < 0.2,
        row=round(size * rng.uniform(1.9, 3.0), 1),
        inset=round(rng.choice((0.3, 0.6, 1.0, 1.5, 2.0)), 2),
        rise=round(rng.uniform(-0.6, 1.6), 2),
        jitter=rng.choice((0.0, 0.0, 0.2, 0.5)),
        colon=rng.choice((":", ":", "")),
        upper=rng.random() < 0.12,
        margin=rng.choice((28.0, 36.0, 43.0, 50.0, 58.0, 72.0)),
        radius=rng.choice((0.0, 0.0, 2.0, 4.0)),
        bar=rng.choice(("dark", "tint", "under", "plain", "boxed")),
        paper=rng.choice(((1.0, 0.99, 0.95), (0.96, 0.98, 1.0))) if rng.random() < 0.04 else None,
    )


def _tint(rng: random.Random, accent: Colour) -> Colour:
    """A light fill: grey, or the accent washed out."""
    if rng.random() < 0.5:
        grey = rng.choice((0.96, 0.93, 0.9, 0.86))
        return (grey, grey, grey)
    strength = rng.choice((0.06, 0.1, 0.16))
    red, green, blue = (round(1.0 - strength * (1.0 - part), 3) for part in accent)
    return (red, green, blue)
