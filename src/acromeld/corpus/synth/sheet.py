# SPDX-License-Identifier: Apache-2.0
"""A page being laid out: pen, theme and random source together, and the controls placed so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acromeld.corpus.synth.controls import Control, ControlSpec

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from acromeld.corpus.synth.lexicon import Lexicon
    from acromeld.corpus.synth.pen import Align, Colour, Pen, Style
    from acromeld.corpus.synth.theme import Theme

_MIN_CONTROL = 4.0


@dataclass(frozen=True)
class Area:
    """A region to fill from the top; layout points."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        """Width of the region."""
        return self.x1 - self.x0

    @property
    def height(self) -> float:
        """Height of the region."""
        return self.y1 - self.y0

    def below(self, y: float) -> Area:
        """What is left under ``y``."""
        return Area(self.x0, y, self.x1, self.y1)


@dataclass
class Sheet:
    """What a block needs to draw itself."""

    rng: random.Random
    pen: Pen
    theme: Theme
    controls: list[ControlSpec] = field(default_factory=list)
    _used: set[str] = field(default_factory=set)
    _groups: int = 0

    @property
    def words(self) -> Lexicon:
        """The language of the page."""
        return self.theme.words

    def write(
        self,
        x: float,
        y: float,
        text: str,
        size: float | None = None,
        *,
        style: Style = "regular",
        align: Align = "left",
        colour: Colour | None = None,
    ) -> None:
        """Text in the theme's size and ink unless told otherwise."""
        ink = self.theme.ink if colour is None else colour
        self.pen.text(x, y, text, size or self.theme.size, style=style, align=align, colour=ink)

    def width(self, text: str, size: float | None = None, style: Style = "regular") -> float:
        """Width of a text in the theme's size."""
        return self.pen.measure(text, size or self.theme.size, style)

    def paragraph(
        self, area: Area, text: str, size: float | None = None, *, style: Style = "regular"
    ) -> float:
        """Wrapped text from the top of the area; lines that do not fit are left out. Returns the new y."""
        size = size or self.theme.size
        y = area.y0
        for line in self.pen.wrap(text, area.width, size, style):
            if y + size * 1.25 > area.y1:
                break
            self.write(area.x0, y + size, line, size, style=style)
            y += size * 1.25
        return y

    def pick(
        self, choices: Sequence[str], room: float, size: float | None = None, style: Style = "regular"
    ) -> str:
        """A text that fits the room, fresh on this page if possible; empty when nothing fits."""
        fitting = [text for text in choices if self.width(text, size, style) <= room]
        fresh = [text for text in fitting if text not in self._used]
        if not fitting:
            return ""
        text = self.rng.choice(fresh or fitting)
        self._used.add(text)
        return text

    def label(self, room: float, size: float | None = None) -> str:
        """A field label that fits, dressed as the theme wants it."""
        size = size or self.theme.size
        choices: Sequence[str] = self.words.labels
        if self.theme.second:
            pairs = zip(self.words.labels, self.theme.second.labels, strict=False)
            choices = [f"{first} / {second}" for first, second in pairs] + list(choices)
        if self.theme.upper:
            choices = [text.upper() for text in choices]
        return self.pick(choices, room, size)

    def group(self) -> str:
        """A fresh radio group."""
        self._groups += 1
        return f"group {self._groups}"

    def place(
        self,
        control: Control,
        x0: float,
        y0: float,
        x1: float,
        y1: float,
        *,
        label: str = "",
        group: str = "",
        multiline: bool = False,
        comb: int = 0,
    ) -> None:
        """Put a control on the page, shaken a little as hands do, and kept on the page."""
        shake = self.theme.jitter
        left, top, right, bottom = self.pen.box(x0, y0, x1, y1)
        box = (
            max(left + self._shake(shake), 0.5),
            max(top + self._shake(shake), 0.5),
            min(right + self._shake(shake), self.pen.width - 0.5),
            min(bottom + self._shake(shake), self.pen.height - 0.5),
        )
        if box[2] - box[0] < _MIN_CONTROL or box[3] - box[1] < _MIN_CONTROL:
            return
        left, top, right, bottom = (round(side, 2) for side in box)
        self.controls.append(ControlSpec(control, (left, top, right, bottom), label, group, multiline, comb))

    def _shake(self, amount: float) -> float:
        return self.rng.uniform(-amount, amount) if amount else 0.0

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self.rng.random() < probability
