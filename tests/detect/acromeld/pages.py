# SPDX-License-Identifier: Apache-2.0
"""Made-up pages for the AcroMELD detector: a ruled line with a label, with a picture that shows it."""

from __future__ import annotations

import numpy as np

from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, ShapeKind, Shapes, Words


def frame(width: float = 600.0, height: float = 800.0) -> PageFrame:
    return PageFrame((0.0, 0.0, width, height))


def ruled() -> Primitives:
    """The word "Name:" and a rule to the right of it."""
    yes, no = np.array([True]), np.array([False])
    words = Words(
        np.array([[50.0, 90.0, 90.0, 101.0]]), ("Name:",), np.array([10.0]), np.array([400.0]), yes, no, yes
    )
    one = np.array([1], dtype=np.int32)
    shapes = Shapes(
        np.array([ShapeKind.LINE], dtype=np.int8),
        np.array([[95.0, 100.0, 400.0, 100.0]]),
        np.array([1.0]),
        no,
        np.array([1.0]),
        np.array([0.0]),
        one,
        0 * one,
        no,
    )
    return Primitives(words, shapes)


def picture(scale: float = 2.0, width: float = 600.0, height: float = 800.0) -> Raster:
    """White, with a black block at 100..200 x 300..350 points and the rule of `ruled`."""
    pixels = np.full((round(height * scale), round(width * scale)), 255, dtype=np.uint8)
    pixels[round(300 * scale) : round(350 * scale), round(100 * scale) : round(200 * scale)] = 0
    pixels[round(99.5 * scale) : round(100.5 * scale), round(95 * scale) : round(400 * scale)] = 0
    return Raster(pixels, scale)


def page(index: int = 0, primitives: Primitives | None = None, raster: Raster | None = None) -> Page:
    return Page(index, frame(), raster, primitives)
