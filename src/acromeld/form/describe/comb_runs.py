# SPDX-License-Identifier: Apache-2.0
"""Cells that a detector found one by one are joined to comb fields.

Only even runs are: where the gap between cells changes, as in a date written 2-2-4, a new field begins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.fields import Field, FieldKind

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_CELLS = 3
_CELL = (8.0, 30.0)
_ALIKE = 0.15
_EVEN = 1.2
_WIDEST_GAP = 6.0


def merge_cells(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields, with each even run of single cells joined to one comb field.

    Only text fields that nobody has named or shaped are joined.
    """
    runs = _runs(fields)
    joined = {run[0]: _comb([fields[row] for row in run]) for run in runs}
    gone = {row for run in runs for row in run[1:]}
    return tuple(joined.get(row, field) for row, field in enumerate(fields) if row not in gone)


def _runs(fields: Sequence[Field]) -> list[list[int]]:
    """Rows of the cells of each even run, from left to right."""
    cells = [row for row, field in enumerate(fields) if _is_cell(field)]
    cells.sort(key=lambda row: (round(fields[row].box[1] / 4), fields[row].box[0]))
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
    width = a[2] - a[0]
    level = abs(a[1] - b[1]) < 2 and abs(a[3] - b[3]) < 2
    alike = abs((b[2] - b[0]) - width) <= max(_ALIKE * width, 1.0)
    gap = b[0] - a[2]
    near = -2.0 < gap < min(_WIDEST_GAP, 0.5 * width)
    if not (level and alike and near):
        return False
    return len(run) == 1 or abs(gap - (a[0] - fields[run[-2]].box[2])) <= _EVEN


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
