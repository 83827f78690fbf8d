# SPDX-License-Identifier: Apache-2.0
"""What may happen to a training page, and nothing else (paper, "Augmentation and missing structure").

A page may be scaled by 0.92 to 1.00 and moved within its letterbox; then brightness and contrast, blur, JPEG
and sensor noise. Beyond the paper, strokes may become thicker or thinner, as a scanner's threshold makes
them, and the lower part of a page may be that of another (`splice`). Flips, mosaics, mixup, crops and
rotations are left out because they change what a form says or remove fields. The paper gives no strengths for
the photometric part; ours are those of a tolerable scan.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageFilter
from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    import numpy.typing as npt

    Pixels = npt.NDArray[np.uint8]

Range = tuple[float, float]


class Augmentation(BaseModel):
    """Ranges and probabilities of one augmentation; the scale is the paper's, the rest is ours.

    Attributes:
        scale: Factor on the letterbox scale.
        tone: Probability of a change of brightness and contrast.
        brightness: Added, in grey levels.
        contrast: Factor around mid grey.
        blur: Probability of a Gaussian blur.
        blur_sigma: Its standard deviation in pixels.
        jpeg: Probability of a JPEG round trip.
        jpeg_quality: Its quality, both ends included.
        noise: Probability of sensor noise.
        noise_sigma: Its standard deviation in grey levels.
        stroke: Probability of thicker or thinner strokes; left out of the JSON where it is zero.
        stroke_share: How far towards strokes that are a pixel wider on every side (or, below zero, narrower).
        splice: Probability that the lower part is that of another real page; likewise left out.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scale: Range = (0.92, 1.0)
    tone: float = 0.5
    brightness: Range = (-20.0, 15.0)
    contrast: Range = (0.8, 1.15)
    blur: float = 0.2
    blur_sigma: Range = (0.3, 1.0)
    jpeg: float = 0.2
    jpeg_quality: tuple[int, int] = (35, 90)
    noise: float = 0.25
    noise_sigma: Range = (1.0, 8.0)
    stroke: float = Field(default=0.0, exclude_if=lambda share: not share)
    stroke_share: Range = Field(default=(-0.5, 0.6), exclude_if=lambda share: share == (-0.5, 0.6))
    splice: float = Field(default=0.0, exclude_if=lambda share: not share)


def photometric(pixels: Pixels, how: Augmentation, rng: np.random.Generator) -> Pixels:
    """A degraded copy of ``(C, h, w)`` pixels; every draw is made whether it is used or not.

    The number of random values a page consumes is thus always the same, and a changed probability does not
    change what the other steps do. Strokes, which came later, draw only where there are any.
    """
    use = rng.random(4)
    brightness, contrast = rng.uniform(*how.brightness), rng.uniform(*how.contrast)
    sigma, strength = rng.uniform(*how.blur_sigma), rng.uniform(*how.noise_sigma)
    quality = int(rng.integers(how.jpeg_quality[0], how.jpeg_quality[1] + 1))
    if how.stroke and rng.random() < how.stroke:
        pixels = stroked(pixels, rng.uniform(*how.stroke_share))
    if use[0] < how.tone:
        pixels = toned(pixels, brightness, contrast)
    if use[1] < how.blur:
        pixels = _filtered(pixels, ImageFilter.GaussianBlur(sigma))
    if use[2] < how.jpeg:
        pixels = jpeg(pixels, quality)
    if use[3] < how.noise:
        pixels = noisy(pixels, strength, rng)
    return pixels


def stroked(pixels: Pixels, share: float) -> Pixels:
    """Strokes wider (above zero) or narrower by a share of a pixel on every side."""
    kernel = ImageFilter.MinFilter(3) if share > 0 else ImageFilter.MaxFilter(3)
    changed = to_image(_filtered(pixels, kernel))
    return from_image(Image.blend(to_image(pixels), changed, abs(share)))


def toned(pixels: Pixels, brightness: float, contrast: float) -> Pixels:
    """Brightness and contrast through a table of the 256 levels."""
    level = (np.arange(256, dtype=np.float32) - 127.5) * contrast + 127.5 + brightness
    table: Pixels = np.clip(np.rint(level), 0, 255).astype(np.uint8)
    return np.take(table, pixels)


def noisy(pixels: Pixels, sigma: float, rng: np.random.Generator) -> Pixels:
    """One plane of luminance noise for all channels, as sensors have it."""
    # Small integers from one byte each: four of them add up to something close enough to a normal.
    plane = rng.integers(-64, 64, size=(4, *pixels.shape[1:]), dtype=np.int8).sum(axis=0, dtype=np.int16)
    scaled = np.rint(plane * np.float32(sigma / 73.9)).astype(np.int16)
    noisy_pixels: Pixels = np.clip(pixels.astype(np.int16) + scaled, 0, 255).astype(np.uint8)
    return noisy_pixels


def jpeg(pixels: Pixels, quality: int) -> Pixels:
    """A round trip through JPEG."""
    buffer = io.BytesIO()
    to_image(pixels).save(buffer, "JPEG", quality=quality)
    with Image.open(buffer) as image:
        return from_image(image)


def _filtered(pixels: Pixels, kernel: ImageFilter.Filter) -> Pixels:
    return from_image(to_image(pixels).filter(kernel))


def to_image(pixels: Pixels) -> Image.Image:
    """``(1, h, w)`` as a grey, ``(3, h, w)`` as a colour picture."""
    return Image.fromarray(pixels[0] if len(pixels) == 1 else np.ascontiguousarray(pixels.transpose(1, 2, 0)))


def from_image(image: Image.Image) -> Pixels:
    """``(C, h, w)`` pixels of a picture."""
    pixels = np.asarray(image)
    return pixels[None] if pixels.ndim == 2 else np.ascontiguousarray(pixels.transpose(2, 0, 1))
