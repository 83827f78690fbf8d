# SPDX-License-Identifier: Apache-2.0
"""Labels found on made-up and on real pages."""

import io

import pikepdf
import pytest
from reportlab.pdfgen.canvas import Canvas

import acromeld
from acromeld.form.describe.label_candidates import find_candidates
from acromeld.form.describe.labels import LabelReader, find_labels
from acromeld.form.describe.options import says_more
from acromeld.form.describe.page import describe_page
from acromeld.form.describe.surroundings import look_around
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from tests.form.describe.pages import (
    backward_at,
    choice,
    fields_of,
    lines_at,
    page_of,
    text,
    words_at,
)

ARABIC = [("الاسم", "اللقب"), ("تاريخ الميلاد", "العنوان"), ("الهاتف", "البريد الإلكتروني")]
HEBREW = [("שם פרטי", "שם משפחה"), ("תאריך לידה", "כתובת"), ("טלפון", "דואר אלקטרוני")]


def labels(page, *fields):
    return [label.text for label in find_labels(page, fields)]


def test_the_label_of_a_line_stands_to_its_left():
    rows = ("Surname:", "First name:", "Street and number:", "Occupation:")
    page = page_of(
        words_at([(row, 60, 100 + 24 * place) for place, row in enumerate(rows)]),
        lines_at([(180, 102 + 24 * place, 400, 102 + 24 * place) for place in range(4)]),
    )
    fields = [text(180, 90 + 24 * place, 400, 102 + 24 * place) for place in range(4)]
    assert labels(page, *fields) == ["Surname", "First name", "Street and number", "Occupation"]


@pytest.mark.parametrize("initials", ["M.I.", "M. I.", "S.S.N.", "Д.Р."])
def test_initials_are_a_label(initials):
    heads = ("Last name", "First name", initials)
    page = page_of(
        words_at([(head, 60 + 170 * place, 88) for place, head in enumerate(heads)]),
        lines_at([(60 + 170 * place, 112, 200 + 170 * place, 112) for place in range(3)]),
    )
    fields = [text(60 + 170 * place, 96, 200 + 170 * place, 112) for place in range(3)]
    assert labels(page, *fields) == list(heads)


def test_the_label_of_a_box_to_tick_stands_to_its_right():
    rows = ("Single", "Married", "Widowed")
    page = page_of(words_at([(row, 80, 100 + 18 * place) for place, row in enumerate(rows)]))
    fields = [choice(62, 91 + 18 * place, 72, 101 + 18 * place) for place in range(3)]
    found = find_labels(page, fields)
    assert [label.option for label in found] == list(rows)
    assert all(row in label.text for row, label in zip(rows, found, strict=True))


def test_answers_below_each_other_are_options_of_their_own():
    rows = [("Legally blind", 60), ("Yes", 172), ("No", 222)]
    page = page_of(words_at([(said, x, y) for y in (100, 112) for said, x in rows]))
    fields = [choice(x, y - 8, x + 10, y + 1) for y in (100, 112) for x in (160, 210)]
    assert [label.option for label in find_labels(page, fields)] == ["Yes", "No", "Yes", "No"]


def test_a_question_right_above_its_first_answer_is_no_part_of_it():
    page = page_of(
        words_at([("Are you a citizen?", 60, 100), ("Yes", 74, 112), ("No", 134, 112)]),
    )
    fields = [choice(60, 104, 70, 113), choice(120, 104, 130, 113)]
    assert [label.option for label in find_labels(page, fields)] == ["Yes", "No"]
    assert LabelReader(look_around(page, fields)).question([0, 1]) == "Are you a citizen?"


def test_the_further_lines_of_an_answer_are_its_own():
    page = page_of(words_at([("I agree that my data", 74, 100), ("are kept for a year", 74, 112)]))
    around = look_around(page, [choice(60, 92, 70, 101)])
    found = find_candidates(around)
    assert found.whole.any()
    assert not says_more(around, found).any()


def test_the_question_of_a_group_is_what_all_its_options_stand_under():
    page = page_of(
        words_at([("What is your marital status?", 60, 80), ("Single", 80, 100), ("Married", 80, 118)])
    )
    fields = [choice(62, 91, 72, 101), choice(62, 109, 72, 119)]
    assert LabelReader(look_around(page, fields)).question([0, 1]) == "What is your marital status?"


@pytest.mark.parametrize(
    ("first", "second"),
    [("الاسم الكامل", "تاريخ الميلاد"), ("שם פרטי", "תאריך לידה")],
    ids=["Arabic", "Hebrew"],
)
def test_labels_of_scripts_from_the_right_stand_to_the_right_and_read_in_their_order(first, second):
    page = page_of(
        backward_at([(first, 550, 100), (second, 550, 124)]),
        lines_at([(250, 102, 450, 102), (250, 126, 450, 126)]),
    )
    assert labels(page, text(250, 90, 450, 102), text(250, 114, 450, 126)) == [first, second]


@pytest.mark.parametrize("rows", [ARABIC, HEBREW], ids=["Arabic", "Hebrew"])
def test_a_label_from_the_right_belongs_to_the_field_on_its_left_though_another_is_nearer(rows):
    placed, fields, expected = [], [], []
    for line, row in enumerate(rows):
        y = 100.0 + 40 * line
        for right, label in zip((560.0, 290.0), row, strict=True):
            placed.append((label, right, y))
            fields.append(text(right - 240, y - 12, right - 100, y + 2))
            expected.append(label)
    found = find_labels(page_of(backward_at(placed), lines_at([])), fields)
    assert [label.text for label in found] == expected
    # The label is where it is printed, not where it would be in a mirror.
    assert all(label.box[0] > field.box[2] for label, field in zip(found, fields, strict=True))


def _from_the_right(rows):
    """A flat form whose letters are drawn from the last to the first, as programs for these scripts do it.

    No font with the letters is needed: what the codes of a font mean is said by its /ToUnicode.
    """
    letters = sorted(set("".join(label for row in rows for label in row)) - {" "})
    codes = {letter: chr(0x41 + place) for place, letter in enumerate(letters)} | {" ": " "}
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=True)
    canvas.setFont("Helvetica", 10)
    for line, row in enumerate(rows):
        for right, label in zip((560, 290), row, strict=True):
            drawn = "".join(codes[letter] for letter in reversed(label))
            canvas.drawRightString(right, 672 - 40 * line, drawn)
            canvas.line(right - 240, 670 - 40 * line, right - 130, 670 - 40 * line)
    canvas.save()
    pairs = "\n".join(f"<{ord(codes[letter]):02X}> <{ord(letter):04X}>" for letter in letters)
    meaning = (
        "/CIDInit /ProcSet findresource begin begincmap /CMapName /M def /CMapType 2 def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{pairs}\nendbfchar endcmap end"
    )
    with pikepdf.open(io.BytesIO(buffer.getvalue())) as pdf:
        for font in pdf.pages[0].Resources.Font.values():
            font["/ToUnicode"] = pdf.make_stream(meaning.encode())
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()


@pytest.mark.parametrize("rows", [ARABIC, HEBREW], ids=["Arabic", "Hebrew"])
def test_a_form_from_the_right_is_labelled_and_visited_from_the_right(rows):
    done = acromeld.recover(_from_the_right(rows), detector="rules", isolated=False)
    with pikepdf.open(io.BytesIO(done.form.data)) as pdf:
        visited = [str(widget.TU) for widget in pdf.pages[0].Annots]
        left = [float(widget.Rect[0]) for widget in pdf.pages[0].Annots]
    assert visited == [label for row in rows for label in row]
    assert all(first > second for first, second in zip(left[::2], left[1::2], strict=True))


def test_options_of_scripts_from_the_right_stand_to_the_left_of_their_boxes():
    page = page_of(backward_at([("ذكر", 530, 100), ("أنثى", 400, 100)]))
    found = find_labels(page, [choice(536, 91, 546, 101), choice(406, 91, 416, 101)])
    assert [label.option for label in found] == ["ذكر", "أنثى"]


def test_nothing_is_made_up_where_nothing_is_printed():
    page = page_of(words_at([]))
    described = describe_page(page, fields_of(text(100, 100, 200, 115))).page
    assert described.fields[0].tooltip is None


def test_no_fields_no_work():
    empty = fields_of()
    assert describe_page(page_of(words_at([("Hello", 60, 100)])), empty).page is empty


def _printed(rotation):
    """A form that reads upright when its page is turned."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=True)
    canvas.saveState()
    if rotation == 90:
        canvas.translate(612, 0)
        canvas.rotate(90)
    elif rotation == 180:
        canvas.translate(612, 792)
        canvas.rotate(180)
    elif rotation == 270:
        canvas.translate(0, 792)
        canvas.rotate(270)
    height = 612 if rotation % 180 else 792
    canvas.setFont("Helvetica", 10)
    for place, label in enumerate(("Surname:", "First name:", "Occupation:")):
        canvas.drawString(60, height - 100 - 24 * place, label)
        canvas.line(150, height - 102 - 24 * place, 350, height - 102 - 24 * place)
    canvas.restoreState()
    canvas.save()
    with pikepdf.open(io.BytesIO(buffer.getvalue())) as pdf:
        pdf.pages[0].obj["/Rotate"] = rotation
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_a_turned_page_has_the_same_labels(rotation):
    fields = [text(150, 90 + 24 * place, 350, 102 + 24 * place) for place in range(3)]
    with open_document(_printed(rotation)) as document:
        page = document.read_page(0, PageNeeds())
    assert labels(page, *fields) == ["Surname", "First name", "Occupation"]
