# SPDX-License-Identifier: Apache-2.0
"""Cells: the smallest rectangles that rules close on all four sides.

The coordinates of all rules span a lattice. In each lattice row, vertical rules cut the row into spans; a
span continues into the next row when that row has the same span and no rule lies between them. A run of such
spans is a cell if rules bound it above, below, left and right. All rows and columns are done at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.intervals import cluster
from acromeld.structure.rules import Rules

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

    Grid = npt.NDArray[np.bool_]

_SNAP = 1.8
_REACH = 3.0
"""A rule that ends this close to a lattice line is meant to touch it."""

_MAX_LATTICE = 1_000_000
_MIN_SIDE = 3.0


def closed_cells(horizontal: Rules, vertical: Rules) -> Boxes:
    """Boxes ``(n, 4)`` of all closed cells, in reading order of their top left corners."""
    if len(horizontal) < 2 or len(vertical) < 2:
        return np.zeros((0, 4))
    row_of, ys = _lattice(horizontal.at)
    column_of, xs = _lattice(vertical.at)
    if len(ys) * len(xs) > _MAX_LATTICE or len(ys) < 2 or len(xs) < 2:
        return np.zeros((0, 4))
    across = _covered(row_of, horizontal.low, horizontal.high, xs, len(ys))
    down = _covered(column_of, vertical.low, vertical.high, ys, len(xs)).T
    return _trace(across, down, xs, ys)


def _lattice(at: Floats) -> tuple[npt.NDArray[np.intp], Floats]:
    """Lattice line of each rule, and the positions of the lines."""
    number = cluster(at, _SNAP)
    return number, np.bincount(number, weights=at) / np.bincount(number)


def _covered(line: npt.NDArray[np.intp], low: Floats, high: Floats, marks: Floats, lines: int) -> Grid:
    """``(lines, len(marks) - 1)``: whether a rule on that line covers the step between two marks."""
    first = np.searchsorted(marks, low - _REACH)
    last = np.searchsorted(marks, high + _REACH, side="right") - 1
    valid = last > first
    change = np.zeros((lines, len(marks) + 1), dtype=np.int32)
    np.add.at(change, (line[valid], first[valid]), 1)
    np.add.at(change, (line[valid], last[valid]), -1)
    covered: Grid = np.cumsum(change, axis=1)[:, : len(marks) - 1] > 0
    return covered


def _trace(across: Grid, down: Grid, xs: Floats, ys: Floats) -> Boxes:
    """Cells from lattice edges.

    Args:
        across: ``(rows + 1, columns)`` horizontal edges.
        down: ``(rows, columns + 1)`` vertical edges.
        xs: ``(columns + 1,)`` positions.
        ys: ``(rows + 1,)`` positions.
    """
    rows, columns = down.shape[0], across.shape[1]
    starts = down[:, :-1]
    end = _next_true(down)[:, 1:]
    closed_right = end <= columns
    starts = starts & closed_right
    edge_count = np.concatenate(
        [np.zeros((rows + 1, 1), np.int32), np.cumsum(across, axis=1, dtype=np.int32)], 1
    )
    column = np.arange(columns)
    end = np.minimum(end, columns)
    row = np.arange(rows)[:, None]
    edges_above = edge_count[row, end] - edge_count[row, column]
    edges_below = edge_count[row + 1, end] - edge_count[row + 1, column]
    span = end - column
    continues = np.zeros((rows + 1, columns), dtype=np.bool_)
    if rows > 1:
        same = starts[1:] & starts[:-1] & (end[1:] == end[:-1])
        continues[1:-1] = same & (edges_above[1:] == 0)
    tops = starts & ~continues[:-1]
    bottoms = starts & ~continues[1:]
    # Within a column, tops and bottoms alternate, so listing both column by column pairs them up.
    top_column, top_row = np.nonzero(tops.T)
    _, bottom_row = np.nonzero(bottoms.T)
    right = end[top_row, top_column]
    whole = (edges_above[top_row, top_column] == span[top_row, top_column]) & (
        edges_below[bottom_row, top_column] == span[bottom_row, top_column]
    )
    box = np.stack([xs[top_column], ys[top_row], xs[right], ys[bottom_row + 1]], 1)[whole]
    big_enough = ((box[:, 2:] - box[:, :2]) >= _MIN_SIDE).all(1)
    box = box[big_enough]
    result: Boxes = box[np.lexsort((box[:, 0], box[:, 1]))]
    return result


def _next_true(down: Grid) -> npt.NDArray[np.intp]:
    """Per row, the first column at or after each where ``down`` is true; a too large number if none."""
    columns = down.shape[1]
    far = columns + 1
    where = np.where(down, np.arange(columns), far)
    return np.minimum.accumulate(where[:, ::-1], axis=1)[:, ::-1]
