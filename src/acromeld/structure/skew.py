# SPDX-License-Identifier: Apache-2.0
"""How crooked a scan lies: the slope of its lines of print and its rules.

The lower edges of letters and rules are counted along parallel lines of many slopes. Along the true one they
pile up on few lines, along all others they spread, so the sum of squares of the counts says which it is.
Right edges are counted across in the same way, because a page may be mostly upright rules or lie sideways.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.inferred_tone import split_tones, working_grey

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.pdf.page import Raster

    Floats = npt.NDArray[np.float64]

STEEPEST = 0.07
"""Slope searched in both directions, four degrees."""

_STEPS = (0.005, 0.0005)
"""Distances of the slopes tried: everywhere, then around the best. A line of print must not pass a step by
more than its edge is sharp, or the first search would miss the peak."""

_MOST_EDGES = 40_000
_FEWEST_EDGES = 400
_PEAK = 1.05
"""How much better than lying straight the best slope must be; noise and pictures have no peak."""


def skew(raster: Raster) -> float:
    """Slope of the lines of a page picture, downwards to the right, or 0 where nothing tells.

    The tangent of the angle by which the paper was turned clockwise.
    """
    if raster.pixels.size == 0:
        return 0.0
    grey, _ = working_grey(raster.pixels)
    ink = split_tones(grey).ink
    lower, right = ink[:-1] & ~ink[1:], ink[:, :-1] & ~ink[:, 1:]
    edges = [_thinned(*np.nonzero(lower)), _thinned(*np.nonzero(right))[::-1]]
    if max(len(along) for _, along in edges) < _FEWEST_EDGES:
        return 0.0
    coarse, fine = _STEPS
    tried = np.arange(-STEEPEST, STEEPEST + coarse / 2, coarse)
    best = tried[np.argmax([_piled(edges, slope) for slope in tried])]
    around = best + np.arange(-coarse, coarse + fine / 2, fine)
    piled = np.array([_piled(edges, slope) for slope in around])
    if piled.max() < _PEAK * _piled(edges, 0.0):
        return 0.0
    return float(around[piled.argmax()] + fine * _between(piled))


def _thinned(row: npt.NDArray[np.intp], column: npt.NDArray[np.intp]) -> tuple[Floats, Floats]:
    """Positions of edge pixels, every so-manieth where there are too many."""
    step = -(-len(row) // _MOST_EDGES) or 1
    return row[::step].astype(np.float64), column[::step].astype(np.float64)


def _between(piled: Floats) -> float:
    """Where the top of the parabola through the greatest value and its neighbours is, in steps from it."""
    top = int(piled.argmax())
    if not 0 < top < len(piled) - 1:
        return 0.0
    before, at, after = piled[top - 1 : top + 2]
    bend = before - 2 * at + after
    return float((before - after) / (2 * bend)) if bend < 0 else 0.0


def _piled(edges: list[tuple[Floats, Floats]], slope: float) -> float:
    """Sum of squares of the edges on each line of this slope; lower edges first, then right ones."""
    return sum(
        _energy(across - sign * slope * along) for (across, along), sign in zip(edges, (1, -1), strict=True)
    )


def _energy(position: Floats) -> float:
    if not len(position):
        return 0.0
    count = np.bincount((position - position.min()).astype(np.intp))
    return float(np.square(count, dtype=np.float64).sum())
