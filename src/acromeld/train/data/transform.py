# SPDX-License-Identifier: Apache-2.0
"""The one geometric transform that raster, boxes and structure of a page share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from acromeld.detect.acromeld.canvas import Placement
from acromeld.geometry import Letterbox
from acromeld.train.data.augment import from_image, to_image

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.contract import Canvases
    from acromeld.train.data.augment import Range
    from acromeld.train.data.record import PageRecord

    Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Transform:
    """Where a page goes on its canvas.

    Attributes:
        place: The way of boxes and tokens to the canvas and back.
        factor: Canvas pixels per pixel of the cached raster.
        corner: ``(x, y)`` canvas pixel of the raster's first pixel.
    """

    place: Placement
    factor: float
    corner: tuple[int, int]


def as_detected(record: PageRecord, canvases: Canvases) -> Transform:
    """The detector's own letterbox: largest, centred."""
    return Transform(Placement.of_page(*record.size, canvases), 1.0, record.corner)


def drawn(
    record: PageRecord, shape: tuple[int, int], canvases: Canvases, scale: Range, rng: np.random.Generator
) -> Transform:
    """A smaller page somewhere in its letterbox, never cropped.

    Args:
        record: The page.
        shape: ``(h, w)`` of its raster, which may not have been read.
        canvases: Of the contract.
        scale: Range of the factor; the paper's is 0.92 to 1.00.
        rng: Source of the three draws.
    """
    place = Placement.of_page(*record.size, canvases)
    factor = rng.uniform(*scale)
    height, width = (math.floor(side * factor) for side in shape)
    x = int(rng.integers(0, max(place.canvas[1] - width, 0) + 1))
    y = int(rng.integers(0, max(place.canvas[0] - height, 0) + 1))
    # The page begins a fraction of a pixel into its raster; that fraction shrinks with it.
    left = x + factor * (place.fit.left - record.corner[0])
    top = y + factor * (place.fit.top - record.corner[1])
    fit = Letterbox(place.fit.scale * factor, left, top)
    return Transform(Placement(place.page, place.canvas, fit), factor, (x, y))


def raster_shape(record: PageRecord, canvases: Canvases) -> tuple[int, int]:
    """``(h, w)`` of the cached raster of a page, from its size alone."""
    place = Placement.of_page(*record.size, canvases)
    right = math.ceil(round(place.fit.left + place.page[0] * place.fit.scale, 6))
    bottom = math.ceil(round(place.fit.top + place.page[1] * place.fit.scale, 6))
    return bottom - record.corner[1], right - record.corner[0]


def resampled(pixels: Pixels, factor: float) -> Pixels:
    """The raster at a factor of its size by area averaging, as the detector makes its canvases.

    The scale is exact: what would be a fraction of a pixel at the far edges is left out instead of stretched.
    """
    if factor == 1.0:
        return pixels
    height, width = (math.floor(side * factor) for side in pixels.shape[1:])
    source = (0.0, 0.0, min(width / factor, pixels.shape[2]), min(height / factor, pixels.shape[1]))
    return from_image(to_image(pixels).resize((width, height), Image.Resampling.BOX, box=source))


def on_canvas(pixels: Pixels, transform: Transform) -> Pixels:
    """Pixels ``(C, h, w)`` pasted on a white canvas ``(C, H, W)``."""
    canvas = np.full((len(pixels), *transform.place.canvas), 255, dtype=np.uint8)
    x, y = transform.corner
    canvas[:, y : y + pixels.shape[1], x : x + pixels.shape[2]] = pixels
    return canvas
