# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.pdf.frame import PageFrame
from acromeld.pdf.limits import Limits
from acromeld.pdf.raster import fitting_scale
from tests.pdf.drawn import drawn, read

RED = "1 0 0 rg 0 0 200 150 re f"


def test_grey():
    raster = read(drawn(RED), raster_long_side=300).raster
    assert (raster.pixels.shape, raster.pixels.dtype) == ((300, 200), np.uint8)
    assert raster.scale == 1
    assert raster.pixels[10, 10] == 255
    assert 30 < raster.pixels[290, 10] < 120


def test_colour_is_red_green_blue():
    raster = read(drawn(RED), raster_long_side=600, colour=True).raster
    assert raster.pixels.shape == (600, 400, 3)
    assert raster.pixels[590, 10].tolist() == [255, 0, 0]
    assert raster.pixels[10, 10].tolist() == [255, 255, 255]


def test_nothing_is_read_that_is_not_needed():
    page = read(drawn(RED), primitives=False)
    assert page.raster is page.primitives is None
    assert read(drawn(RED)).raster is None


def test_the_pixel_limit_lowers_the_scale():
    page = read(drawn(RED), raster_long_side=3_000, limits=Limits(raster_pixels=60_000))
    assert page.raster.pixels.shape == (300, 200)
    assert page.raster.scale == pytest.approx(1)


@pytest.mark.parametrize("size", [(8, 14_400), (14_400, 14_400), (8, 8)])
def test_extreme_pages_stay_within_the_pixel_limit(size):
    frame = PageFrame((0, 0, *size))
    scale = fitting_scale(frame, 2_048, Limits())
    assert frame.width * frame.height * scale**2 <= Limits().raster_pixels * 1.001
    assert max(size) * scale <= 2_048 * 1.001


@pytest.mark.parametrize("size", [(7.9, 100), (100, 14_401)])
def test_pages_beyond_the_limits_are_skipped_with_a_note(size):
    page = read(drawn("", MediaBox=[0, 0, *size]), raster_long_side=100)
    assert page.raster is page.primitives is None
    (note,) = page.notes
    assert note.startswith("Page 1 is ")
    assert note.endswith("outside the limits, and was skipped.")
