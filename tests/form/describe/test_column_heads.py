# SPDX-License-Identifier: Apache-2.0
"""Boxes to tick in the columns of a table are not read aloud alike."""

from acromeld.form.describe.column_heads import ColumnHead, heads_apart, in_columns
from acromeld.form.describe.labels import Label, LabelReader
from acromeld.form.describe.page import say
from acromeld.form.describe.surroundings import look_around
from tests.form.describe.pages import choice, page_of, words_at

QUESTIONS = ("Tip income received", "Rental property owned", "Scholarships received")
COLUMNS = ((60, "Yes"), (100, "No"), (140, "Unsure"))


def table(*groups):
    """Three boxes in front of each question, under the heads; each row in the group given."""
    placed = [(head, x - 5, 80) for x, head in COLUMNS]
    placed += [(text, 180, 110 + 18 * row) for row, text in enumerate(QUESTIONS)]
    fields = [
        choice(x, 101 + 18 * row, x + 10, 111 + 18 * row).model_copy(update={"group": group})
        for row, group in enumerate(groups)
        for x, _ in COLUMNS
    ]
    return page_of(words_at(placed)), fields


def test_a_head_is_what_stands_over_a_column_of_boxes():
    page, fields = table(None, None, None)
    heads = LabelReader(look_around(page, fields)).column_heads()
    assert [head and head.text for head in heads] == ["Yes", "No", "Unsure"] * 3
    page, fields = table(None)
    assert LabelReader(look_around(page, fields)).column_heads() == [None] * 3


def test_boxes_that_would_say_the_same_say_the_head_of_their_column():
    heads = [ColumnHead(text, 80, 8) for _, text in COLUMNS]
    boxes = [(x, 101.0, x + 10.0, 111.0) for x, _ in COLUMNS]
    row = Label("Tip income", own="Tip income", box=(180, 100, 230, 110))
    named = Label("No: Tip income", own="Tip income", context="No", box=row.box)
    assert in_columns([row] * 3, ["Tip income"] * 3, boxes, heads) == [
        "Yes: Tip income",
        "No: Tip income",
        "Unsure: Tip income",
    ]
    some = in_columns([row, named, row], [row.text, named.text, row.text], boxes, heads)
    assert some == ["Yes: Tip income", "No: Tip income", "Unsure: Tip income"]
    wrong = in_columns([named, named], [named.text] * 2, boxes, heads)
    assert wrong == ["Yes: Tip income", "No: Tip income"]


def test_boxes_with_words_of_their_own_or_in_other_rows_stay_as_they_are():
    heads = [ColumnHead(text, 80, 8) for _, text in COLUMNS]
    boxes = [(x, 101.0, x + 10.0, 111.0) for x, _ in COLUMNS]
    labels = [Label("No", own="No", box=(x + 12, 100, x + 24, 110)) for x, _ in COLUMNS]
    assert in_columns(labels, ["No"] * 3, boxes, heads) == ["No"] * 3
    stairs = [(x, x, x + 10.0, x + 10.0) for x, _ in COLUMNS]
    shared = [labels[0]] * 3
    assert in_columns(shared, ["No"] * 3, stairs, heads) == ["No"] * 3


def test_the_options_of_a_group_are_the_heads_of_their_columns():
    page, fields = table("a", "b", "c")
    fields = [field for number, field in enumerate(fields) if number % 3 < 2]
    found = say(fields, look_around(page, fields), page.primitives.words)
    assert found.option == ("Yes", "No") * 3


def test_heads_that_are_alike_or_not_in_one_line_tell_nothing_apart():
    yes, low, again = ColumnHead("Yes", 80, 8), ColumnHead("No", 95, 8), ColumnHead("YES", 80, 8)
    assert heads_apart([0, 1], [yes, ColumnHead("No", 81, 8)]) == ["Yes", "No"]
    assert heads_apart([0, 1], [yes, low]) == []
    assert heads_apart([0, 1], [yes, again]) == []
    assert heads_apart([0, 1], [yes, None]) == []
