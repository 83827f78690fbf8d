# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.geometry import as_boxes
from acromeld.peers.commonforms.preprocess import PAD, bilinear, fit, letterbox, resize

STEADY = settings(deadline=None, derandomize=True)
SIDES = st.integers(min_value=40, max_value=3000)
LONG_SIDES = st.sampled_from([1216, 1600])


@STEADY
@given(SIDES, SIDES, LONG_SIDES)
def test_the_page_lies_inside_a_canvas_of_whole_strides(height: int, width: int, long_side: int) -> None:
    place = fit(height, width, long_side)
    assert max(place.inner) == long_side == max(place.canvas)
    for canvas, inner, before in zip(place.canvas, place.inner, (place.top, place.left), strict=True):
        assert canvas % 32 == 0
        assert 0 <= canvas - inner < 32
        assert 0 <= (canvas - inner) - 2 * before <= 1


@STEADY
@given(SIDES, SIDES, LONG_SIDES, st.data())
def test_boxes_survive_the_way_to_the_canvas_and_back(
    height: int, width: int, long_side: int, data: st.DataObject
) -> None:
    place = fit(height, width, long_side)
    x = sorted(data.draw(st.lists(st.floats(0, width), min_size=2, max_size=2)))
    y = sorted(data.draw(st.lists(st.floats(0, height), min_size=2, max_size=2)))
    boxes = as_boxes([[x[0], y[0], x[1], y[1]]])
    np.testing.assert_allclose(place.to_page(place.to_canvas(boxes)), boxes, atol=1e-6)


def test_boxes_are_clipped_to_the_page() -> None:
    place = fit(2175, 1680, 1216)
    assert place.to_page(as_boxes([[-50, -50, 5000, 5000]])).tolist() == [[0, 0, 1680, 2175]]


def test_a_letter_page_at_1216_has_its_known_canvas() -> None:
    place = fit(2175, 1680, 1216)
    assert (place.inner, place.canvas, place.top, place.left) == ((1216, 939), (1216, 960), 0, 10)


def test_letterbox_pads_with_grey_and_keeps_the_colours_apart() -> None:
    pixels = np.zeros((320, 250, 3), dtype=np.uint8)
    pixels[:] = (255, 0, 51)
    place = fit(320, 250, 1216)
    canvas = letterbox(pixels, place)
    assert canvas.shape == (3, *place.canvas)
    assert canvas[:, 600, 480].tolist() == pytest.approx([1.0, 0.0, 0.2])
    assert canvas[:, 600, 0].tolist() == pytest.approx([PAD / 255] * 3)
    assert canvas[:, 600, -1].tolist() == pytest.approx([PAD / 255] * 3)


@STEADY
@given(st.integers(2, 30), st.integers(2, 30), st.integers(1, 24), st.integers(1, 24), st.integers(0, 9))
def test_fixed_point_resize_is_bilinear_to_one_grey_level(
    height: int, width: int, rows: int, columns: int, seed: int
) -> None:
    plane = np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8)
    exact = np.array(
        [
            [_sample(plane, (y + 0.5) * height / rows - 0.5, (x + 0.5) * width / columns - 0.5)]
            for y in range(rows)
            for x in range(columns)
        ]
    ).reshape(rows, columns)
    assert np.abs(resize(plane, rows, columns) - exact).max() <= 1.0
    np.testing.assert_allclose(bilinear(plane[None].astype(np.float32), rows, columns)[0], exact, atol=0.02)


def _sample(plane: np.ndarray, y: float, x: float) -> float:
    """The definition: four neighbours, weighted by how near they are, the edge repeated."""
    y, x = np.clip(y, 0, plane.shape[0] - 1), np.clip(x, 0, plane.shape[1] - 1)
    total = 0.0
    for row in {int(y), min(int(y) + 1, plane.shape[0] - 1)}:
        for column in {int(x), min(int(x) + 1, plane.shape[1] - 1)}:
            total += max(0.0, 1 - abs(y - row)) * max(0.0, 1 - abs(x - column)) * plane[row, column]
    return total


def test_resize_to_the_same_size_changes_nothing() -> None:
    plane = np.arange(256, dtype=np.uint8).reshape(16, 16)
    assert (resize(plane, 16, 16) == plane).all()
