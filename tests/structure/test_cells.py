# SPDX-License-Identifier: Apache-2.0
"""Cells and rules on made-up drawings; the same grid drawn in many ways gives the same cells."""

import itertools

import numpy as np
import pytest

from acromeld.pdf.page import ShapeKind
from acromeld.structure.cells import closed_cells
from acromeld.structure.rules import page_rules
from tests.structure.made_up import across, cells_of, down, grid, joined, shapes

XS, YS = [50.0, 150.0, 300.0, 420.0], [100.0, 130.0, 170.0, 200.0]
CELLS = cells_of(XS, YS)


def cells(drawing):
    rules = page_rules(drawing)
    return closed_cells(rules.horizontal, rules.vertical)


def thin(box, width=0.7):
    x0, y0, x1, y1 = box
    return (x0, y0, max(x1, x0 + width), max(y1, y0 + width))


def dashes(box, dash=3.0, gap=2.0):
    """A line as its dashes, each a line of its own."""
    x0, y0, x1, y1 = box
    starts = np.arange(0, max(x1 - x0, y1 - y0), dash + gap)
    if y0 == y1:
        return [(x0 + s, y0, min(x0 + s + dash, x1), y1) for s in starts]
    return [(x0, y0 + s, x1, min(y0 + s + dash, y1)) for s in starts]


def pieces(box):
    """A line drawn cell by cell, as word processors do."""
    x0, y0, x1, y1 = box
    marks = XS if y0 == y1 else YS
    return [(a, y0, b, y1) if y0 == y1 else (x0, a, x1, b) for a, b in itertools.pairwise(marks)]


DRAWINGS = {
    "lines": shapes(grid(XS, YS)),
    "thin rectangles": shapes([thin(b) for b in grid(XS, YS)], stroke=0, filled=True, fill=0.0, ink=1.0),
    "pieces": shapes([piece for b in grid(XS, YS) for piece in pieces(b)]),
    "dashes": shapes([dash for b in grid(XS, YS) for dash in dashes(b)]),
    "boxes": shapes(CELLS, ShapeKind.RECT, segments=4),
    "grey lines": shapes(grid(XS, YS), ink=0.9),
    "shaded boxes": shapes(CELLS, ShapeKind.RECT, stroke=0, filled=True, fill=0.85, ink=1.0),
}


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_a_grid_is_its_cells_however_it_is_drawn(drawing):
    np.testing.assert_allclose(cells(drawing), CELLS, atol=1.0)


@pytest.mark.parametrize("drawing", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_the_order_of_drawing_does_not_matter(drawing):
    order = np.random.default_rng(1).permutation(len(drawing))
    np.testing.assert_allclose(cells(drawing.take(order)), cells(drawing), atol=1e-9)


def test_merged_cells():
    """The first row is one cell, the second has two, of which the right one spans two rows."""
    lines = [across(100, 50, 420), across(130, 50, 420), across(170, 50, 300), across(200, 50, 420)]
    lines += [down(50, 100, 200), down(300, 130, 200), down(420, 100, 200)]
    assert cells(shapes(lines)).tolist() == [
        [50, 100, 420, 130],
        [50, 130, 300, 170],
        [300, 130, 420, 200],
        [50, 170, 300, 200],
    ]


def test_a_rule_that_ends_on_another_divides_only_its_own_side():
    lines = [across(100, 50, 420), across(150, 50, 420), across(200, 50, 420)]
    lines += [down(50, 100, 200), down(420, 100, 200), down(200, 150, 200)]
    assert cells(shapes(lines)).tolist() == [[50, 100, 420, 150], [50, 150, 200, 200], [200, 150, 420, 200]]


def test_small_gaps_at_the_corners_are_closed():
    lines = [across(100, 51.5, 418), across(160, 52, 419.5), down(50, 101.5, 158), down(420, 102, 159)]
    np.testing.assert_allclose(cells(shapes(lines)), [[50, 100, 420, 160]])


def test_an_open_side_is_no_cell():
    three_sides = [across(100, 50, 420), across(160, 50, 420), down(50, 100, 160)]
    assert len(cells(shapes(three_sides))) == 0
    assert len(cells(shapes([*three_sides, down(420, 100, 130)]))) == 0


def test_two_tables_do_not_mix():
    left, right = ([50.0, 100.0, 150.0], [100.0, 140.0]), ([300.0, 380.0], [110.0, 150.0, 190.0])
    found = cells(shapes(grid(*left) + grid(*right))).tolist()
    assert sorted(found) == sorted(cells_of(*left) + cells_of(*right))


def test_invisible_lines_close_nothing():
    assert len(cells(shapes(grid(XS, YS), ink=1.0))) == 0
    white = shapes(CELLS, ShapeKind.RECT, stroke=0, filled=True, fill=1.0, ink=1.0)
    assert len(cells(white)) == 0


def test_a_box_within_a_box_is_a_cell_of_its_own():
    boxes = shapes([(50, 100, 420, 300), (100, 150, 300, 200)], ShapeKind.RECT, segments=4)
    assert [100, 150, 300, 200] in cells(boxes).tolist()


def test_check_boxes_do_not_divide_the_cell_they_are_in():
    marks = shapes([(60, 110, 72, 122), (60, 140, 72, 152)], ShapeKind.RECT, segments=4)
    table = shapes(grid([50.0, 420.0], [100.0, 200.0]))
    assert cells(joined(table, marks)).tolist() == [[50, 100, 420, 200]]


def test_collinear_pieces_become_one_rule():
    rules = page_rules(shapes([across(100, 50, 150), across(100.3, 151, 300), across(100, 400, 500)]))
    assert rules.horizontal.low.tolist() == [50, 400]
    assert rules.horizontal.high.tolist() == [300, 500]
    assert len(rules.vertical) == 0


def test_specks_are_no_rules():
    rules = page_rules(shapes([across(100, 50, 53), down(70, 10, 13)]))
    assert len(rules.horizontal) == len(rules.vertical) == 0


def test_nothing_drawn():
    assert cells(shapes([])).shape == (0, 4)
