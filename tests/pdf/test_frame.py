# SPDX-License-Identifier: Apache-2.0
"""The page as displayed: our arithmetic, and where PDFium puts the ink."""

import io
import itertools

import numpy as np
import pikepdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pikepdf import Array

from acromeld.pdf.frame import LETTER, PageFrame, visible_region
from tests.pdf.drawn import drawn, ink_box, read, saved

coordinates = st.floats(-2_000, 2_000)
frames = st.builds(
    lambda x, y, w, h, rotation, unit: PageFrame((x, y, x + w, y + h), rotation, unit),
    coordinates,
    coordinates,
    st.floats(1, 3_000),
    st.floats(1, 3_000),
    st.sampled_from([0, 90, 180, 270]),
    st.floats(0.1, 20),
)
boxes = st.lists(st.tuples(coordinates, coordinates, coordinates, coordinates), min_size=1, max_size=5)


def ordered(corners):
    box = np.array(corners)
    return np.hstack([np.minimum(box[:, :2], box[:, 2:]), np.maximum(box[:, :2], box[:, 2:])])


@given(frames, boxes)
def test_there_and_back(frame, corners):
    box = ordered(corners)
    np.testing.assert_allclose(frame.to_pdf(frame.to_display(box)), box, atol=1e-6)
    np.testing.assert_allclose(frame.to_display(frame.to_pdf(box)), box, atol=1e-6)


@given(frames, boxes)
def test_displayed_boxes_are_ordered_whatever_the_corners(frame, corners):
    shown = frame.to_display(np.array(corners))
    assert (shown[:, :2] <= shown[:, 2:]).all()
    np.testing.assert_allclose(shown, frame.to_display(ordered(corners)))


@given(frames)
def test_the_visible_region_fills_the_displayed_page(frame):
    shown = frame.to_display(np.array([frame.crop]))[0]
    np.testing.assert_allclose(shown, [0, 0, frame.width, frame.height], atol=1e-6)


RECTANGLE = (70, 110, 90, 150)
DRAW = "70 110 20 40 re f"
CROPS = [None, (30, 50, 180, 260), (-50, -20, 400, 290), (50.5, 60.25, 150.75, 200.5)]


def assert_ink_where_the_frame_says(data, rectangle=RECTANGLE):
    page = read(data, raster_long_side=600)
    wanted = page.frame.to_display(np.array([rectangle], dtype=float))[0]
    np.testing.assert_allclose(ink_box(page.raster), wanted, atol=1.01 / page.raster.scale)
    found = page.primitives.shapes.box[0]
    np.testing.assert_allclose(found, wanted, atol=0.01)
    height, width = page.raster.pixels.shape
    np.testing.assert_allclose(
        [width, height], np.array([page.width, page.height]) * page.raster.scale, atol=1
    )


@pytest.mark.parametrize(
    ("rotation", "crop", "unit"), list(itertools.product([0, 90, 180, 270], CROPS, [None, 2.5]))
)
def test_pdfium_puts_the_ink_where_the_frame_says(rotation, crop, unit):
    entries = {"Rotate": rotation}
    if crop:
        entries["CropBox"] = Array(crop)
    if unit:
        entries["UserUnit"] = unit
    assert_ink_where_the_frame_says(drawn(DRAW, **entries))


@pytest.mark.parametrize("rotation", [-90, -270, 450, 720, 45, 135, 91, -1, 90.0])
def test_odd_rotations(rotation):
    data = drawn(DRAW, Rotate=rotation)
    turn = int(rotation % 360) if rotation % 90 == 0 else 0
    assert read(data).frame.rotation == turn
    assert_ink_where_the_frame_says(data)


ODD = {
    "inverted media box": ({"MediaBox": Array([200, 300, 0, 0])}, (0, 0, 200, 300)),
    "media box away from the origin": ({"MediaBox": Array([40, 60, 240, 400])}, (40, 60, 240, 400)),
    "inverted crop box": ({"CropBox": Array([180, 260, 30, 50])}, (30, 50, 180, 260)),
    "crop box outside the page": ({"CropBox": Array([900, 900, 999, 999])}, (0, 0, 200, 300)),
    "crop box without area": ({"CropBox": Array([50, 50, 50, 80])}, (0, 0, 200, 300)),
    "crop box of three numbers": ({"CropBox": Array([50, 50, 80])}, (0, 0, 200, 300)),
    "crop box of words": ({"CropBox": pikepdf.Name("/All")}, (0, 0, 200, 300)),
    "crop box larger than the page": ({"CropBox": Array([-99, -99, 999, 999])}, (0, 0, 200, 300)),
    "unit of zero": ({"UserUnit": 0}, (0, 0, 200, 300)),
    "negative unit": ({"UserUnit": -3}, (0, 0, 200, 300)),
    "media box without area": ({"MediaBox": Array([0, 0, 0, 0])}, LETTER),
    "media box of three numbers": ({"MediaBox": Array([0, 0, 200])}, LETTER),
}


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize(("entries", "visible"), ODD.values(), ids=ODD.keys())
def test_odd_boxes(entries, visible, rotation):
    data = drawn(DRAW, Rotate=rotation, **entries)
    frame = read(data).frame
    assert frame.crop == visible
    assert frame.user_unit == 1
    assert_ink_where_the_frame_says(data)


def test_a_missing_media_box_is_letter_paper():
    pdf = pikepdf.open(io.BytesIO(drawn(DRAW)))
    del pdf.pages[0].obj["/MediaBox"]
    data = saved(pdf)
    assert read(data).frame.crop == LETTER
    assert_ink_where_the_frame_says(data)


def test_boxes_and_rotation_are_inherited():
    pdf = pikepdf.open(io.BytesIO(drawn(DRAW)))
    page, tree = pdf.pages[0].obj, pdf.Root.Pages
    del page["/MediaBox"]
    tree["/MediaBox"], tree["/CropBox"], tree["/Rotate"] = (
        Array([0, 0, 150, 250]),
        Array([10, 20, 140, 240]),
        270,
    )
    data = saved(pdf)
    assert read(data).frame == PageFrame((10, 20, 140, 240), 270)
    assert_ink_where_the_frame_says(data)


def test_boxes_that_are_not_finite_are_no_boxes():
    nan, inf = float("nan"), float("inf")
    assert visible_region((0, 0, inf, 10), None) == LETTER
    assert visible_region((0, 0, 50, 60), (0, nan, 10, 10)) == (0, 0, 50, 60)
