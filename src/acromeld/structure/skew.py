# SPDX-License-Identifier: Apache-2.0
"""How crooked a scan lies: the slopes of its lines of print and of its upright rules.

The lower edges of letters and rules are counted along parallel lines of many slopes. Along the true one they
pile up on few lines, along all others they spread, so the sum of squares of the counts says which it is.
Right edges are counted across in the same way. Paper that was turned on the glass has one slope for both; a
bent page or a photograph may have two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.inferred_tone import split_tones, working_grey

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.pdf.page import Raster

    Floats = npt.NDArray[np.float64]

STEEPEST = 0.07
"""Slope searched in both directions, four degrees."""

_COARSE, _FINE = 0.005, 0.0005
"""Distances of the slopes tried: everywhere, then around the best."""

_MOST_EDGES = 40_000
_FEWEST_EDGES = 400
_CLEAR = 1.05
"""How much better one slope must be than another to be believed; noise and pictures have no peak."""


@dataclass(frozen=True)
class Skew:
    """Slopes of a picture, 0 where nothing tells.

    Attributes:
        level: Of level lines, downwards to the right.
        upright: Of upright lines, to the left on the way down. Both are the tangent of the angle where paper
            was turned clockwise.
    """

    level: float = 0.0
    upright: float = 0.0

    @classmethod
    def turned(cls, slope: float) -> Skew:
        """Of paper turned clockwise by the angle with this tangent."""
        return cls(slope, slope)

    @property
    def steepest(self) -> float:
        """The greater of both, without sign."""
        return max(abs(self.level), abs(self.upright))

    def matrix(self) -> Floats:
        """``(2, 2)``: where points ``(x, y)`` of the straight page lie, counted from the middle of it."""
        matrix: Floats = np.array([[1.0, -self.upright], [self.level, 1.0]])
        return matrix / float(np.sqrt(1.0 + self.level * self.upright))

    def back(self) -> Floats:
        """The inverse of the matrix: lays the page straight."""
        inverse: Floats = np.linalg.inv(self.matrix()).astype(np.float64)
        return inverse


@dataclass(frozen=True)
class _Edges:
    """Ends of ink, ``(n,)`` each: their position across lines of one direction and along them."""

    across: Floats
    along: Floats

    def piled(self, slope: float) -> float:
        """Sum of squares of how many edges lie on each line of this slope."""
        if not len(self.across):
            return 0.0
        position = self.across - slope * self.along
        count = np.bincount((position - position.min()).astype(np.intp))
        return float(np.square(count, dtype=np.float64).sum())


def skew(raster: Raster) -> Skew:
    """The slopes of a page picture."""
    if raster.pixels.size == 0:
        return Skew()
    grey, _ = working_grey(raster.pixels)
    ink = split_tones(grey).ink
    lower = _edges(*np.nonzero(ink[:-1] & ~ink[1:]))
    column, row = np.nonzero((ink[:, :-1] & ~ink[:, 1:]).T)
    right = _edges(column, -row)
    if max(len(edges.across) for edges in (lower, right)) < _FEWEST_EDGES:
        return Skew()
    shared = _slope((lower, right), 0.0)
    return Skew(_slope((lower,), shared), _slope((right,), shared))


def _edges(across: npt.NDArray[np.intp], along: npt.NDArray[np.intp]) -> _Edges:
    """Every so-manieth edge where there are too many."""
    step = -(-len(across) // _MOST_EDGES) or 1
    return _Edges(across[::step].astype(np.float64), along[::step].astype(np.float64))


def _slope(kinds: tuple[_Edges, ...], otherwise: float) -> float:
    """The slope along which edges pile up highest, if that is clearly higher than along the other one."""

    def piled(slope: float) -> float:
        return sum(edges.piled(slope) for edges in kinds)

    tried = np.arange(-STEEPEST, STEEPEST + _COARSE / 2, _COARSE)
    best = tried[np.argmax([piled(slope) for slope in tried])]
    around = best + np.arange(-_COARSE, _COARSE + _FINE / 2, _FINE)
    heights = np.array([piled(slope) for slope in around])
    if heights.max() < _CLEAR * piled(otherwise):
        return otherwise
    return float(around[heights.argmax()] + _FINE * _top(heights))


def _top(heights: Floats) -> float:
    """Where the top of the parabola through the greatest height and its neighbours is, in steps from it."""
    at = int(heights.argmax())
    if not 0 < at < len(heights) - 1:
        return 0.0
    before, here, after = heights[at - 1 : at + 2]
    bend = before - 2 * here + after
    return float((before - after) / (2 * bend)) if bend < 0 else 0.0
