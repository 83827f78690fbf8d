# SPDX-License-Identifier: Apache-2.0
"""What is said of fields."""

import pytest

from acromeld.fields import Alignment, Field, TextFormat
from acromeld.form.spoken import spoken_name, with_option
from acromeld.form.writer import apply_fields
from tests.form.samples import CHOICE, SIGNATURE, TEXT, TEXT_BOX, fields_for, flat, opened, source, widgets


@pytest.mark.parametrize(
    ("tooltip", "expected", "language", "said"),
    [
        ("Received", TextFormat.DATE, "en-US", "Received, date"),
        ("Date of birth", TextFormat.DATE, "en", "Date of birth"),
        ("Geburtsdatum", TextFormat.DATE, "de", "Geburtsdatum"),
        ("Beginn", TextFormat.DATE, "de", "Beginn, Datum"),
        ("Received", TextFormat.DATE, None, "Received"),
        ("Дата", TextFormat.DATE, "uk", "Дата"),
        ("Fee", TextFormat.NUMBER, "en", "Fee, number"),
        ("Fee", None, "en", "Fee"),
    ],
)
def test_format_is_said_unless_the_tooltip_says_it(tooltip, expected, language, said):
    field = Field(kind=TEXT, box=TEXT_BOX, tooltip=tooltip, format=expected)
    assert spoken_name(field, 1, 1, language).text == said


@pytest.mark.parametrize(
    ("question", "option", "said"),
    [
        ("Member?", "Yes", "Member?: Yes"),
        ("Member: Yes", "Yes", "Member: Yes"),
        ("", "Yes", "Yes"),
        ("Member?", "", "Member?"),
        ("Yesterday", "Yes", "Yesterday: Yes"),
    ],
)
def test_options_are_said_once(question, option, said):
    assert with_option(question, option) == said


@pytest.mark.parametrize(
    ("kind", "said"), [(TEXT, "Text field"), (CHOICE, "Check box"), (SIGNATURE, "Signature")]
)
def test_without_a_tooltip_kind_number_and_page_are_said_in_english(kind, said):
    spoken = spoken_name(Field(kind=kind, box=TEXT_BOX, tooltip=" \x07 "), 2, 3, "de")
    assert (spoken.text, spoken.language) == (f"{said} 3, page 2", "en")


@pytest.mark.parametrize(
    ("align", "quadding"),
    [(None, None), (Alignment.LEFT, None), (Alignment.CENTRE, 1), (Alignment.RIGHT, 2)],
)
def test_alignment(align, quadding, pdfjs):
    document = source(flat(link=False))
    form = apply_fields(document, fields_for(document, [Field(kind=TEXT, box=TEXT_BOX, align=align)])).data
    with opened(form) as pdf:
        assert widgets(pdf)[0].get("/Q") == quadding
    assert pdfjs(form)[0][0]["textAlignment"] == quadding
