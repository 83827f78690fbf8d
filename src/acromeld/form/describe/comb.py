# SPDX-License-Identifier: Apache-2.0
"""Combs: rows of even cells that take one character each.

A comb field may cover all its cells, which shows in what is printed in it: dividers, a short line for each
character, or a row of small boxes. Or a detector may have found each cell by itself; see
`acromeld.form.describe.comb_runs`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Boxes, Floats
    from acromeld.structure.rules import PageRules, Rules

    Index = npt.NDArray[np.intp]

_EDGE = 2.0
_TICK = 2.0
"""Points a divider must reach into the field; combs are often drawn as short ticks on a line."""

_SLACK = 3.0
_ALIKE = 0.25

_FEWEST, _EVEN, _PITCH = 3, 1.5, (8.0, 30.0)
"""Dividers of cells that say how wide a cell is, points by which the cells differ, and their width."""

_INTO, _MORE, _NEAR = 0.35, 1.5, 0.25
"""Shares of a cell's width: from the first on a field reaches into it, from the second on beyond it; and how
far from there its printed end may be."""


@dataclass(frozen=True)
class InnerCells:
    """How fields are divided, ``(n,)`` each.

    Attributes:
        count: Cells, 1 where a field is not divided.
        unevenness: Largest deviation of a cell's width from the mean, as a share of the mean.
        reach: Mean share of the field's height that the dividers take.
        units: Cells that are printed each by itself: short lines, underscores, small boxes.
    """

    count: Index
    unevenness: Floats
    reach: Floats
    units: Index


def inner_cells(around: Surroundings) -> InnerCells:
    """How what is printed in each field divides it; boxes to tick are not looked at."""
    size = len(around.field)
    count, units = np.ones(size, dtype=np.intp), np.zeros(size, dtype=np.intp)
    unevenness, reach = np.zeros(size), np.zeros(size)
    pieces = _units(around)
    for row in np.flatnonzero(~around.choice):
        box = around.field[row]
        count[row], unevenness[row], reach[row] = _divided(box, around)
        units[row] = _count_units(box, pieces)
        if count[row] == 1 and units[row] > 1:
            count[row] = units[row]
    return InnerCells(count, unevenness, reach, units)


def _divided(box: Floats, around: Surroundings) -> tuple[int, float, float]:
    """Cells between vertical rules, their unevenness, and how far the rules reach."""
    x0, y0, x1, y1 = box
    rules = around.rules.vertical
    shared = np.minimum(rules.high, y1) - np.maximum(rules.low, y0)
    inside = (rules.at > x0 + _EDGE) & (rules.at < x1 - _EDGE) & (shared >= _TICK)
    if not inside.any():
        return 1, 0.0, 0.0
    at = np.unique(np.round(rules.at[inside], 0))
    width = np.diff(np.concatenate([[x0], at, [x1]]))
    uneven = float(np.abs(width - width.mean()).max() / max(width.mean(), 1.0))
    return len(width), uneven, float(np.mean(shared[inside]) / max(y1 - y0, 1.0))


def over_cells(box: Floats, rules: PageRules, squares: Boxes) -> bool:
    """Whether a field ``(4,)`` lies over even cells: between vertical rules, or ``squares`` side by side."""
    return _even(_dividers(box, rules.vertical, squares))


def fitted(box: Floats, rules: PageRules, squares: Boxes) -> Floats:
    """A field ``(4,)`` over even cells with its ends on the printed ends of its first and last cell.

    Characters are spread evenly over a comb field, so one that ends a few points early puts the last of them
    on a divider. Ends that are not printed, and fields that are not over cells, stay as they are.
    """
    at = _dividers(box, rules.vertical, squares)
    if not _even(at):
        return box
    width = float(np.diff(at).mean())
    ends = _ends(box, rules, squares)
    fit = box.copy()
    for side, last, outwards in ((0, at[0], -1.0), (2, at[-1], 1.0)):
        into = (box[side] - last) * outwards / width
        target = last + outwards * width if into > _INTO else last
        if into <= _MORE and len(ends) and np.abs(ends - target).min() <= _NEAR * width:
            fit[side] = ends[np.abs(ends - target).argmin()]
    return fit


def _even(at: Floats) -> bool:
    """Whether dividers stand as they do between cells for a character each."""
    if len(at) < _FEWEST:
        return False
    pitch = np.diff(at)
    return bool(np.ptp(pitch) <= _EVEN and _PITCH[0] <= pitch.mean() <= _PITCH[1])


def _edges(box: Floats, rules: Rules, squares: Boxes) -> Floats:
    """Where vertical edges stand at the height of a field, left and right of it, too."""
    low = np.concatenate([rules.low, squares[:, 1], squares[:, 1]])
    high = np.concatenate([rules.high, squares[:, 3], squares[:, 3]])
    edge = np.concatenate([rules.at, squares[:, 0], squares[:, 2]])
    level: Floats = edge[np.minimum(high, box[3]) - np.maximum(low, box[1]) >= _TICK]
    return level


def _dividers(box: Floats, rules: Rules, squares: Boxes) -> Floats:
    """Where vertical edges divide a field, from left to right."""
    edge = _edges(box, rules, squares)
    at = np.sort(edge[(edge > box[0] + _EDGE) & (edge < box[2] - _EDGE)])
    return at[np.diff(at, prepend=-np.inf) > 1.0]


def _ends(box: Floats, rules: PageRules, squares: Boxes) -> Floats:
    """Where cells at the height of a field can end: at vertical edges, and with the line they stand on."""
    flat = rules.horizontal
    under = np.abs(flat.at - box[3]) <= _SLACK
    return np.concatenate([_edges(box, rules.vertical, squares), flat.low[under], flat.high[under]])


def _units(around: Surroundings) -> Boxes:
    """Everything on the page that could be one cell: short rules, runs of underscores, small boxes."""
    rules = around.rules.horizontal
    lines = np.stack([rules.low, rules.at, rules.high, rules.at], axis=1)
    return np.concatenate([lines, around.underscores, around.squares])


def _count_units(box: Floats, units: Boxes) -> int:
    """How many like units stand beside each other in a field; 0 where they are not like each other."""
    x0, y0, x1, y1 = box
    middle = (units[:, 1] + units[:, 3]) / 2
    level = (middle > (y0 + y1) / 2 - _SLACK) & (middle < y1 + _SLACK)
    within = units[level & (units[:, 0] > x0 - _SLACK) & (units[:, 2] < x1 + _SLACK)]
    within = within[within[:, 2] - within[:, 0] < 0.6 * (x1 - x0)]
    if len(within) < 2:
        return 0
    width = within[:, 2] - within[:, 0]
    start = np.unique(np.round(within[:, 0] / 2.0))
    alike = np.abs(width - np.median(width)) <= max(_ALIKE * float(np.median(width)), 1.0)
    return len(start) if alike.all() else 0
