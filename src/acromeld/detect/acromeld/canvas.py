# SPDX-License-Identifier: Apache-2.0
"""A page on its canvas: one letterbox for the picture, the tokens, the targets and the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import Letterbox

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.contract import Canvases
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Raster

    Pixels = npt.NDArray[np.uint8]

_WHITE = 255


@dataclass(frozen=True)
class Placement:
    """Where a page of ``(width, height)`` displayed points lies on its ``(height, width)`` canvas."""

    page: tuple[float, float]
    canvas: tuple[int, int]
    fit: Letterbox

    @classmethod
    def of_page(cls, width: float, height: float, canvases: Canvases) -> Placement:
        """The largest centred fit on the canvas for pages of this shape."""
        canvas = canvases.for_page(width, height)
        return cls((width, height), canvas, Letterbox.fit((width, height), (canvas[1], canvas[0])))

    @property
    def _sides(self) -> Floats:
        height, width = self.canvas
        return np.array([width, height, width, height], dtype=np.float64)

    def to_canvas(self, boxes: Boxes) -> npt.NDArray[np.float32]:
        """Page boxes ``(n, 4)`` in points as shares of the canvas, cut to it."""
        return np.clip(self.fit.to_canvas(boxes) / self._sides, 0.0, 1.0).astype(np.float32)

    def to_page(self, boxes: npt.NDArray[np.float32]) -> Boxes:
        """Boxes ``(n, 4)`` as shares of the canvas in points, cut to the page."""
        points = self.fit.to_page(boxes.astype(np.float64) * self._sides)
        return np.clip(points, 0.0, self.page * 2)


def draw(raster: Raster | None, place: Placement, channels: int) -> Pixels:
    """The picture of a page on its canvas, ``(channels, height, width)``, white around and without a picture.

    Every canvas pixel is the mean of the raster under it, whatever the raster's scale, so that the picture
    lies exactly where the boxes say, fractions of a pixel included.
    """
    height, width = place.canvas
    canvas = np.full((channels, height, width), _WHITE, dtype=np.uint8)
    if raster is None or raster.pixels.size == 0:
        return canvas
    ratio = raster.scale / place.fit.scale
    for channel, plane in enumerate(_planes(raster.pixels, channels)):
        # Averaging the darkness makes what lies beyond the raster white.
        dark = _average_rows(np.float32(_WHITE) - plane, height, place.fit.top, ratio)
        dark = _average_rows(np.ascontiguousarray(dark.T), width, place.fit.left, ratio)
        canvas[channel] = np.rint(_WHITE - dark).astype(np.uint8).T
    return canvas


def _planes(pixels: Pixels, channels: int) -> list[Pixels]:
    """The wanted number of ``(h, w)`` planes, whether the raster is grey or colour."""
    if pixels.ndim == 2:
        return [pixels] * channels
    if channels == 1:
        return [pixels.mean(axis=2, dtype=np.float32).astype(np.uint8)]
    return [pixels[:, :, channel] for channel in range(channels)]


def _average_rows(
    image: npt.NDArray[np.float32], count: int, start: float, ratio: float
) -> npt.NDArray[np.float32]:
    """``count`` rows of which row r is the mean of rows ``(r - start) * ratio`` to one ``ratio`` further.

    Rows beyond the image ``(n, m)`` count as zero; the result is ``(count, m)``.
    """
    edges = (np.arange(count + 1) - start) * ratio
    first = np.floor(edges[:-1]).astype(np.intp)
    out = np.zeros((count, image.shape[1]), dtype=np.float32)
    part = np.empty_like(out)
    for step in range(int(np.ceil(ratio)) + 1):
        row = first + step
        share = np.minimum(edges[1:], row + 1) - np.maximum(edges[:-1], row)
        share[(row < 0) | (row >= len(image))] = 0.0
        # One buffer for all steps: fresh memory would cost more than the arithmetic.
        np.take(image, row, axis=0, out=part, mode="clip")
        part *= (np.maximum(share, 0.0) / ratio).astype(np.float32)[:, None]
        out += part
    return out
