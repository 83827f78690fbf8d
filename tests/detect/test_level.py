# SPDX-License-Identifier: Apache-2.0
"""Crooked scans are read straight, and boxes come back to where they are on the crooked page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import decode
from acromeld.detect.level import LEAST, moved, moved_boxes, moved_pixels, on_level
from acromeld.detect.rules import RulesDetector
from acromeld.evaluate.scanned import OnScans, poor_scan
from acromeld.geometry import iou
from acromeld.structure.skew import Skew
from tests.evaluate.test_scanned import first_page

SIZE = (600.0, 800.0)


def turned_boxes(box, slope, size):
    return moved_boxes(box, Skew.turned(slope).matrix(), size)


def turned(page, slope):
    return moved(page, Skew.turned(slope).matrix())


def turned_pixels(pixels, slope):
    return moved_pixels(pixels, Skew.turned(slope).matrix())


@given(st.floats(-0.07, 0.07), st.floats(100, 500), st.floats(100, 700))
def test_boxes_turn_about_the_middle_and_back(slope, x, y):
    box = np.array([[x - 20, y - 5, x + 20, y + 5]])
    there = turned_boxes(box, slope, SIZE)
    assert there[:, 2:] - there[:, :2] == pytest.approx(box[:, 2:] - box[:, :2])
    assert turned_boxes(there, -slope, SIZE) == pytest.approx(box)


def test_what_is_right_of_the_middle_sinks_where_lines_slope_down():
    (box,) = turned_boxes(np.array([[490.0, 390.0, 510.0, 410.0]]), 0.05, SIZE)
    assert (box[1] + box[3]) / 2 == pytest.approx(400 + 200 * 0.05, abs=0.1)


def test_boxes_stay_on_the_page():
    (box,) = turned_boxes(np.array([[0.0, 780.0, 600.0, 800.0]]), 0.05, SIZE)
    assert (box >= 0).all()
    assert (box <= [600, 800, 600, 800]).all()


@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("slope", [-0.04, 0.01, 0.06])
def test_ink_goes_where_boxes_go(channels, slope):
    pixels = np.full((800, 600, channels), 255, dtype=np.uint8).squeeze()
    pixels[200:206, 450:458] = 0
    out = turned_pixels(pixels, slope)
    assert out.shape == pixels.shape
    dark = 255.0 - out.reshape(800, 600, -1)[:, :, 0]
    row, column = (np.average(at, weights=dark) for at in np.indices(dark.shape))
    (box,) = turned_boxes(np.array([[450.0, 200.0, 458.0, 206.0]]), slope, SIZE)
    middle = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    assert (column + 0.5, row + 0.5) == pytest.approx(middle, abs=0.5), "to the next pixel"


def test_beyond_the_edge_the_paper_goes_on():
    grey = np.full((400, 300), 180, dtype=np.uint8)
    assert (turned_pixels(grey, 0.06) == 180).all()


def test_a_drawn_page_and_a_straight_scan_are_taken_as_they_are():
    seen = []

    def find(page):
        seen.append(page)
        return PageCandidates.empty()

    page = first_page()
    crooked_picture = replace(page, raster=turned(page, 0.03).raster)
    straight = poor_scan(page)
    for given_page in (page, crooked_picture, straight):
        on_level(given_page, find)
        assert seen[-1] is given_page, "a page with structure of its own is never turned"


def test_words_under_a_picture_turn_with_it():
    page = first_page()
    words = turned(page, 0.03).primitives.words
    assert words.text == page.primitives.words.text
    assert words.box == pytest.approx(
        turned_boxes(page.primitives.words.box, 0.03, (page.width, page.height))
    )


@pytest.mark.parametrize("slope", [0.02, -0.035])
def test_a_crooked_scan_gives_the_fields_of_a_straight_one(slope):
    rules, page = RulesDetector(), first_page()
    assert abs(slope) > LEAST
    (level,) = rules.detect([poor_scan(page)])
    (found,) = rules.detect([poor_scan(page, slope)])
    back = turned_boxes(found.box, -slope, (page.width, page.height))
    kept, again = (decode(each, rules.operating_point).kept for each in (level, found))
    best = iou(level.box[kept], back[again]).max(axis=1)
    assert np.mean(best > 0.5) > 0.8


def test_scans_may_be_judged_crooked():
    rules, page = RulesDetector(), first_page()
    (straight,) = OnScans(rules).detect([page])
    (crooked,) = OnScans(rules, crooked=2.0).detect([page])
    (again,) = OnScans(rules, crooked=2.0).detect([page])
    np.testing.assert_array_equal(crooked.box, again.box)
    best = iou(straight.box, crooked.box).max(axis=1)
    assert np.mean(best > 0.5) > 0.8
    assert not (best == 1).all()
