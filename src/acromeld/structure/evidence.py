# SPDX-License-Identifier: Apache-2.0
"""Derived evidence: where on the page a field could be, read off the primitives without any label.

These are the candidates of the rule-based and boosted-tree detectors and the seeds of the compact model. They
work the same on true primitives and on primitives inferred from a scan.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import area
from acromeld.pdf.page import ShapeKind
from acromeld.structure.cells import closed_cells
from acromeld.structure.intervals import blocks
from acromeld.structure.marks import bracket_marks, drawn_marks, glyph_marks, mark_sized
from acromeld.structure.rules import page_rules
from acromeld.structure.spaces import above_rules, after_labels, on_runs

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Primitives, Shapes, Words
    from acromeld.structure.rules import PageRules


class EvidenceKind(IntEnum):
    """What suggests that something can be entered here."""

    CELL = 0
    CELL_REST = 1
    PANEL = 2
    RULE_SPACE = 3
    UNDERSCORES = 4
    LEADER = 5
    LABEL_GAP = 6
    SQUARE = 7
    CIRCLE = 8
    GLYPH = 9
    BRACKETS = 10


@dataclass(frozen=True)
class Evidence:
    """``kind`` ``(n,)`` of `EvidenceKind` and ``box`` ``(n, 4)`` in displayed points."""

    kind: npt.NDArray[np.int8]
    box: Boxes

    def __len__(self) -> int:
        return len(self.kind)


_MAX_AREA = 0.5
"""Of the page; anything larger is a frame, not a field."""

_MAX_OF_A_KIND = 2_000
"""The largest of each kind are kept: what is beyond that is graph paper or artwork."""

_MIN_SIDE = 4.0
_USUAL_SIZE = 10.0


def derive_evidence(
    primitives: Primitives, width: float, height: float, rules: PageRules | None = None
) -> Evidence:
    """All evidence on a page of the given displayed size; its rules are found unless they are known."""
    words, shapes = primitives.words, primitives.shapes
    rules = rules or page_rules(shapes)
    printed = printed_words(words)
    size = usual_size(words)
    cells = _largest(closed_cells(rules.horizontal, rules.vertical))
    squares, circles = drawn_marks(shapes)
    small_cell = mark_sized(cells[:, 2:] - cells[:, :2])
    found: list[tuple[EvidenceKind, Boxes]] = [
        (EvidenceKind.CELL, cells[~small_cell]),
        (EvidenceKind.CELL_REST, _cell_rests(cells[~small_cell], printed, size)),
        (EvidenceKind.PANEL, _panels(shapes)),
        (EvidenceKind.RULE_SPACE, above_rules(rules, printed, size)),
        (EvidenceKind.UNDERSCORES, on_runs(words, "_")),
        (EvidenceKind.LEADER, on_runs(words, ".·…")),
        (EvidenceKind.LABEL_GAP, after_labels(words, rules, width)),
        (EvidenceKind.SQUARE, np.concatenate([squares, cells[small_cell]])),
        (EvidenceKind.CIRCLE, circles),
        (EvidenceKind.GLYPH, glyph_marks(words)),
        (EvidenceKind.BRACKETS, bracket_marks(words)),
    ]
    boxes = [_largest(some) for _, some in found]
    kind = np.repeat(np.array([k for k, _ in found], dtype=np.int8), [len(some) for some in boxes])
    return _plausible(kind, np.concatenate(boxes), width, height)


def _largest(boxes: Boxes) -> Boxes:
    """The boxes, or the largest of them if they are too many, in their order."""
    if len(boxes) <= _MAX_OF_A_KIND:
        return boxes
    by_area = np.argsort(-area(boxes), kind="stable")
    return boxes[np.sort(by_area[:_MAX_OF_A_KIND])]


def usual_size(words: Words) -> float:
    """The font size of body text: the median over visible words, within reason."""
    sizes = words.size[words.visible & words.upright & (words.size > 0)]
    return float(np.clip(np.median(sizes), 6.0, 16.0)) if len(sizes) else _USUAL_SIZE


def printed_words(words: Words) -> Boxes:
    """Boxes of the words one would not write over: leaders and underscores are there to be written on."""
    solid = np.array([len(text) < 2 or not set(text) <= set("_.·…") for text in words.text], dtype=np.bool_)
    return words.box[solid & words.visible] if len(words) else words.box


def _cell_rests(cells: Boxes, printed: Boxes, size: float) -> Boxes:
    """What is left of a cell below the label printed in it."""
    if len(cells) == 0 or len(printed) == 0:
        return np.zeros((0, 4))
    x, y = (printed[:, 0] + printed[:, 2]) / 2, (printed[:, 1] + printed[:, 3]) / 2
    floor = np.empty(len(cells))
    for part in blocks(len(cells), len(printed)):
        left, top, right, bottom = cells[part].T[:, :, None]
        inside = (x > left) & (x < right) & (y > top) & (y < bottom)
        floor[part] = np.where(inside, printed[:, 3], -np.inf).max(1, initial=-np.inf)
    keep = np.isfinite(floor) & (cells[:, 3] - floor >= 0.6 * size)
    return np.column_stack([cells[keep, 0], floor[keep], cells[keep, 2:]])


def _panels(shapes: Shapes) -> Boxes:
    """Rectangles, stroked or filled, and rounded boxes that could hold a line of writing."""
    side = shapes.box[:, 2:] - shapes.box[:, :2]
    rounded = (shapes.kind == ShapeKind.PATH) & (shapes.curves >= 2) & (shapes.segments <= 12)
    shape = (shapes.kind == ShapeKind.RECT) | rounded
    light = (shapes.stroke > 0) | (shapes.filled & (shapes.fill > 0.5))
    roomy = (side[:, 0] >= 8) & (side[:, 1] >= 6) & ~mark_sized(side)
    panels: Boxes = shapes.box[shape & light & roomy]
    return panels


def _plausible(kind: npt.NDArray[np.int8], box: Boxes, width: float, height: float) -> Evidence:
    """Clipped to the page, without the absurdly small and large, and without exact repeats of a kind."""
    box = np.clip(box, 0.0, [width, height, width, height])
    side = box[:, 2:] - box[:, :2]
    keep = (side >= _MIN_SIDE).all(1) & (side.prod(1) <= _MAX_AREA * width * height)
    kind, box = kind[keep], box[keep]
    if len(kind) == 0:
        return Evidence(kind, box)
    key = np.column_stack([kind, np.round(box * 2)])
    _, first = np.unique(key, axis=0, return_index=True)
    first.sort()
    return Evidence(kind[first], box[first])
