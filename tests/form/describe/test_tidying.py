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


def _squares(count: int) -> Shapes:
    cells = [(100 + 15 * number, 100, 115 + 15 * number, 116) for number in range(count)]
    return replace(lines_at(cells), kind=np.full(count, ShapeKind.RECT, dtype=np.int8))


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
