# SPDX-License-Identifier: Apache-2.0
"""What a page looks like to somebody who looks for labels: its fields, its text, its rules and cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import FieldKind
from acromeld.form.describe.lines import Paragraphs, Pieces, read_paragraphs, read_pieces
from acromeld.form.describe.texts import clean, right_to_left
from acromeld.geometry import as_boxes
from acromeld.pdf.page import Primitives, Shapes
from acromeld.structure.cells import closed_cells
from acromeld.structure.evidence import usual_size
from acromeld.structure.intervals import blocks
from acromeld.structure.marks import drawn_marks
from acromeld.structure.rules import PageRules, Rules, page_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Field
    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Page, Words

    Index = npt.NDArray[np.intp]
    Flags = npt.NDArray[np.bool_]

NO_CELL = -1
OPTION_REACH = 25.0
"""Points between a box to tick and the words that say what ticking it means."""


@dataclass(frozen=True)
class Surroundings:
    """A page with its fields.

    Attributes:
        field: ``(n, 4)`` boxes of the fields.
        choice: ``(n,)`` which fields are boxes to tick.
        signature: ``(n,)`` which are signatures.
        grouped: ``(n,)`` which are boxes that exclude each other.
        pieces: The text in pieces of line.
        paragraphs: The same in paragraphs.
        spoken: Each piece as it would be said, and each paragraph: two tuples.
        option: ``(m,)`` whether a piece is what a box to tick stands for.
        rules: Rules of the page.
        squares: ``(s, 4)`` small boxes.
        underscores: ``(u, 4)`` runs of underscores.
        field_cell: ``(n,)`` number of the table cell around a field, or `NO_CELL`.
        piece_cell: ``(m,)`` the same for pieces.
        size: Usual font size.
        backward: Whether the page is written from the right.
        width: Of the page, in points.
        height: Of the page.
    """

    field: Boxes
    choice: Flags
    signature: Flags
    grouped: Flags
    pieces: Pieces
    paragraphs: Paragraphs
    spoken: tuple[tuple[str, ...], tuple[str, ...]]
    option: Flags
    rules: PageRules
    squares: Boxes
    underscores: Boxes
    field_cell: Index
    piece_cell: Index
    size: float
    backward: bool
    width: float
    height: float


def look_around(page: Page, fields: Sequence[Field], words: Words | None = None) -> Surroundings:
    """The surroundings of the fields; ``words`` replaces those of the page, for pages read by OCR."""
    primitives = page.primitives or Primitives()
    shapes = page.primitives.shapes if page.primitives is not None else Shapes.empty()
    words = primitives.words if words is None else words
    rules = page_rules(shapes)
    box = as_boxes([field.box for field in fields])
    pieces = read_pieces(words, rules, box)
    paragraphs = read_paragraphs(pieces)
    choice = np.array([field.kind is FieldKind.CHOICE for field in fields], dtype=np.bool_)
    cells = closed_cells(rules.horizontal, rules.vertical)
    backward = right_to_left(" ".join(pieces.text))
    return Surroundings(
        field=box,
        choice=choice,
        signature=np.array([field.kind is FieldKind.SIGNATURE for field in fields], dtype=np.bool_),
        grouped=choice & np.array([field.group is not None for field in fields], dtype=np.bool_),
        pieces=pieces,
        paragraphs=paragraphs,
        spoken=(tuple(map(clean, pieces.text)), tuple(map(clean, paragraphs.text))),
        option=_options(box[choice], pieces.box, backward=backward),
        rules=rules,
        squares=drawn_marks(shapes)[0],
        underscores=words.box[np.array([set(text) == {"_"} for text in words.text], dtype=np.bool_)],
        field_cell=_cell_of(box, cells),
        piece_cell=_cell_of(pieces.box, cells),
        size=usual_size(words),
        backward=backward,
        width=page.width,
        height=page.height,
    )


def facing_forward(around: Surroundings) -> Surroundings:
    """A page that is written from the right as it looks in a mirror; any other as it is.

    On it labels stand to the right of their fields and options to the left of their boxes. The scorers have
    learnt from pages written from the left, and in the mirror these rules are theirs.
    """
    if not around.backward:
        return around
    width, rules = around.width, around.rules
    return replace(
        around,
        field=mirrored(around.field, width),
        pieces=replace(around.pieces, box=mirrored(around.pieces.box, width)),
        paragraphs=replace(around.paragraphs, box=mirrored(around.paragraphs.box, width)),
        rules=PageRules(
            _turned(rules.horizontal, width),
            Rules(width - rules.vertical.at, rules.vertical.low, rules.vertical.high),
            _turned(rules.writable, width),
        ),
        squares=mirrored(around.squares, width),
        underscores=mirrored(around.underscores, width),
        backward=False,
    )


def mirrored(box: Boxes, width: float) -> Boxes:
    """Boxes ``(n, 4)`` with left and right of a page exchanged."""
    return box[:, [2, 1, 0, 3]] * (-1.0, 1.0, -1.0, 1.0) + (width, 0.0, width, 0.0)


def _turned(horizontal: Rules, width: float) -> Rules:
    return Rules(horizontal.at, width - horizontal.high, width - horizontal.low)


def _options(choice: Boxes, piece: Boxes, *, backward: bool) -> Flags:
    """Pieces that follow a box to tick on its line, within reach and before anything else."""
    out = np.zeros(len(piece), dtype=np.bool_)
    if not len(choice) or not len(piece):
        return out
    middle = (piece[:, 1] + piece[:, 3]) / 2
    for part in blocks(len(choice), len(piece)):
        box = choice[part]
        gap = box[:, None, 0] - piece[:, 2] if backward else piece[:, 0] - box[:, None, 2]
        level = (middle > box[:, None, 1] - 3) & (middle < box[:, None, 3] + 3)
        gap = np.where(level & (gap > -3) & (gap < OPTION_REACH), gap, np.inf)
        nearest = gap.argmin(1)
        out[nearest[np.isfinite(gap.min(1))]] = True
    return out


def _cell_of(box: Boxes, cells: Boxes) -> Index:
    """The smallest cell around the centre of each box; the cells do not overlap, so it is the only one."""
    out = np.full(len(box), NO_CELL, dtype=np.intp)
    if not len(cells) or not len(box):
        return out
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    for part in blocks(len(box), len(cells)):
        inside = (x[part, None] > cells[:, 0]) & (x[part, None] < cells[:, 2])
        inside &= (y[part, None] > cells[:, 1]) & (y[part, None] < cells[:, 3])
        out[part] = np.where(inside.any(1), inside.argmax(1), NO_CELL)
    return out
