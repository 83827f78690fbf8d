# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.geometry import (
    Letterbox,
    area,
    as_boxes,
    centre,
    intersection,
    intersection_over_smaller,
    iou,
    overlap,
)

MEASURES = (iou, intersection_over_smaller, overlap)
numbers = st.floats(-500, 500, allow_nan=False, width=32)
sides = st.one_of(st.just(0.0), st.floats(0.01, 900))


@st.composite
def boxes(draw, least=1, side=sides):
    corners = draw(st.lists(st.tuples(numbers, numbers, side, side), min_size=least, max_size=6))
    return as_boxes([(x, y, x + w, y + h) for x, y, w, h in corners])


@given(boxes(), boxes())
def test_overlaps_are_shares_and_do_not_care_about_order(a, b):
    for measure in MEASURES:
        share = measure(a, b)
        assert share.shape == (len(a), len(b))
        assert ((share >= 0) & (share <= 1 + 1e-9)).all()
        np.testing.assert_allclose(share, measure(b, a).T)
    assert (iou(a, b) <= overlap(a, b) + 1e-12).all()


@given(boxes(side=st.floats(1, 900)), st.floats(0, 0.45), st.floats(0, 0.45))
def test_a_box_inside_another_overlaps_it_fully(outer, left, top):
    side = outer[:, 2:] - outer[:, :2]
    inner = outer + np.hstack([side * [left, top], -side * [left, top]])
    np.testing.assert_allclose(np.diag(overlap(outer, inner)), 1.0, rtol=1e-6)
    np.testing.assert_allclose(np.diag(iou(outer, inner)), area(inner) / area(outer), rtol=1e-6)


@given(boxes(side=st.floats(1, 900)))
def test_a_box_overlaps_itself_fully_and_one_far_away_not_at_all(a):
    far = a + 5_000
    for measure in MEASURES:
        np.testing.assert_allclose(np.diag(measure(a, a)), 1.0)
        assert (measure(a, far) == 0).all()


def test_known_overlaps():
    a, b = as_boxes([(0, 0, 10, 10)]), as_boxes([(5, 5, 15, 10), (20, 20, 30, 30), (10, 0, 20, 10)])
    assert intersection(a, b).tolist() == [[25, 0, 0]]
    assert iou(a, b).tolist() == [[0.2, 0, 0]]
    assert overlap(a, b).tolist() == [[0.5, 0, 0]]
    assert centre(b)[0].tolist() == [10, 7.5]


def test_boxes_without_area_overlap_nothing():
    flat, inverted = as_boxes([(0, 5, 10, 5)]), as_boxes([(9, 9, 1, 1)])
    whole = as_boxes([(0, 0, 10, 10)])
    assert area(flat).tolist() == area(inverted).tolist() == [0]
    for measure in MEASURES:
        assert measure(flat, whole).tolist() == measure(flat, flat).tolist() == [[0]]


def test_no_boxes():
    none = as_boxes([])
    assert none.shape == (0, 4)
    assert overlap(none, as_boxes([(0, 0, 1, 1)])).shape == (0, 1)


lengths = st.floats(10, 5_000)
pixels = st.integers(16, 4_096)


@given(lengths, lengths, pixels, pixels, boxes())
def test_letterbox_goes_there_and_back(width, height, across, down, page_boxes):
    fit = Letterbox.fit((width, height), (across, down))
    np.testing.assert_allclose(fit.to_page(fit.to_canvas(page_boxes)), page_boxes, atol=1e-6)


@given(lengths, lengths, pixels, pixels)
def test_letterbox_fits_the_whole_page_centred_and_touches_two_sides(width, height, across, down):
    fit = Letterbox.fit((width, height), (across, down))
    x0, y0, x1, y1 = fit.to_canvas(as_boxes([(0, 0, width, height)]))[0]
    assert min(x0, y0) == pytest.approx(0, abs=1e-6)
    assert x0 >= -1e-6
    assert y0 >= -1e-6
    assert x0 + x1 == pytest.approx(across)
    assert y0 + y1 == pytest.approx(down)
