# SPDX-License-Identifier: Apache-2.0
"""Boxes as arrays, and the overlaps between them. Pure numpy, no I/O.

A box is ``[x0, y0, x1, y1]`` with the origin at the top left and ``x0 <= x1``, ``y0 <= y1``. Every
function takes and returns arrays of boxes, shape ``(n, 4)``, because pages carry hundreds of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Boxes = Floats


def as_boxes(boxes: npt.ArrayLike | Sequence[Sequence[float]]) -> Boxes:
    """Any sequence of boxes as a float64 array of shape ``(n, 4)``; empty input gives ``(0, 4)``."""
    return np.asarray(boxes, dtype=np.float64).reshape(-1, 4)


def area(boxes: Boxes) -> Floats:
    """Area of each box, shape ``(n,)``; an inverted box has area zero."""
    extent = np.maximum(boxes[:, 2:] - boxes[:, :2], 0.0)
    return extent[:, 0] * extent[:, 1]


def centre(boxes: Boxes) -> Floats:
    """Centre points, shape ``(n, 2)``."""
    return (boxes[:, :2] + boxes[:, 2:]) / 2.0


def intersection(a: Boxes, b: Boxes) -> Floats:
    """Area shared by each pair, shape ``(len(a), len(b))``."""
    shared = _shared_side(a[:, 0], a[:, 2], b[:, 0], b[:, 2])
    shared *= _shared_side(a[:, 1], a[:, 3], b[:, 1], b[:, 3])
    return shared


def _shared_side(a_low: Floats, a_high: Floats, b_low: Floats, b_high: Floats) -> Floats:
    """Length shared along one axis, ``(len(a), len(b))``; in place, because fresh memory costs more."""
    side: Floats = np.minimum(a_high[:, None], b_high)
    side -= np.maximum(a_low[:, None], b_low)
    return np.maximum(side, 0.0, out=side)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """``numerator / denominator`` with 0/0 read as 0: degenerate boxes overlap nothing."""
    out = np.zeros_like(numerator)
    np.divide(numerator, denominator, out=out, where=denominator > 0)
    return out


def iou(a: Boxes, b: Boxes) -> Floats:
    """Intersection over union of each pair, shape ``(len(a), len(b))``."""
    shared = intersection(a, b)
    return _ratio(shared, area(a)[:, None] + area(b)[None, :] - shared)


def intersection_over_smaller(a: Boxes, b: Boxes) -> Floats:
    """Intersection over the smaller box of each pair: 1 when one lies inside the other."""
    return _ratio(intersection(a, b), np.minimum(area(a)[:, None], area(b)[None, :]))


def overlap(a: Boxes, b: Boxes) -> Floats:
    """The paper's containment-aware ``ov(b, g) = max(IoU, |b ∩ g| / min(|b|, |g|))``, per pair.

    The second term is never smaller than the first (the union is never smaller than the smaller box),
    so the maximum is taken for fidelity to the equation, not because it can change the result.
    """
    shared = intersection(a, b)
    areas_a, areas_b = area(a)[:, None], area(b)[None, :]
    return np.maximum(
        _ratio(shared, areas_a + areas_b - shared), _ratio(shared, np.minimum(areas_a, areas_b))
    )


@dataclass(frozen=True)
class Letterbox:
    """Uniform scale and shift that fits a page into a canvas without cropping or distortion.

    ``canvas = page * scale + (left, top)``. Raster, boxes and primitives of a page share one of these.
    """

    scale: float
    left: float
    top: float

    @classmethod
    def fit(cls, page: tuple[float, float], canvas: tuple[int, int]) -> Letterbox:
        """Largest centred fit of a ``(width, height)`` page into a ``(width, height)`` canvas."""
        scale = min(canvas[0] / page[0], canvas[1] / page[1])
        return cls(scale, (canvas[0] - page[0] * scale) / 2.0, (canvas[1] - page[1] * scale) / 2.0)

    def _shift(self) -> Floats:
        return np.array([self.left, self.top, self.left, self.top])

    def to_canvas(self, boxes: Boxes) -> Boxes:
        """Page boxes ``(n, 4)`` in canvas pixels."""
        return boxes * self.scale + self._shift()

    def to_page(self, boxes: Boxes) -> Boxes:
        """Canvas boxes ``(n, 4)`` in page points."""
        return (boxes - self._shift()) / self.scale
