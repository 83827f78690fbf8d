# SPDX-License-Identifier: Apache-2.0
"""Descriptions through the whole of the product: in the fields file, edited, written, beside other fields."""

from pathlib import Path

import numpy as np
import pytest

import acromeld
from acromeld.fields import FieldKind, parse_document
from acromeld.form.describe import page
from acromeld.form.from_widgets import fields_from_widgets
from acromeld.pdf.page import Words
from acromeld.pdf.source import Source
from tests.form.samples import add_widget, edited, flat, opened, widgets

EXAMPLE = Path(__file__).parents[3] / "examples" / "application.pdf"


@pytest.fixture(scope="module")
def found():
    return acromeld.detect(EXAMPLE, isolated=False)


def _fields(document):
    return [field for page in document.pages for field in page.fields]


def test_the_fields_file_carries_everything(found):
    fields = _fields(found)
    assert found.language == "en"
    assert all(field.name and field.tooltip for field in fields)
    texts = [field for field in fields if field.kind is FieldKind.TEXT]
    assert all(field.font_size and field.multiline is not None for field in texts)
    assert all(field.mark and field.option for field in fields if field.kind is FieldKind.CHOICE)
    tooltips = {field.tooltip for field in fields}
    assert {"Family name", "Given names", "Postcode", "Telephone"} <= tooltips


def test_names_are_unique_but_for_the_buttons_of_a_group(found):
    single = [field.name for field in _fields(found) if field.group is None]
    grouped = {(field.group, field.name) for field in _fields(found) if field.group is not None}
    names = [*single, *(name for _, name in grouped)]
    assert len(set(names)) == len(names)


def test_raw_fields_are_not_described():
    raw = acromeld.detect(EXAMPLE, raw=True, isolated=False)
    assert raw.language is None
    assert all(field.name is None and field.tooltip is None for field in _fields(raw))


def test_an_edited_tooltip_is_what_gets_written(found):
    text = found.to_json().replace('"Family name"', '"Your family name"')
    written = acromeld.apply(EXAMPLE, parse_document(text), isolated=False)
    again = fields_from_widgets(Source(written.data, "again.pdf"))
    assert "Your family name" in {field.tooltip for field in _fields(again)}


def test_describing_twice_gives_the_same(found):
    assert acromeld.detect(EXAMPLE, isolated=False) == found


def test_an_existing_field_keeps_its_name_and_a_new_one_gets_another(found):
    taken = next(field.name for field in _fields(found) if field.kind is FieldKind.TEXT)
    data = edited(EXAMPLE.read_bytes(), lambda pdf: add_widget(pdf, (500, 5, 590, 18), name=taken))
    recovered = acromeld.recover(data, isolated=False)
    with opened(recovered.form.data) as pdf:
        names = [str(item["/T"]) for item in widgets(pdf) if "/T" in item]
    assert names.count(taken) == 1
    assert f"{taken}_2" in names


def test_the_language_of_a_scan_is_that_of_the_words_ocr_has_read(monkeypatch):
    said = "Bitte geben Sie den Antrag mit allen Unterlagen bei der Gemeinde ab und behalten Sie eine Kopie"
    text = tuple(said.split())
    box = np.array([[60.0 + 20 * n, 300.0, 75.0 + 20 * n, 310.0] for n in range(len(text))])
    plain, yes = np.full(len(text), 10.0), np.ones(len(text), dtype=np.bool_)
    words = Words(box, text, plain, plain * 40, yes, ~yes, yes)
    monkeypatch.setattr(page, "page_words", lambda *_: (words, ()))
    assert acromeld.detect(flat(), detector="rules", isolated=False).language == "de"
