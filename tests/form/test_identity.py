# SPDX-License-Identifier: Apache-2.0
"""Titles: kept where an author gave one, else taken from the page or the file name."""

import numpy as np
import pikepdf
import pytest

import acromeld
from acromeld.form.identity import file_title, heading
from acromeld.form.writer import apply_fields
from acromeld.pdf.page import Words
from tests.form.samples import edited, fields_for, flat, opened, source
from tests.form.test_tags import words_of


def title_of(data, **options):
    document = source(data)
    with opened(apply_fields(document, fields_for(document), **options).data) as pdf:
        assert pdf.Root.ViewerPreferences.DisplayDocTitle
        with pdf.open_metadata() as metadata:
            assert metadata["dc:title"] == str(pdf.docinfo["/Title"])
            return metadata["dc:title"]


def large_print():
    def edit(pdf: pikepdf.Pdf) -> None:
        extra = pdf.make_stream(b"\nBT /F1 20 Tf 60 740 Td (Dog licence) Tj ET")
        pdf.pages[0].contents_add(extra)

    return edited(flat(), edit)


def test_file_name_when_there_is_nothing_else():
    assert title_of(flat()) == "form"


def test_heading_of_the_first_page():
    data = large_print()
    assert title_of(data, words=words_of(data)) == "Dog licence"


@pytest.mark.parametrize("given", ["Application for a dog licence", "Antrag auf Hundehaltung"])
def test_the_authors_title_stays(given):
    data = edited(large_print(), lambda pdf: pdf.docinfo.__setitem__("/Title", given))
    assert title_of(data, words=words_of(data)) == given


def test_preferences_of_the_author_stay():
    preferences = pikepdf.Dictionary(HideToolbar=True, DisplayDocTitle=False)
    document = source(edited(flat(), lambda pdf: pdf.Root.__setitem__("/ViewerPreferences", preferences)))
    with opened(apply_fields(document, fields_for(document)).data) as pdf:
        assert pdf.Root.ViewerPreferences.HideToolbar
        assert pdf.Root.ViewerPreferences.DisplayDocTitle


def test_metadata_that_cannot_be_read_stays():
    def edit(pdf: pikepdf.Pdf) -> None:
        pdf.Root["/Metadata"] = pdf.make_stream(b"<not xml", Type=pikepdf.Name.Metadata)

    document = source(edited(flat(), edit))
    result = apply_fields(document, fields_for(document))
    with opened(result.data) as pdf:
        assert str(pdf.docinfo["/Title"]) == "form"


def test_print_of_one_size_has_no_heading():
    yes, no = np.ones(4, dtype=bool), np.zeros(4, dtype=bool)
    box = np.array([(60, y, 100, y + 10) for y in (50, 100, 200, 400)], dtype=float)
    words = Words(box, ("a", "b", "c", "d"), np.full(4, 10.0), np.full(4, 400.0), yes, no, yes)
    assert heading(words) == ""
    assert heading(None) == ""


@pytest.mark.parametrize(
    ("name", "title"), [("dog_licence-2024.pdf", "dog licence 2024"), (".pdf", "Form"), ("x.PDF", "x")]
)
def test_file_names_read_as_titles(name, title):
    assert file_title(name) == title


def german_cover():
    """A first page of German prose under a large heading; a second without a word."""

    def edit(pdf: pikepdf.Pdf) -> None:
        prose = "Bitte lesen Sie die folgenden Hinweise und geben Sie den Antrag bei der Gemeinde ab"
        text = f"BT /F1 10 Tf 60 600 Td ({prose}) Tj /F1 20 Tf 0 140 Td (Antrag auf Wohngeld) Tj ET"
        pdf.pages[0].obj["/Contents"] = pdf.make_stream(text.encode())
        pdf.pages[1].obj["/Contents"] = pdf.make_stream(b"60 600 m 300 600 l S")

    return edited(flat(pages=2), edit)


def test_apply_reads_the_first_page_for_the_title_and_all_for_their_silence():
    document = source(german_cover())
    form = acromeld.apply(document, fields_for(document, page=1), isolated=False)
    with opened(form.data) as pdf:
        assert str(pdf.docinfo["/Title"]) == "Antrag auf Wohngeld"
        assert "/Lang" not in pdf.Root
