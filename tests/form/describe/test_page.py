# SPDX-License-Identifier: Apache-2.0
"""A page described: kinds of text, marks, repeated labels, and respect for what is there already."""

from dataclasses import replace

import numpy as np

from acromeld.fields import Alignment, Field, Mark, TextFormat
from acromeld.form.describe.document import describe_document
from acromeld.form.describe.formats import text_format
from acromeld.form.describe.labels import Label
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.page import describe_page
from acromeld.form.describe.repeated import told_apart
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, ShapeKind, Shapes, Words
from tests.form.describe.pages import TEXT, choice, fields_of, lines_at, page_of, text, words_at
from tests.form.samples import fields_for, flat, source


def described(page, *fields):
    return describe_page(page, fields_of(*fields)).page.fields


def test_what_is_there_already_stays():
    page = page_of(words_at([("Surname:", 60, 100)]))
    given = Field(
        kind=TEXT, box=(150, 90, 350, 102), name="n", tooltip="Mine", multiline=True, font_size=7, comb=None
    )
    (field,) = described(page, given)
    assert (field.name, field.tooltip, field.multiline, field.font_size) == ("n", "Mine", True, 7)


def test_a_field_many_lines_high_has_several_lines_and_a_low_one_has_one():
    page = page_of(words_at([("Remarks:", 60, 100), ("Surname:", 60, 300)]))
    high, low = described(page, text(60, 105, 500, 220), text(120, 290, 400, 303))
    assert high.multiline is True
    assert low.multiline is False


def test_a_field_divided_by_even_ticks_is_a_comb():
    ticks = [(150 + 14 * step, 90, 150 + 14 * step, 104) for step in range(10)]
    frame = [(150, 90, 276, 90), (150, 104, 276, 104)]
    page = page_of(words_at([("Account number:", 60, 100)]), lines_at(ticks + frame))
    (field,) = described(page, text(150, 90, 276, 104))
    assert field.comb == 9
    assert field.multiline is False


def test_dates_and_amounts_are_known_by_their_labels():
    assert text_format("Date of birth", (0, 0, 100, 12)) is TextFormat.DATE
    assert text_format("Geburtsdatum (TT.MM.JJJJ)", (0, 0, 100, 12)) is TextFormat.DATE
    assert text_format("Total amount", (0, 0, 80, 12)) is TextFormat.NUMBER
    assert text_format("Candidates", (0, 0, 80, 12)) is None
    assert text_format("Describe what happened up to this date", (0, 0, 500, 60)) is None


def test_amounts_stand_to_the_right():
    page = page_of(words_at([("Total amount:", 60, 100)]))
    (field,) = described(page, text(150, 90, 220, 102))
    assert field.align is Alignment.RIGHT


def _circles(boxes):
    count = len(boxes)
    no, four = np.zeros(count, dtype=np.bool_), np.full(count, 4, dtype=np.int32)
    return Shapes(
        np.full(count, ShapeKind.PATH, dtype=np.int8), np.array(boxes), np.ones(count), no, np.ones(count),
        np.zeros(count), four, four, no,
    )  # fmt: skip


def test_marks_match_the_form():
    words = words_at([("Yes", 80, 100), ("No", 140, 100)])
    round_, square = described(
        page_of(words, _circles([(62, 91, 72, 101)])), choice(62, 91, 72, 101), choice(122, 91, 132, 101)
    )
    assert (round_.mark, square.mark) == (Mark.CIRCLE, Mark.TICK)
    crossed = words_at([("Mark with an X", 60, 80), ("Yes", 80, 100)])
    assert described(page_of(crossed), choice(62, 91, 72, 101))[0].mark is Mark.CROSS


def test_rows_of_a_table_are_numbered_and_words_printed_twice_are_not():
    boxes = [(0, 0, 50, 10), (0, 12, 50, 22), (0, 24, 50, 34), (300, 0, 380, 10), (300, 400, 380, 410)]
    header, here, there = (0, -20, 50, -10), (250, 0, 290, 10), (250, 400, 290, 410)
    labels = [Label(text="Name", box=header)] * 3
    labels += [Label(text="Date", box=here), Label(text="Date", box=there)]
    rows = ["Name, row 1", "Name, row 2", "Name, row 3"]
    assert told_apart(labels, boxes, "en") == [*rows, "Date", "Date"]


def test_rows_are_counted_past_those_that_something_else_tells_apart():
    boxes = [(0, 0, 50, 10), (0, 12, 50, 22), (0, 24, 50, 34)]
    name = Label(text="Name", own="Name", box=(0, -20, 50, -10))
    first = replace(name, text="Children: Name", context="Children")
    assert told_apart([first, name, name], boxes, "en") == ["Children: Name", "Name, row 2", "Name, row 3"]
    days = [replace(name, text=f"{day}: Name", context=day) for day in ("Monday", "Tuesday", "Sunday")]
    assert told_apart(days, boxes, "en") == [day.text for day in days], "nothing to add"


def test_rows_are_counted_in_the_language_of_the_page():
    labels = [Label(text="Name", box=(0, -20, 50, -10))] * 2
    boxes = [(0, 0, 50, 10), (0, 12, 50, 22)]
    assert told_apart(labels, boxes, "de") == ["Name, Zeile 1", "Name, Zeile 2"]
    assert told_apart(labels, boxes, None) == ["Name (1)", "Name (2)"]


def test_three_hundred_fields_on_a_page():
    """A page as full as they come: every field gets a label, and every name is another."""
    spots = [(40 + 110 * column, 60 + 12 * row) for row in range(60) for column in range(5)]
    words = words_at([(f"Item {number}", x, y + 9) for number, (x, y) in enumerate(spots)], size=7)
    fields = fields_of(*(text(x + 40, y, x + 100, y + 10) for x, y in spots))
    page = describe_page(page_of(words), fields).page
    assert len(page.fields) == 300
    assert sum(field.tooltip is not None for field in page.fields) == 300
    document = fields_for(source(flat()), page.fields)
    names = [field.name for field in describe_document(document).pages[0].fields]
    assert len(set(names)) == 300


def _scan():
    """A page that is one picture: a black box on white paper."""
    pixels = np.full((1100, 850), 255, dtype=np.uint8)
    pixels[300:304, 200:600] = pixels[340:344, 200:600] = 0
    picture = Shapes(
        np.array([ShapeKind.IMAGE], dtype=np.int8), np.array([[0.0, 0.0, 612.0, 792.0]]), np.zeros(1),
        np.zeros(1, dtype=np.bool_), np.ones(1), np.ones(1), np.zeros(1, dtype=np.int32),
        np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.bool_),
    )  # fmt: skip
    frame = PageFrame((0.0, 0.0, 612.0, 792.0))
    return Page(0, frame, Raster(pixels, 1100 / 792), Primitives(Words.empty(), picture))


def test_a_scan_without_ocr_says_so_and_its_fields_stay_numbered():
    page = describe_page(_scan(), fields_of(text(144, 216, 432, 248)), ocr=Ocr.OFF).page
    assert page.fields[0].tooltip is None
    assert page.notes == ("Page 1 has no text, so its fields are numbered, not named.",)
    document = describe_document(fields_for(source(flat()), page.fields))
    assert document.pages[0].fields[0].name == "text_1_1"
