# SPDX-License-Identifier: Apache-2.0
"""The slope of pages drawn at known angles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from acromeld.detect.level import moved_pixels
from acromeld.pdf.page import Raster
from acromeld.structure.skew import STEEPEST, Skew, skew
from tests.structure.test_inferred import blank, box, word


def printed() -> np.ndarray:
    """Lines of words and a table."""
    pixels = blank(1000, 800)
    for y in range(60, 500, 30):
        x = 60
        while x < 640:
            x = word(pixels, x, y, letters=3 + (x * y) % 5) + 14
    for y in range(560, 900, 40):
        box(pixels, 60, y, 700, y + 42)
    return pixels


def askew(pixels: np.ndarray, slope: float) -> Raster:
    """Turned clockwise so that level lines slope down to the right."""
    degrees = -np.degrees(np.arctan(slope))
    return Raster(
        np.asarray(Image.fromarray(pixels).rotate(degrees, Image.Resampling.BICUBIC, fillcolor=255)), 1.3
    )


@settings(deadline=None, max_examples=12)
@given(st.floats(-0.06, 0.06))
def test_the_slope_is_found_to_a_pixel_across_the_page(slope):
    found = skew(askew(printed(), slope))
    assert (found.level, found.upright) == pytest.approx((slope, slope), abs=0.0013)


def test_a_straight_page_is_exactly_straight():
    assert skew(Raster(printed(), 1.3)) == Skew()


@pytest.mark.parametrize("turn", [1, 3])
def test_a_page_that_lies_sideways_tells_as_well(turn):
    pixels = np.rot90(printed(), turn)
    found = skew(askew(pixels, 0.03))
    assert (found.level, found.upright) == pytest.approx((0.03, 0.03), abs=0.0015)


def test_colour_and_grey_paper_make_no_difference():
    grey = askew(np.minimum(printed(), 215), -0.02)
    colour = Raster(np.repeat(grey.pixels[:, :, None], 3, axis=2), grey.scale)
    assert skew(colour) == skew(grey)
    assert skew(grey).level == pytest.approx(-0.02, abs=0.0015)


def test_blank_and_speckled_paper_says_nothing():
    assert skew(Raster(blank(), 1.0)) == Skew()
    assert skew(Raster(np.zeros((0, 0), dtype=np.uint8), 1.0)) == Skew()
    rng = np.random.default_rng(5)
    assert skew(Raster(rng.integers(0, 256, (900, 700)).astype(np.uint8), 1.0)) == Skew()


def test_a_page_steeper_than_is_searched_is_not_made_worse():
    assert skew(askew(printed(), 4 * STEEPEST)).steepest <= STEEPEST + 0.005


def test_a_bent_page_has_level_lines_askew_and_upright_ones_upright():
    pixels = moved_pixels(printed(), Skew(level=0.02, upright=0.0).matrix())
    found = skew(Raster(pixels, 1.3))
    assert (found.level, found.upright) == pytest.approx((0.02, 0.0), abs=0.0015)
