# SPDX-License-Identifier: Apache-2.0
"""What a detector placed field by field looks as if one hand had placed it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import acromeld
from acromeld.form.describe.tidying import tidied
from acromeld.pdf.page import Primitives, ShapeKind, Shapes, Words
from tests.form.describe.pages import SIGNATURE, choice, lines_at, text, words_at

BARE = Primitives()
EXAMPLE = Path(__file__).parents[3] / "examples" / "application.pdf"


def boxes(fields, printed=BARE):
    return [field.box for field in tidied(fields, printed)]


def captioned(*placed):
    return Primitives(words=words_at(placed))


def test_fields_in_a_row_get_one_top_and_one_bottom():
    row = [text(50, 100, 150, 120), text(160, 101.5, 260, 119), text(270, 100.4, 370, 121)]
    assert {(top, bottom) for _, top, _, bottom in boxes(row)} == {(100.4, 120.0)}
    assert [(left, right) for left, _, right, _ in boxes(row)] == [(50, 150), (160, 260), (270, 370)]


def test_fields_in_a_column_get_one_left_and_one_right():
    column = [text(50, 100, 150, 120), text(51, 130, 151.2, 150), text(50.2, 160, 150, 180)]
    assert {(left, right) for left, _, right, _ in boxes(column)} == {(50.2, 150.0)}


def test_rows_of_a_stack_do_not_drift_into_each_other():
    stairs = [text(50, 100 + 2 * step, 60, 112 + 2 * step) for step in range(6)]
    moved = np.array(boxes(stairs))
    assert np.abs(moved - [field.box for field in stairs]).max() <= 2
    assert len(set(moved[:, 1])) == 3


def test_different_heights_in_a_row_stay_different():
    tall_and_low = [text(50, 100, 150, 140), text(160, 120, 260, 140)]
    assert tidied(tall_and_low, BARE) == tuple(tall_and_low)


def test_equal_tops_are_not_enough():
    low_and_tall = [text(50, 100, 150, 120), text(160, 101, 260, 140), text(270, 100, 370, 160)]
    assert tidied(low_and_tall, BARE) == tuple(low_and_tall)


def test_lefts_that_are_further_apart_stay():
    column = [text(50, 100, 150, 120), text(52, 130, 152, 150)]
    assert tidied(column, BARE) == tuple(column)


def test_no_field_is_levelled_across_a_line():
    row = [text(50, 100, 150, 118), text(160, 102.5, 260, 120.5)]
    lines = Primitives(shapes=lines_at([(40, 118, 150, 118), (160, 120.5, 260, 120.5)]))
    assert boxes(row) == [(50, 101.25, 150, 119.25), (160, 101.25, 260, 119.25)]
    assert boxes(row, lines)[0] == row[0].box


def test_boxes_to_tick_stay_on_their_squares():
    fields = [choice(50, 100, 60, 110), choice(50.9, 130, 60.9, 140), choice(51, 160, 61, 170)]
    assert {left for left, *_ in boxes(fields)} == {50.9}
    printed = Primitives(shapes=_squares_at((50, 100, 60, 110)))
    assert [left for left, *_ in boxes(fields, printed)] == [50, 50.95, 50.95]


def test_boxes_to_tick_further_apart_stay():
    fields = [choice(50, 100, 60, 110), choice(51.5, 130, 61.5, 140)]
    assert tidied(fields, BARE) == tuple(fields)


def test_boxes_to_tick_are_aligned_only_with_each_other():
    fields = [choice(50, 100, 60, 110), choice(90, 100.6, 100, 110.8), text(110, 101, 200, 111)]
    tops = [top for _, top, _, _ in boxes(fields)]
    assert tops == [100.3, 100.3, 101]


def test_a_field_gives_way_to_the_caption_it_cuts_into():
    named = captioned(("Given names", 52, 104))
    ((_, top, _, bottom),) = boxes([text(50, 100, 150, 124)], named)
    assert top == pytest.approx(104.3)
    assert bottom == 124
    beside = captioned(("Name", 35, 112))
    ((left, *_),) = boxes([text(50, 100, 150, 124)], beside)
    assert left == pytest.approx(55.3)
    after = captioned(("years", 144, 112))
    ((_, _, right, _),) = boxes([text(50, 100, 150, 124)], after)
    assert right == pytest.approx(143.7)
    below = captioned(("Signature", 60, 127))
    ((_, top, _, bottom),) = boxes([text(50, 100, 150, 124)], below)
    assert (top, bottom) == (100, pytest.approx(119.7))


def test_a_wide_field_loses_no_more_than_a_little():
    far = captioned(("Name and address", 40, 112))
    field = text(50, 100, 550, 124)
    assert tidied([field], far) == (field,)


def test_cuts_do_not_add_up():
    stairs = captioned(("one", 55, 104), ("two", 55, 109), ("three", 55, 114))
    ((_, top, _, _),) = boxes([text(50, 100, 150, 124)], stairs)
    assert top == pytest.approx(104.3)


def test_words_of_a_line_give_way_together_or_not_at_all():
    placeholder = captioned(("MM", 51, 112), ("YYYY", 90, 112))
    field = text(50, 100, 150, 124)
    assert tidied([field], placeholder) == (field,)


def test_words_that_hold_two_lines_tell_nothing():
    joined = captioned(("Name", 52, 104))
    tall = replace(joined.words, box=joined.words.box + np.array([0, -20, 0, 0]))
    field = text(50, 100, 150, 124)
    assert tidied([field], Primitives(words=tall)) == (field,)


def test_turned_words_are_not_in_the_way():
    named = captioned(("Given names", 52, 104))
    turned = replace(named.words, upright=~named.words.upright)
    field = text(50, 100, 150, 124)
    assert tidied([field], Primitives(words=turned)) == (field,)


def test_a_word_deep_inside_is_meant():
    hint = captioned(("month", 90, 115))
    field = text(50, 100, 150, 124)
    assert tidied([field], hint) == (field,)


def test_blanks_to_write_on_are_not_in_the_way():
    blank = captioned(("________________", 52, 102))
    field = text(50, 100, 150, 124)
    assert tidied([field], blank) == (field,)


def test_a_thin_field_is_not_cut_to_nothing():
    named = captioned(("Name", 52, 101.5))
    field = text(50, 100, 150, 107.5)
    assert tidied([field], named) == (field,)


def _squares_at(*cells: tuple[float, float, float, float]) -> Shapes:
    return replace(lines_at(cells), kind=np.full(len(cells), ShapeKind.RECT, dtype=np.int8))


def _squares(count: int) -> Shapes:
    return _squares_at(*((100 + 15 * number, 100, 115 + 15 * number, 116) for number in range(count)))


def _ticks(count: int) -> Shapes:
    sides = [(100 + 15 * number, 110, 100 + 15 * number, 116) for number in range(1, count)]
    return lines_at([*sides, (100, 116, 100 + 15 * count, 116)])


@pytest.mark.parametrize("printed", [_squares(8), _ticks(8)], ids=["squares", "ticks"])
@pytest.mark.parametrize("found", [(100, 100, 215.9, 116), (104, 100, 223, 116)])
def test_a_comb_reaches_over_all_its_cells(found, printed):
    (box,) = boxes([text(*found)], Primitives(shapes=printed))
    assert box == (100, found[1], 220, found[3])


def test_a_field_that_goes_on_after_its_cells_keeps_its_end():
    found = text(100, 100, 320, 116)
    assert tidied([found], Primitives(shapes=_squares(8))) == (found,)


def test_letters_in_the_cells_are_no_reason_to_lose_any():
    letters = captioned(*((letter, 105 + 15 * number, 112) for number, letter in enumerate("DDMMYYYY")))
    ((left, _, right, _),) = boxes([text(100, 100, 220, 116)], replace(letters, shapes=_squares(8)))
    assert (left, right) == (100, 220)


def test_ends_that_are_not_printed_stay():
    ticks = lines_at([(x, 100, x, 116) for x in (510, 540, 570, 600)])
    found = text(480.5, 100, 611, 116)
    assert tidied([found], Primitives(shapes=ticks)) == (found,)


def test_the_frame_says_more_than_the_pitch():
    cells = lines_at([(x, 100, x, 116) for x in (100.8, 115, 130, 145, 160, 175, 189.2)])
    ((left, _, right, _),) = boxes([text(100, 100, 190, 116)], Primitives(shapes=cells))
    assert (left, right) == (100.8, 189.2)


def test_wide_columns_are_no_cells():
    found = text(100, 100, 396, 116)
    columns = lines_at([(x, 100, x, 116) for x in (100, 200, 300, 400)])
    assert tidied([found], Primitives(shapes=columns)) == (found,)


def test_fields_over_uneven_columns_stay():
    found = text(100, 100, 250, 116)
    columns = lines_at([(x, 100, x, 116) for x in (112, 140, 155, 200, 255)])
    assert tidied([found], Primitives(shapes=columns)) == (found,)


def test_everything_but_the_place_stays():
    signed = text(160, 101, 260, 120).model_copy(update={"kind": SIGNATURE, "score": 0.4, "id": "p1-f9"})
    _, moved = tidied([text(50, 100, 150, 120), signed], BARE)
    assert moved == signed.model_copy(update={"box": (160, 100.5, 260, 120)})
    assert tidied([], Primitives(words=Words.empty())) == ()


def test_found_fields_are_tidied_and_raw_ones_are_not():
    raw = acromeld.detect(EXAMPLE, raw=True, isolated=False).pages[0].fields
    found = acromeld.detect(EXAMPLE, isolated=False).pages[0].fields
    named = {field.tooltip: field for field in found}
    assert named["Family name"].box[1::2] == named["Given names"].box[1::2]
    assert named["Family name"].box not in {field.box for field in raw}
    assert named["Date of birth (DD MM YYYY)"].comb == 8
