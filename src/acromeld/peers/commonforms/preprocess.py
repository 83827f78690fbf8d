# SPDX-License-Identifier: Apache-2.0
"""From a rendered page to the canvas the networks read: plain bilinear resize and rectangular letterbox.

The networks were trained behind OpenCV's ``INTER_LINEAR``, which reads two neighbours a side even when it
shrinks (no anti-aliasing) and rounds in fixed point, so this does the same to the last grey level; a better
filter would show them unfamiliar pictures. Pictures are worked on plane by plane, ``(c, h, w)``, which is
several times faster in numpy than with the colours interleaved.
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

_ONE = np.float32(2048)
"""The share 1 in OpenCV's fixed point."""


@dataclass(frozen=True)
class Fit:
    """Where a page lies on its canvas; sizes are ``(height, width)`` in pixels.

    Attributes:
        page: Size of the rendered page.
        inner: Size of the page on the canvas, sides rounded to whole pixels.
        canvas: Size of the canvas, sides multiples of the stride where the profile's long side is one.
        top: Rows of padding above the page.
        left: Columns of padding left of the page.
    """

    page: tuple[int, int]
    inner: tuple[int, int]
    canvas: tuple[int, int]
    top: int
    left: int

    @property
    def scale(self) -> float:
        """Canvas pixels per page pixel, as the toolkit reads it off the two sizes."""
        return min(self.canvas[0] / self.page[0], self.canvas[1] / self.page[1])

    def to_canvas(self, boxes: Boxes) -> Boxes:
        """Page-pixel boxes ``(n, 4)`` on the canvas; undoes `to_page`."""
        return boxes * self.scale + self._shift()

    def to_page(self, boxes: Boxes) -> Boxes:
        """Canvas boxes ``(n, 4)`` in page pixels, clipped to the page."""
        height, width = self.page
        return np.clip((boxes - self._shift()) / self.scale, 0.0, [width, height, width, height])

    def _shift(self) -> Boxes:
        """The padding as the toolkit infers it from the unrounded page.

        Where the page was rounded to whole pixels this can miss the real padding by one. The reference is
        the tool as it is, so the miss is kept.
        """
        top, left = (
            round((canvas - page * self.scale) / 2 - 0.1)
            for canvas, page in zip(self.canvas, self.page, strict=True)
        )
        return np.array([left, top, left, top], dtype=np.float64)


def fit(height: int, width: int, long_side: int) -> Fit:
    """Largest fit into a square of ``long_side``, then only as much padding as the stride asks for.

    An odd pixel of padding goes below and to the right.
    """
    scale = min(long_side / height, long_side / width)
    inner = (max(1, round(height * scale)), max(1, round(width * scale)))
    spare = ((long_side - inner[0]) % STRIDE, (long_side - inner[1]) % STRIDE)
    canvas = (inner[0] + spare[0], inner[1] + spare[1])
    return Fit((height, width), inner, canvas, spare[0] // 2, spare[1] // 2)


def letterbox(pixels: Pixels, place: Fit) -> Canvas:
    """An RGB page ``(h, w, 3)`` on its canvas, ``(3, H, W)`` float32 in 0..1."""
    canvas = np.full((3, *place.canvas), PAD, dtype=np.float32)
    rows = slice(place.top, place.top + place.inner[0])
    columns = slice(place.left, place.left + place.inner[1])
    for channel in range(3):
        plane = np.ascontiguousarray(pixels[:, :, channel])
        canvas[channel, rows, columns] = plane if place.inner == place.page else resize(plane, *place.inner)
    canvas /= 255.0
    return canvas


def resize(plane: Pixels, height: int, width: int) -> npt.NDArray[np.int32]:
    """One uint8 plane ``(h, w)`` at a new size, with OpenCV's fixed-point arithmetic.

    Shares are kept in 11 bits; 4 bits are dropped after the columns were mixed, 16 after each row was
    weighted, and the last two with rounding. Each number fits in 32 bits.
    """
    columns, rows = _taps(plane.shape[1], width), _taps(plane.shape[0], height)
    mixed = _weighted(plane.take(columns.low, axis=1), columns.fixed_low())
    mixed += _weighted(plane.take(columns.high, axis=1), columns.fixed_high())
    mixed >>= 4
    result = _weighted(mixed[rows.low], rows.fixed_low()[:, None]) >> 16
    result += _weighted(mixed[rows.high], rows.fixed_high()[:, None]) >> 16
    result += 2
    result >>= 2
    return result


def bilinear(canvas: Canvas, height: int, width: int) -> Canvas:
    """Float planes ``(c, h, w)`` at a new size; pixel centres at halves, edges repeated."""
    rows, columns = _taps(canvas.shape[1], height), _taps(canvas.shape[2], width)
    mixed = _mixed(canvas.take(rows.low, axis=1), canvas.take(rows.high, axis=1), rows.share[:, None])
    return _mixed(mixed.take(columns.low, axis=2), mixed.take(columns.high, axis=2), columns.share)


@dataclass(frozen=True)
class _Taps:
    """The two source pixels of each target pixel along one side, and the share of the second."""

    low: npt.NDArray[np.intp]
    high: npt.NDArray[np.intp]
    share: Canvas

    def fixed_low(self) -> npt.NDArray[np.int32]:
        return _fixed(1 - self.share)

    def fixed_high(self) -> npt.NDArray[np.int32]:
        return _fixed(self.share)


def _fixed(share: Canvas) -> npt.NDArray[np.int32]:
    rounded: npt.NDArray[np.int32] = np.rint(share * _ONE).astype(np.int32)
    return rounded


def _taps(source: int, target: int) -> _Taps:
    centre = ((np.arange(target) + 0.5) * (source / target) - 0.5).astype(np.float32)
    centre = np.clip(centre, 0, source - 1)
    low = np.floor(centre).astype(np.intp)
    return _Taps(low, np.minimum(low + 1, source - 1), (centre - low).astype(np.float32))


def _weighted(plane: npt.NDArray[np.generic], weight: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    product = plane.astype(np.int32)
    product *= weight
    return product


def _mixed(near: Canvas, far: Canvas, share: Canvas) -> Canvas:
    """``near * (1 - share) + far * share``, in the memory of the two."""
    far -= near
    far *= share
    near += far
    return near
