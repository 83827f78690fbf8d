# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.pdf.limits import Limits
from acromeld.pdf.page import ShapeKind
from tests.pdf.drawn import Form, drawn, ink_box, primitives, read

LINE, RECT, PATH, IMAGE = ShapeKind


def shapes(content, **options):
    return primitives(content, **options).shapes


def only(content, **options):
    found = shapes(content, **options)
    assert len(found) == 1
    return {name: column[0] for name, column in vars(found).items()}


def test_a_line():
    one = only("2 w 20 100 m 120 100 l S")
    assert one["kind"] == LINE
    assert one["box"].tolist() == [20, 200, 120, 200]
    assert (one["stroke"], one["ink"], one["filled"], one["dashed"]) == (2, 0, False, False)
    assert (one["segments"], one["curves"]) == (1, 0)


@pytest.mark.parametrize(
    "content", ["20 100 100 0.7 re f", "20 100 m 120 100 l 120 100.7 l 20 100.7 l h f", "20 100 0.7 90 re f*"]
)
def test_a_thin_filled_rectangle_is_a_line(content):
    one = only(content)
    assert one["kind"] == LINE
    assert one["filled"]
    assert one["stroke"] == 0


@pytest.mark.parametrize(
    ("paint", "stroked", "filled"),
    [("S", True, False), ("s", True, False), ("f", False, True), ("B", True, True)],
)
@pytest.mark.parametrize(
    "path",
    [
        "20 100 60 30 re",
        "20 100 m 80 100 l 80 130 l 20 130 l h",
        "20 100 m 80 100 l 80 130 l 20 130 l 20 100 l",
    ],
)
def test_a_rectangle(path, paint, stroked, filled):
    one = only(f"{path} {paint}")
    assert one["kind"] == RECT
    assert one["box"] == pytest.approx([20, 170, 80, 200])
    assert (one["stroke"] > 0, one["filled"]) == (stroked, filled)


def test_a_grid_as_one_path_is_its_lines():
    across = " ".join(f"20 {y} m 120 {y} l" for y in (100, 120, 140))
    down = " ".join(f"{x} 100 m {x} 140 l" for x in (20, 70, 120))
    found = shapes(f"{across} {down} S")
    assert found.kind.tolist() == [LINE] * 6
    assert found.box[:3, 1].tolist() == [200, 180, 160]
    assert found.box[3:, 0].tolist() == [20, 70, 120]


def test_many_rectangles_in_one_path_stay_apart():
    found = shapes(" ".join(f"{x} 100 10 10 re" for x in (20, 40, 60)) + " S")
    assert found.kind.tolist() == [RECT] * 3
    assert found.box[:, 0].tolist() == [20, 40, 60]


def test_an_axis_aligned_polyline_is_taken_apart():
    found = shapes("20 100 m 60 100 l 60 140 l 100 140 l 100 180 l 20 180 l S")
    assert found.kind.tolist() == [LINE] * 5
    assert found.segments.tolist() == [1] * 5
    assert found.box[1].tolist() == [60, 160, 60, 200]
    assert (found.stroke == 1).all()


def test_a_closed_polyline_has_its_closing_side():
    found = shapes("20 100 m 60 100 l 60 140 l 100 140 l 100 180 l 20 180 l s")
    assert len(found) == 6
    assert [20, 120, 20, 200] in found.box.tolist()


def test_content_order_is_kept_around_a_polyline():
    found = shapes("5 5 20 20 re S 20 100 m 60 100 l 60 140 l 90 140 l S 150 5 20 20 re S")
    assert found.kind.tolist() == [RECT, LINE, LINE, LINE, RECT]


def test_an_open_corner_is_two_lines_and_no_box():
    assert shapes("20 100 m 60 100 l 60 140 l S").kind.tolist() == [LINE, LINE]


def test_curves_and_slants_are_paths():
    circle = only(
        "50 100 m 50 111 41 120 30 120 c 19 120 10 111 10 100 c 10 89 19 80 30 80 c 41 80 50 89 50 100 c S"
    )
    assert (circle["kind"], circle["curves"], circle["segments"]) == (PATH, 4, 4)
    assert circle["box"] == pytest.approx([10, 180, 50, 220])
    assert only("20 100 m 80 160 l S")["kind"] == PATH
    assert only("20 100 m 80 160 l 90 20 l f")["kind"] == PATH


def test_dashes():
    assert only("[3 2] 0 d 20 100 m 120 100 l S")["dashed"]
    assert not only("[] 0 d 20 100 m 120 100 l S")["dashed"]


def test_a_hairline_has_a_width():
    assert only("0 w 20 100 m 120 100 l S")["stroke"] == pytest.approx(0.1)


def test_images_fill_their_unit_square():
    one = only("q 60 0 0 40 20 100 cm /Im Do Q")
    assert one["kind"] == IMAGE
    assert one["box"] == pytest.approx([20, 160, 80, 200])
    turned = only("q 0 60 -40 0 80 100 cm /Im Do Q")
    assert turned["box"] == pytest.approx([40, 140, 80, 200])


@pytest.mark.parametrize(
    "content", ["20 100 60 30 re W n", "20 100 60 30 re n", "q 0 0 9 9 re W* n Q", "20 20 m S", ""]
)
def test_what_paints_nothing_is_no_shape(content):
    assert len(shapes(content)) == 0


@pytest.mark.parametrize(
    ("colour", "luminance"),
    [("0 g", 0.0), ("1 g", 1.0), ("0.5 g", 0.5), ("1 0 0 rg", 0.299), ("0 0 0 0 k", 1.0), ("0 0 0 1 k", 0.1)],
)
def test_fill_luminance(colour, luminance):
    one = only(f"{colour} 20 100 60 30 re f")
    assert one["fill"] == pytest.approx(luminance, abs=0.1)
    assert one["ink"] == 1
    assert one["filled"]


def test_stroke_luminance_and_transparency():
    one = only("0.8 G 20 100 60 30 re S")
    assert one["ink"] == pytest.approx(0.8, abs=0.01)
    assert one["fill"] == 1
    assert only("/Half gs 20 100 60 30 re f")["fill"] == pytest.approx(0.5, abs=0.01)
    assert len(shapes("/Clear gs 20 100 60 30 re B")) == 0


BOX = "10 10 30 20 re f"
NESTED = {
    "shifted": Form("/Y Do", (1, 0, 0, 1, 30, 50), forms={"Y": Form(BOX, (1, 0, 0, 1, 5, 6))}),
    "scaled": Form("q 2 0 0 3 0 0 cm /Y Do Q", (1, 0, 0, 1, 30, 50), forms={"Y": Form(BOX)}),
    "turned": Form("/Y Do", (0, 1, -1, 0, 120, 40), forms={"Y": Form(BOX, (1.5, 0, 0, 1.5, 9, 9))}),
    "turned twice": Form(
        "q 0 1 -1 0 80 0 cm /Y Do Q", (0, -1, 1, 0, 50, 200), forms={"Y": Form(BOX, (0, 1, -1, 0, 50, 10))}
    ),
    "flipped": Form("/Y Do", (1, 0, 0, -1, 0, 250), forms={"Y": Form(BOX, (-1, 0, 0, 1, 100, 20))}),
    "slanted": Form("/Y Do", (0.8, 0.6, -0.6, 0.8, 80, 40), forms={"Y": Form(BOX, (1, 0, 0, 1, 20, 20))}),
}


@pytest.mark.parametrize("rotation", [0, 90])
@pytest.mark.parametrize("form", NESTED.values(), ids=NESTED.keys())
def test_shapes_in_nested_forms_are_where_their_ink_is(form, rotation):
    data = drawn("q 1.2 0 0 1.2 4 8 cm /X Do Q", forms={"X": form}, Rotate=rotation, UserUnit=1.5)
    page = read(data, raster_long_side=900)
    assert len(page.primitives.shapes) == 1
    np.testing.assert_allclose(
        page.primitives.shapes.box[0], ink_box(page.raster), atol=1.5 / page.raster.scale
    )


def test_stroke_width_counts_scale_forms_and_user_unit():
    forms = {"X": Form("2 w 10 10 m 60 10 l S", (3, 0, 0, 3, 0, 0))}
    assert only("/X Do", forms=forms)["stroke"] == pytest.approx(6)
    assert only("q 0.5 0 0 0.5 0 0 cm 2 w 10 10 m 60 10 l S Q", UserUnit=4)["stroke"] == pytest.approx(4)


def test_a_turned_page_turns_its_lines():
    assert only("20 100 m 120 100 l S", Rotate=90)["box"].tolist() == [100, 20, 100, 120]


def test_shapes_off_the_page_are_left_out():
    assert len(shapes("-500 -500 20 20 re f 900 10 20 20 re f")) == 0
    assert len(shapes("-500 100 600 20 re f")) == 1


def test_the_limit_cuts_with_a_note():
    data = drawn(" ".join(f"{x} 10 2 2 re S" for x in range(10, 110, 10)))
    page = read(data, limits=Limits(primitives=4))
    assert len(page.primitives.shapes) == 4
    assert page.notes == ("Page 1 has more than 4 words or shapes; the rest was ignored.",)
    assert read(data, limits=Limits(primitives=10)).notes == ()


def test_the_limit_holds_within_one_path_and_in_forms():
    one_path = drawn(" ".join(f"{x} 10 2 2 re" for x in range(10, 110, 10)) + " S")
    page = read(one_path, limits=Limits(primitives=4))
    assert len(page.primitives.shapes) <= 10
    inner = Form(" ".join(f"{x} 10 2 2 re S" for x in range(10, 110, 10)))
    page = read(drawn("/X Do", forms={"X": inner}), limits=Limits(primitives=4))
    assert len(page.primitives.shapes) == 4
    assert page.notes


def test_artwork_with_thousands_of_segments_is_read_in_part():
    spiral = "100 100 m " + " ".join(f"{100 + i % 97} {100 + i % 89} l" for i in range(9_000)) + " S"
    assert only(spiral)["kind"] == PATH
