# SPDX-License-Identifier: Apache-2.0
"""Naming, order, text style and placement on their own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.fields import Field
from acromeld.form.naming import NameBook
from acromeld.form.order import reading_order, tab_order
from acromeld.form.placement import place
from acromeld.form.textstyle import DEFAULT_SIZE, LINE_HEIGHT, body_size, text_style
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Words
from tests.form.samples import TEXT


def words(boxes, sizes, **flags):
    count = len(sizes)
    no, yes = np.zeros(count, dtype=bool), np.ones(count, dtype=bool)
    return Words(
        box=np.reshape(np.array(boxes, dtype=float), (-1, 4)),
        text=("word",) * count,
        size=np.array(sizes, dtype=float),
        weight=np.full(count, 400.0),
        visible=np.array(flags.get("visible", yes)),
        symbolic=np.array(flags.get("symbolic", no)),
        upright=np.array(flags.get("upright", yes)),
    )


def text(*box, **entries):
    return Field(kind=TEXT, box=box, **entries)


@given(
    st.lists(st.sampled_from(["a", "a_2", "a_3", "b", "a_2_2"]), max_size=30), st.sets(st.sampled_from("ab"))
)
def test_claimed_names_are_unique(wanted, taken):
    book = NameBook(taken)
    claimed = [book.claim(name) for name in wanted]
    assert len({*claimed, *taken}) == len(claimed) + len(taken)
    assert all(given_name.startswith(name) for name, given_name in zip(wanted, claimed, strict=True))


def test_rows_are_read_from_the_left_in_spite_of_jitter():
    fields = [
        text(300, 99, 400, 117),
        text(100, 101, 200, 119),
        text(250, 104, 260, 114),
        text(50, 130, 90, 148),
    ]
    assert [field.box[0] for field in reading_order(fields)] == [100, 250, 300, 50]


def test_given_order_comes_first():
    fields = [text(0, 0, 10, 10), text(0, 20, 10, 30, order=7), text(0, 40, 10, 50, order=-1)]
    assert [field.box[1] for field in tab_order(fields)] == [40, 20, 0]


def test_size_comes_from_the_words_nearby():
    near = [(100, 100, 120, 108)] * 3
    far = [(100, 600, 120, 620)] * 9
    assert body_size((130, 98, 300, 112), words(near + far, [10] * 3 + [14] * 9)) == 10
    assert body_size((130, 590, 300, 612), words(near + far, [10] * 3 + [14] * 9)) == 14


def test_few_words_nearby_leave_it_to_the_page():
    boxes = [(100, 100, 120, 108)] + [(100, 600, 120, 620)] * 9
    assert body_size((130, 98, 300, 112), words(boxes, [8] + [11] * 9)) == 11


@pytest.mark.parametrize("flag", ["visible", "symbolic", "upright"])
def test_words_that_say_nothing_about_size_are_ignored(flag):
    bad = np.array([True] * 5 + [False] * 3)
    page = words(
        [(100, 100, 120, 108)] * 8, [14] * 5 + [10] * 3, **{flag: bad if flag == "symbolic" else ~bad}
    )
    assert body_size((130, 98, 300, 112), page) == 10


def test_fine_print_does_not_make_answers_tiny():
    assert body_size((130, 98, 300, 112), words([(100, 100, 120, 108)] * 3, [6] * 3)) == 9


def test_no_words_no_opinion():
    assert body_size((0, 0, 10, 10), None) == body_size((0, 0, 10, 10), Words.empty()) == DEFAULT_SIZE


@given(st.floats(2, 400), st.floats(2, 400), st.floats(1, 100), st.integers(1, 40) | st.none())
def test_a_line_always_fits(width, height, size, comb):
    style = text_style(text(0, 0, width, height, font_size=size, comb=comb), None)
    assert style.size <= max(size, 1)
    assert style.size * LINE_HEIGHT <= max(height, LINE_HEIGHT)


@pytest.mark.parametrize(
    ("height", "given_flag", "expected"),
    [(18, None, False), (24, None, False), (40, None, True), (18, True, True), (90, False, False)],
)
def test_several_lines_only_in_boxes_clearly_higher_than_two(height, given_flag, expected):
    style = text_style(text(0, 0, 200, height, multiline=given_flag, font_size=10), None)
    assert style.multiline is expected


coordinate = st.floats(0, 600)
frames = st.builds(
    PageFrame,
    st.tuples(st.floats(-300, 300), st.floats(-300, 300), st.floats(400, 1200), st.floats(400, 1200)),
    st.sampled_from([0, 90, 180, 270]),
    st.floats(0.1, 50),
)


@given(frames, coordinate, coordinate, st.floats(2, 300), st.floats(2, 300))
def test_placement_reads_back_within_a_hundredth_of_a_point(frame, x, y, width, height):
    box = (x, y, x + width, y + height)
    placed = place(box, frame)
    assert np.allclose(frame.to_display(np.array([placed.rect]))[0], box, atol=0.01)
    assert np.allclose(
        [placed.width * frame.user_unit, placed.height * frame.user_unit], [width, height], atol=0.02
    )


@given(frames, coordinate, coordinate)
def test_the_matrix_turns_the_upright_box_into_the_rectangle(frame, x, y):
    placed = place((x, y, x + 180, y + 18), frame)
    a, b, c, d, e, f = placed.matrix
    corners = np.array([(0, 0), (placed.width, placed.height)])
    turned = corners @ np.array([[a, b], [c, d]]) + (e, f)
    left, bottom, right, top = placed.rect
    assert np.allclose(turned.min(axis=0), 0, atol=1e-3)
    assert np.allclose(turned.max(axis=0), (right - left, top - bottom), atol=1e-3)
