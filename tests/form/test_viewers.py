# SPDX-License-Identifier: Apache-2.0
"""Written forms in other people's software: PDFium fills, pdf.js reads, poppler shows."""

import numpy as np
import pytest

from acromeld.fields import Field
from acromeld.form.writer import apply_fields
from acromeld.pdf.source import open_pikepdf, page_frame
from tests.form.pdfium_user import PdfiumUser, fill
from tests.form.samples import (
    CHECK_BOX,
    LINK,
    NOTES_BOX,
    TEXT,
    TEXT_BOX,
    fields_for,
    flat,
    opened,
    paged,
    source,
    widgets,
)

PLACES = [(0, None), (90, (20, 30, 600, 770)), (180, None), (270, (20, 30, 600, 770))]
NOTES = "several words that go over more than a single line of the notes box"


def written(document):
    """The form, and the frame of its first page."""
    with open_pikepdf(document) as pdf:
        frame = page_frame(pdf.pages[0])
    return apply_fields(document, fields_for(document)).data, frame


@pytest.mark.parametrize(("rotation", "crop"), PLACES)
def test_pdfium_types_toggles_saves(rotation, crop, qpdf_check):
    form, frame = written(source(paged(rotation=rotation, crop=crop)))
    filled = fill(form, frame, typed={TEXT_BOX: "Ada Lovelace", NOTES_BOX: NOTES}, clicked=[CHECK_BOX])
    with opened(filled) as pdf:
        name, check, notes, _ = widgets(pdf)
        assert str(name.V) == "Ada Lovelace"
        assert str(notes.V) == NOTES
        assert (check.V, check.AS) == ("/Yes", "/Yes")
    assert qpdf_check(filled) == ""


def test_pdfium_toggles_back():
    form, frame = written(source(flat()))
    with opened(fill(form, frame, typed={}, clicked=[CHECK_BOX, CHECK_BOX])) as pdf:
        assert (widgets(pdf)[1].V, widgets(pdf)[1].AS) == ("/Off", "/Off")


def test_pdfium_tabs_in_our_order():
    document = source(flat())
    boxes = [(100.0, y, 200.0, y + 18) for y in (300.0, 100.0, 200.0)]
    fields = [Field(kind=TEXT, box=box, order=place) for place, box in enumerate(boxes)]
    form = apply_fields(document, fields_for(document, fields)).data
    with open_pikepdf(document) as pdf:
        user = PdfiumUser(form, page_frame(pdf.pages[0]))
    user.click(boxes[0])
    for character in "123":
        user.enter(character)
        user.press_tab()
    with opened(user.saved()) as pdf:
        assert [str(item.V) for item in widgets(pdf)] == ["1", "2", "3"]
    user.close()


def test_comb_stops_at_its_last_cell():
    document = source(flat())
    field = Field(kind=TEXT, box=TEXT_BOX, comb=5)
    form = apply_fields(document, fields_for(document, [field])).data
    with open_pikepdf(document) as pdf:
        frame = page_frame(pdf.pages[0])
    with opened(fill(form, frame, typed={TEXT_BOX: "1234567"})) as pdf:
        assert str(widgets(pdf)[0].V) == "12345"


def test_pdfjs_reads_names_print_flags_and_appearances(pdfjs):
    form, _ = written(source(paged(rotation=90)))
    [link, text, check, notes, signature] = pdfjs(form)[0]
    assert link["url"] == LINK
    assert [item["fieldName"] for item in (text, check, notes, signature)] == [
        "text_1_1",
        "choice_1_1",
        "text_1_2",
        "signature_1_1",
    ]
    for item in (text, check, notes, signature):
        assert item["print"]
        assert item["hasAppearance"]
        assert item["rotation"] == 90
    assert text["alternativeText"] == "Text field 1, page 1"
    assert (check["checkBox"], check["exportValue"], check["fieldValue"]) == (True, "Yes", "Off")
    assert (text["multiLine"], notes["multiLine"]) == (False, True)
    assert (text["fontName"], text["fontSize"]) == ("Helv", 10)
    assert signature["fieldType"] == "Sig"


@pytest.mark.parametrize(("rotation", "crop"), PLACES)
def test_poppler_shows_what_pdfium_filled_in(rotation, crop, poppler):
    form, frame = written(source(paged(rotation=rotation, crop=crop)))
    filled = fill(form, frame, typed={TEXT_BOX: "HHHHHHHH", NOTES_BOX: NOTES}, clicked=[CHECK_BOX])
    empty, full = poppler(form).astype(int), poppler(filled).astype(int)
    new_ink = (empty - full) > 60
    for box in (TEXT_BOX, NOTES_BOX, CHECK_BOX):
        assert inside(new_ink, box).sum() >= 8
    outside = new_ink.copy()
    for box in (TEXT_BOX, NOTES_BOX, CHECK_BOX):
        inside(outside, box)[:] = False
    assert not outside.any()
    # Upright: a line of text is wider than it is high on the displayed page, whatever the rotation.
    rows, columns = np.nonzero(inside(new_ink, TEXT_BOX))
    assert np.ptp(columns) > 3 * np.ptp(rows)
    # And it starts at the left edge of the box, so it is not upside down.
    assert columns.min() < 10


def inside(pixels, box):
    x0, y0, x1, y1 = (round(value) for value in box)
    return pixels[y0 - 1 : y1 + 1, x0 - 1 : x1 + 1]


def test_an_unfilled_form_looks_like_the_original(poppler):
    document = source(flat())
    form, _ = written(document)
    assert np.array_equal(poppler(form), poppler(document.data))
