# SPDX-License-Identifier: Apache-2.0
"""From a rendered page to the canvas the networks read: plain bilinear resize and rectangular letterbox.

The networks were trained behind OpenCV's ``INTER_LINEAR``, which reads two neighbours a side even when it
shrinks (no anti-aliasing), so this does the same; a better filter would show them unfamiliar pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.peers.commonforms.profiles import STRIDE

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes

    Pixels = npt.NDArray[np.uint8]
    Canvas = npt.NDArray[np.float32]

PAD = 114
"""Grey level around the page on the canvas."""


@dataclass(frozen=True)
class Fit:
    """Where a page lies on its canvas; sizes are ``(height, width)`` in pixels.

    Attributes:
        page: Size of the rendered page.
        inner: Size of the page on the canvas, sides rounded to whole pixels.
        canvas: Size of the canvas, sides multiples of the stride where the profile's long side is one.
        top: Rows of padding above the page.
        left: Columns of padding left of the page.
        scale: Canvas pixels per page pixel before ``inner`` was rounded.
    """

    page: tuple[int, int]
    inner: tuple[int, int]
    canvas: tuple[int, int]
    top: int
    left: int
    scale: float

    def to_canvas(self, boxes: Boxes) -> Boxes:
        """Page-pixel boxes ``(n, 4)`` on the canvas."""
        return boxes * self.scale + self._shift()

    def to_page(self, boxes: Boxes) -> Boxes:
        """Canvas boxes ``(n, 4)`` in page pixels, clipped to the page."""
        height, width = self.page
        return np.clip((boxes - self._shift()) / self.scale, 0.0, [width, height, width, height])

    def _shift(self) -> Boxes:
        return np.array([self.left, self.top, self.left, self.top], dtype=np.float64)


def fit(height: int, width: int, long_side: int) -> Fit:
    """Largest fit into a square of ``long_side``, then only as much padding as the stride asks for.

    An odd pixel of padding goes below and to the right.
    """
    scale = min(long_side / height, long_side / width)
    inner = (max(1, round(height * scale)), max(1, round(width * scale)))
    spare = ((long_side - inner[0]) % STRIDE, (long_side - inner[1]) % STRIDE)
    canvas = (inner[0] + spare[0], inner[1] + spare[1])
    return Fit((height, width), inner, canvas, spare[0] // 2, spare[1] // 2, scale)


def letterbox(pixels: Pixels, place: Fit) -> Canvas:
    """An RGB page ``(h, w, 3)`` on its canvas, ``(H, W, 3)`` float32 in 0..1."""
    inner = pixels if place.inner == place.page else np.rint(bilinear(pixels, *place.inner))
    canvas = np.full((*place.canvas, 3), PAD, dtype=np.float32)
    canvas[place.top : place.top + place.inner[0], place.left : place.left + place.inner[1]] = inner
    canvas /= 255.0
    return canvas


def bilinear(picture: npt.NDArray[np.generic], height: int, width: int) -> Canvas:
    """Resize ``(h, w, c)`` to ``(height, width, c)`` float32; pixel centres at halves, edges repeated."""
    low, high, share = _taps(picture.shape[0], height)
    rows = _mix(picture[low], picture[high], share[:, None, None])
    low, high, share = _taps(picture.shape[1], width)
    return _mix(rows.take(low, axis=1), rows.take(high, axis=1), share[None, :, None])


def _mix(near: npt.NDArray[np.generic], far: npt.NDArray[np.generic], share: Canvas) -> Canvas:
    """``near * (1 - share) + far * share`` without a third large array."""
    base = near.astype(np.float32)
    step = far.astype(np.float32)
    step -= base
    step *= share
    base += step
    return base


def _taps(source: int, target: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp], Canvas]:
    """For each target pixel its two source pixels and the share of the second."""
    centre = np.clip((np.arange(target) + 0.5) * (source / target) - 0.5, 0.0, source - 1.0)
    low = np.floor(centre).astype(np.intp)
    return low, np.minimum(low + 1, source - 1), (centre - low).astype(np.float32)
