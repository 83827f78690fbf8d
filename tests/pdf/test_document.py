# SPDX-License-Identifier: Apache-2.0
"""Damaged files: what can be repaired is read, and both engines see the same pages."""

import pytest

from acromeld.errors import NotAPdf
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from tests.form.samples import flat
from tests.pdf import hostile


def texts(data):
    with open_document(data) as document:
        pages = [document.read_page(index, PageNeeds()) for index in range(len(document))]
        return [page.primitives.words.text[0] for page in pages], document.facts.notes


def test_something_else_among_the_pages_costs_no_page():
    assert texts(hostile.stray_number_in_the_page_tree())[0] == ["a0", "a1"]


def test_a_missing_page_leaves_the_others():
    found, notes = texts(hostile.missing_page())
    assert found == ["a1"]
    assert notes == ("document.pdf is damaged; a repaired copy was read.",)


def test_a_file_without_its_end_is_repaired():
    found, notes = texts(flat()[:-150])
    assert found == ["Full"]
    assert notes == ("document.pdf is damaged; a repaired copy was read.",)


def test_an_honest_file_has_nothing_to_tell():
    assert texts(hostile.numbered("a", 3)) == (["a0", "a1", "a2"], ())


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"%PDF-1.7", hostile.without_pages(), hostile.endless_page_tree()]
)
def test_what_is_no_document(data):
    with pytest.raises(NotAPdf), open_document(data):
        pass
