# SPDX-License-Identifier: Apache-2.0
"""A clean page as a scanner or a fax would have seen it.

Blur, contrast and brightness, sensor noise and JPEG, in the order light, sensor and file meet them. Geometry
is never touched: no rotation, no crop, so boxes stay true.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter

if TYPE_CHECKING:
    import numpy.typing as npt

    Pixels = npt.NDArray[np.uint8]
    Floats = npt.NDArray[np.float32]

BLUR = (0.3, 1.3)
"""Standard deviation of the Gaussian blur in pixels (approximated by box blurs, as Pillow does it)."""
CONTRAST = (0.75, 1.1)
"""Factor around mid grey."""
BRIGHTNESS = (-18.0, 12.0)
"""Added after the contrast, in grey levels."""
NOISE = (1.0, 9.0)
"""Standard deviation of the sensor noise in grey levels."""
JPEG_QUALITY = (25, 85)
"""Quality of the JPEG round trip, both ends included."""


@dataclass(frozen=True)
class Degradation:
    """Parameters of one degradation; the ranges above say where they are drawn from."""

    blur: float
    contrast: float
    brightness: float
    noise: float
    quality: int

    @classmethod
    def sample(cls, rng: np.random.Generator) -> Degradation:
        """Draw each parameter uniformly within its range."""
        return cls(
            blur=float(rng.uniform(*BLUR)),
            contrast=float(rng.uniform(*CONTRAST)),
            brightness=float(rng.uniform(*BRIGHTNESS)),
            noise=float(rng.uniform(*NOISE)),
            quality=int(rng.integers(JPEG_QUALITY[0], JPEG_QUALITY[1] + 1)),
        )


def degrade(pixels: Pixels, rng: np.random.Generator) -> Pixels:
    """A degraded copy of ``(h, w)`` grey or ``(h, w, 3)`` RGB pixels, same shape, uint8."""
    how = Degradation.sample(rng)
    light = _blurred(pixels, how.blur)
    light = (light - 127.5) * how.contrast + 127.5 + how.brightness
    # One noise plane for all channels: scanners of text vary in luminance far more than in colour.
    noise = rng.standard_normal(pixels.shape[:2], dtype=np.float32) * how.noise
    light += noise if pixels.ndim == 2 else noise[:, :, None]
    return _jpeg(np.clip(np.rint(light), 0, 255).astype(np.uint8), how.quality)


def _blurred(pixels: Pixels, sigma: float) -> Floats:
    blurred = Image.fromarray(pixels).filter(ImageFilter.GaussianBlur(sigma))
    return np.asarray(blurred, dtype=np.float32)


def _jpeg(pixels: Pixels, quality: int) -> Pixels:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "JPEG", quality=quality)
    buffer.seek(0)
    with Image.open(buffer) as image:
        return np.array(image, dtype=np.uint8)
