# SPDX-License-Identifier: Apache-2.0
"""Blocks, columns, rows, and pages that are read from the right."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.evaluate.form.order import kendall_tau
from acromeld.fields import Field
from acromeld.form.describe.order import reading_order
from acromeld.form.order import row_order
from tests.form.samples import TEXT
from tests.form.test_groups import printed


def texts(*boxes):
    return [Field(kind=TEXT, box=box) for box in boxes]


def column(x, top, rows, step=30.0, width=150.0):
    return [(x, top + step * row, x + width, top + step * row + 14) for row in range(rows)]


def test_columns_that_share_no_rows_are_read_one_after_the_other():
    left, right = column(60, 110, 6), column(340, 118, 7, step=31)
    fields = texts(*right, *left)
    page = printed([(60, 80, "Applicant"), (340, 80, "Employer")])
    assert reading_order(fields, page) == [*range(7, 13), *range(7)]


def test_lines_of_two_fields_are_read_row_by_row():
    fields = texts(*column(60, 110, 6), *column(340, 110, 6))
    order = reading_order(fields, printed([(60, 80, "Name"), (340, 80, "Date")]))
    assert order == [row + side for row in range(6) for side in (0, 6)]


def test_a_heading_across_ends_the_columns():
    left, right = column(60, 110, 6), column(340, 118, 7, step=31)
    below = column(60, 400, 2)
    page = printed([(60, 360, "Declaration " * 8)])
    order = reading_order(texts(*below, *right, *left), page)
    assert order == [*range(9, 15), *range(2, 9), 0, 1]


def test_pages_in_arabic_are_read_from_the_right():
    fields = texts((60, 100, 160, 114), (300, 100, 400, 114), (60, 140, 160, 154))
    assert reading_order(fields, printed([(420, 110, "الاسم"), (180, 110, "التاريخ")])) == [1, 0, 2]
    assert reading_order(fields, printed([(420, 110, "Name"), (180, 110, "Date")])) == [0, 1, 2]
    assert reading_order(fields, right_to_left=True) == [1, 0, 2]


def test_columns_in_arabic_start_at_the_right():
    left, right = column(60, 110, 6), column(340, 118, 7, step=31)
    page = printed([(480, 80, "مقدم الطلب"), (150, 80, "صاحب العمل")])
    assert reading_order(texts(*left, *right), page) == [*range(6, 13), *range(6)]


boxes = st.tuples(st.floats(0, 500), st.floats(0, 700), st.floats(3, 100), st.floats(3, 60))


@given(st.lists(boxes, max_size=40), st.booleans())
def test_every_field_has_one_place(found, backward):
    fields = texts(*((x, y, x + width, y + height) for x, y, width, height in found))
    page = printed([(60, 80, "Some words to read"), (300, 400, "and more")])
    assert sorted(reading_order(fields, page, right_to_left=backward)) == list(range(len(fields)))
    assert reading_order(fields, page) == reading_order(fields, page)


def test_nothing_to_order():
    assert reading_order([], printed([])) == []
    assert row_order(np.zeros((0, 4))) == []


@pytest.mark.parametrize(("ranks", "tau"), [([1, 2, 3], 1.0), ([3, 2, 1], -1.0), ([1, 3, 2], 1 / 3)])
def test_agreement_of_orders(ranks, tau):
    assert kendall_tau(ranks) == pytest.approx(tau)
