# SPDX-License-Identifier: Apache-2.0
"""Cells found one by one become comb fields, and only where they are an even run."""

from acromeld.fields import Field
from acromeld.form.describe.comb_runs import merge_cells
from tests.form.describe.pages import CHOICE, TEXT, text


def cells(start, count, *, width=14.0, gap=1.0, top=100.0):
    step = width + gap
    return [
        text(start + step * number, top, start + step * number + width, top + 16) for number in range(count)
    ]


def test_an_even_run_is_one_comb():
    (comb,) = merge_cells(cells(100, 9))
    assert comb.comb == 9
    assert comb.box == (100.0, 100.0, 100.0 + 9 * 15 - 1, 116.0)


def test_a_wider_gap_starts_another_field():
    fields = cells(100, 3) + cells(150, 3) + cells(200, 4)
    assert [field.comb for field in merge_cells(fields)] == [3, 3, 4]


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
