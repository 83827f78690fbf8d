# SPDX-License-Identifier: Apache-2.0
"""Cells found one by one become comb fields, and only where they are an even run."""

from dataclasses import replace

import numpy as np

from acromeld.fields import Field
from acromeld.form.describe.comb_runs import merge_cells
from acromeld.pdf.page import ShapeKind
from tests.form.describe.pages import CHOICE, TEXT, lines_at, text


def cells(start, count, *, width=14.0, gap=1.0, top=100.0):
    step = width + gap
    return [
        text(start + step * number, top, start + step * number + width, top + 16) for number in range(count)
    ]


def framed(fields):
    """Four lines around each field."""
    sides = []
    for x0, y0, x1, y1 in (field.box for field in fields):
        sides += [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]
    return lines_at(sides)


def boxed(fields):
    """A rectangle around each field."""
    drawn = lines_at([field.box for field in fields])
    return replace(drawn, kind=np.full(len(fields), ShapeKind.RECT, dtype=np.int8))


def test_an_even_run_is_one_comb():
    (comb,) = merge_cells(cells(100, 9))
    assert comb.comb == 9
    assert comb.box == (100.0, 100.0, 100.0 + 9 * 15 - 1, 116.0)


def test_a_wider_gap_starts_another_field():
    fields = cells(100, 3) + cells(150, 3) + cells(200, 4)
    assert [field.comb for field in merge_cells(fields)] == [3, 3, 4]


def test_a_missed_cell_is_added_where_it_is_printed():
    found = cells(100, 8, width=15, gap=0)
    printed = framed(found)
    (comb,) = merge_cells([*found[:1], *found[2:]], printed)
    assert (comb.comb, comb.box) == (8, (100.0, 100.0, 220.0, 116.0))
    (comb,) = merge_cells([*found[:1], *found[2:]], boxed(found))
    assert comb.comb == 8
    (comb,) = merge_cells(found, printed)
    assert comb.comb == 8

    gone = framed([*found[:3], *found[4:]])
    apart = merge_cells([*found[:3], *found[4:]], gone)
    assert [field.comb for field in apart] == [3, 4], "a date in groups, whose gaps are as wide as a cell"
    assert [field.comb for field in merge_cells([*found[:3], *found[4:]])] == [3, 4], "no print known"


def test_the_first_cell_alone_becomes_the_comb_that_is_drawn_to_its_right():
    found = cells(100, 6, width=15, gap=0)
    (comb,) = merge_cells(found[:1], boxed(found))
    assert (comb.comb, comb.box) == (6, (100.0, 100.0, 190.0, 116.0))

    tick = Field(kind=CHOICE, box=found[4].box)
    comb, kept = merge_cells([found[0], tick], boxed(found))
    assert (comb.comb, kept) == (4, tick), "a field of its own ends it"

    assert merge_cells(found[:1], boxed(found[:2])) == (found[0],), "two cells are no comb"
    assert merge_cells(found[:1], boxed([found[0], *found[2:]])) == (found[0],), "there is a gap"
    assert merge_cells(found[:1]) == (found[0],), "no print known"


def test_a_place_that_has_a_field_is_not_filled():
    found = cells(100, 5, width=15, gap=0)
    tick = Field(kind=CHOICE, box=found[2].box)
    printed = framed(found)
    kept = [*found[:2], tick, *found[3:]]
    assert merge_cells(kept, printed) == tuple(kept)


def test_two_cells_are_two_fields():
    assert [field.comb for field in merge_cells(cells(100, 2))] == [None, None]


def test_cells_of_different_widths_stay_apart():
    fields = [text(100, 100, 114, 116), text(115, 100, 138, 116), text(139, 100, 152, 116)]
    assert merge_cells(fields) == tuple(fields)


def test_wide_fields_boxes_to_tick_and_named_cells_are_left_alone():
    wide = [text(100 + 90 * number, 100, 180 + 90 * number, 116) for number in range(4)]
    ticks = [Field(kind=CHOICE, box=(100 + 15 * n, 200, 112 + 15 * n, 212)) for n in range(5)]
    named = [Field(kind=TEXT, box=(100 + 15 * n, 300, 114 + 15 * n, 316), name=f"c{n}") for n in range(5)]
    fields = wide + ticks + named
    assert merge_cells(fields) == tuple(fields)


def test_the_order_of_the_detector_does_not_matter():
    fields = cells(100, 5)
    (comb,) = merge_cells(fields[::-1])
    assert comb.comb == 5
