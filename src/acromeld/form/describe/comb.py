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
    from acromeld.structure.rules import Rules

    Index = npt.NDArray[np.intp]

_EDGE = 2.0
_TICK = 2.0
"""Points a divider must reach into the field; combs are often drawn as short ticks on a line."""

_SLACK = 3.0
_ALIKE = 0.25

_FEWEST, _EVEN, _PITCH = 3, 1.5, (8.0, 30.0)
"""Dividers of cells that say how wide a cell is, points by which the cells differ, and their width."""

_INTO, _MORE = 0.35, 1.5
"""Shares of a cell's width: from the first on a field reaches into it, from the second on beyond it."""


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


def fitted(box: Floats, rules: Rules, squares: Boxes) -> Floats:
    """A field ``(4,)`` over even cells, brought to the outer edges of the first and last.

    Characters are spread evenly over a comb field, so one that ends a few points early puts the last of them
    on a divider. Cells stand between vertical ``rules``, or are ``squares`` side by side. Fields that are not
    over cells stay as they are.
    """
    at = _dividers(box, rules, squares)
    pitch = np.diff(at)
    if len(at) < _FEWEST or np.ptp(pitch) > _EVEN or not _PITCH[0] <= pitch.mean() <= _PITCH[1]:
        return box
    width = float(pitch.mean())
    fit = box.copy()
    fit[0] = at[0] - _beyond(at[0] - box[0], width)
    fit[2] = at[-1] + _beyond(box[2] - at[-1], width)
    return fit


def _beyond(distance: float, width: float) -> float:
    """How far a field reaches beyond its last divider: into one more cell, or not at all.

    Further than that are no cells, so what is there is not known.
    """
    if distance > _MORE * width:
        return distance
    return width if distance > _INTO * width else 0.0


def _dividers(box: Floats, rules: Rules, squares: Boxes) -> Floats:
    """Where vertical edges divide a field, from left to right."""
    low = np.concatenate([rules.low, squares[:, 1], squares[:, 1]])
    high = np.concatenate([rules.high, squares[:, 3], squares[:, 3]])
    edge = np.concatenate([rules.at, squares[:, 0], squares[:, 2]])
    reach = np.minimum(high, box[3]) - np.maximum(low, box[1])
    at = np.sort(edge[(edge > box[0] + _EDGE) & (edge < box[2] - _EDGE) & (reach >= _TICK)])
    return at[np.diff(at, prepend=-np.inf) > 1.0]


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
