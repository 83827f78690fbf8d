# SPDX-License-Identifier: Apache-2.0
"""Cells that a detector found one by one are joined to comb fields.

Only even runs are: where the gap between cells changes, as in a date written 2-2-4, a new field begins. A
single cell the detector missed between two it found is added, if it is printed like them, and so are those to
the right of a cell that was found alone: nobody writes into the first cell of a comb only.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import Field, FieldKind
from acromeld.pdf.page import ShapeKind
from acromeld.structure.rules import page_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Box
    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Shapes
    from acromeld.structure.rules import Rules

MIN_CELLS = 3
_CELL = (8.0, 30.0)
_ALIKE = 0.15
_EVEN = 1.2
_WIDEST_GAP = 6.0
_LONGEST = 40
_SAME_PLACE = 2.5
"""Points by which the rules of a printed cell and the sides of a missed one may differ."""


def merge_cells(fields: Sequence[Field], shapes: Shapes | None = None) -> tuple[Field, ...]:
    """The fields, with each even run of single cells joined to one comb field.

    Only text fields that nobody has named or shaped are joined. ``shapes`` are those of the page; without
    them no missed cell is added.
    """
    cells = [*fields, *_missed(fields, shapes), *_beyond(fields, shapes)]
    runs = _runs(cells)
    joined = {run[0]: _comb([cells[row] for row in run]) for run in runs}
    gone = {row for run in runs for row in run[1:]}
    return tuple(joined.get(row, field) for row, field in enumerate(fields) if row not in gone)


def _in_order(fields: Sequence[Field]) -> list[int]:
    """Rows of the cells, line by line from left to right."""
    cells = [row for row, field in enumerate(fields) if _is_cell(field)]
    return sorted(cells, key=lambda row: (round(fields[row].box[1] / 4), fields[row].box[0]))


def _missed(fields: Sequence[Field], shapes: Shapes | None) -> list[Field]:
    """Cells that stand printed in gaps of exactly one cell."""
    order = _in_order(fields)
    pairs = [(fields[a], fields[b]) for a, b in pairwise(order)]
    places = [(left, place) for left, right in pairs if (place := _gap(left.box, right.box)) is not None]
    if shapes is None or not places:
        return []
    rules, boxes = page_rules(shapes).horizontal, shapes.box[shapes.kind == ShapeKind.RECT]
    return [
        left.model_copy(update={"box": place})
        for left, place in places
        if (_framed(boxes, place) or _ruled(rules, place)) and not _taken(fields, place)
    ]


def _beyond(fields: Sequence[Field], shapes: Shapes | None) -> list[Field]:
    """Boxes drawn to the right of a lone cell, side by side, until there is none or a field begins."""
    if shapes is None:
        return []
    boxes, order, added = shapes.box[shapes.kind == ShapeKind.RECT], _in_order(fields), list[Field]()
    for row in order:
        lone = fields[row]
        if any(_level(lone.box, fields[other].box) for other in order if other != row):
            continue
        drawn, more = _drawn(boxes, lone.box), list[Field]()
        while drawn is not None and len(more) < _LONGEST:
            drawn = _drawn(boxes, (drawn[2], drawn[1], 2 * drawn[2] - drawn[0], drawn[3]))
            if drawn is None or _taken(fields, drawn):
                break
            more.append(lone.model_copy(update={"box": drawn}))
        added += more if len(more) + 1 >= MIN_CELLS else []
    return added


def _drawn(boxes: Boxes, place: Box) -> Box | None:
    """The box that is drawn around a place; none if there is none."""
    apart = np.abs(boxes - place).max(axis=1, initial=0.0)
    if not len(apart) or apart.min() > _SAME_PLACE:
        return None
    x0, y0, x1, y1 = boxes[apart.argmin()].tolist()
    return (x0, y0, x1, y1)


def _taken(fields: Sequence[Field], place: Box) -> bool:
    return any(_middle_in(field.box, place) for field in fields)


def _framed(boxes: Boxes, place: Box) -> bool:
    """Whether a box is drawn around a place."""
    return bool((np.abs(boxes - place) <= _SAME_PLACE).all(axis=1).any())


def _ruled(rules: Rules, place: Box) -> bool:
    """Whether a place has a rule above and below; at its sides are cells."""
    across = (rules.low <= place[0] + _SAME_PLACE) & (rules.high >= place[2] - _SAME_PLACE)
    return all(bool((across & (np.abs(rules.at - y) <= _SAME_PLACE)).any()) for y in (place[1], place[3]))


def _middle_in(box: Box, place: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return place[0] <= x <= place[2] and place[1] <= y <= place[3]


def _gap(a: Box, b: Box) -> Box | None:
    """The place of one more cell between two on a line that are alike; none if it does not fit exactly."""
    width = a[2] - a[0]
    space = (b[0] - a[2] - width) / 2
    if not (_level(a, b) and _alike(a, b) and -2.0 < space < min(_WIDEST_GAP, 0.5 * width)):
        return None
    return (a[2] + space, a[1], b[0] - space, a[3])


def _runs(fields: Sequence[Field]) -> list[list[int]]:
    """Rows of the cells of each even run, from left to right."""
    cells = _in_order(fields)
    runs: list[list[int]] = []
    for row in cells:
        if runs and _goes_on(fields, runs[-1], row):
            runs[-1].append(row)
        else:
            runs.append([row])
    return [run for run in runs if len(run) >= MIN_CELLS]


def _is_cell(field: Field) -> bool:
    x0, y0, x1, y1 = field.box
    plain = field.name is None and field.tooltip is None and field.comb is None and not field.multiline
    low, high = _CELL
    sized = low <= x1 - x0 <= high and low <= y1 - y0 <= 1.5 * high and x1 - x0 <= 1.6 * (y1 - y0)
    return field.kind is FieldKind.TEXT and plain and sized


def _goes_on(fields: Sequence[Field], run: list[int], row: int) -> bool:
    """Whether a cell is the next of a run: level with it, as wide, and after the same gap."""
    a, b = fields[run[-1]].box, fields[row].box
    gap = b[0] - a[2]
    near = -2.0 < gap < min(_WIDEST_GAP, 0.5 * (a[2] - a[0]))
    if not (_level(a, b) and _alike(a, b) and near):
        return False
    return len(run) == 1 or abs(gap - (a[0] - fields[run[-2]].box[2])) <= _EVEN


def _level(a: Box, b: Box) -> bool:
    return abs(a[1] - b[1]) < 2 and abs(a[3] - b[3]) < 2


def _alike(a: Box, b: Box) -> bool:
    width = a[2] - a[0]
    return abs((b[2] - b[0]) - width) <= max(_ALIKE * width, 1.0)


def _comb(cells: Sequence[Field]) -> Field:
    first = cells[0]
    box = (
        min(cell.box[0] for cell in cells),
        min(cell.box[1] for cell in cells),
        max(cell.box[2] for cell in cells),
        max(cell.box[3] for cell in cells),
    )
    score = min(cell.score for cell in cells)
    return first.model_copy(update={"box": box, "score": score, "comb": len(cells), "multiline": None})
