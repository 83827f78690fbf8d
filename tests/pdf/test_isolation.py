# SPDX-License-Identifier: Apache-2.0
"""Readers that die, hang or run out of memory cost one page, never the document."""

import os
import signal
from dataclasses import replace

import numpy as np
import pytest

from acromeld.errors import LimitExceeded, NotAPdf, PasswordNeeded
from acromeld.pdf.document import open_document
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.limits import Limits
from acromeld.pdf.page import PageNeeds
from tests.pdf.drawn import drawn
from tests.pdf.hostile import content_bomb, locked, numbered, object_stream_bomb

NEEDS = PageNeeds()
PICTURE = PageNeeds(raster_long_side=300, colour=True)


def texts(pages):
    return [page.primitives.words.text[0] if page.primitives else None for page in pages]


@pytest.fixture(scope="module")
def shared():
    """One reader for tests that leave it in order."""
    with IsolatedReader() as reader:
        yield reader


def child(reader):
    return reader._process.child


def assert_one_page_was_lost(pages, prefix):
    lost = [page for page in pages if page.primitives is None]
    assert len(lost) == 1
    assert lost[0].notes[0].startswith(f"Page {lost[0].index + 1} could not be read (")
    assert lost[0].notes[0].endswith("and was skipped.")
    assert (lost[0].width, lost[0].height) == (200, 300)
    assert texts(pages) == [None if page is lost[0] else f"{prefix}{page.index}" for page in pages]
    assert pages[-1].primitives is not None


def test_pages_are_the_same_on_both_sides_of_the_border(shared):
    data = numbered("a")
    there = list(shared.open(data).pages(PICTURE))
    with open_document(data) as document:
        here = [document.read_page(index, PICTURE) for index in range(len(document))]
    for near, far in zip(here, there, strict=True):
        assert (near.index, near.frame, near.notes) == (far.index, far.frame, far.notes)
        assert near.raster.scale == far.raster.scale
        assert np.array_equal(near.raster.pixels, far.raster.pixels)
        assert near.primitives.words.text == far.primitives.words.text
        for room in ("words", "shapes"):
            ours, theirs = vars(getattr(near.primitives, room)), vars(getattr(far.primitives, room))
            assert all(np.array_equal(ours[name], theirs[name]) for name in ours)
            assert all(ours[name].dtype == theirs[name].dtype for name in ours if name != "text")


def test_a_killed_reader_costs_one_page():
    with IsolatedReader() as reader:
        pages = []
        for page in reader.open(numbered("a", 6)).pages(NEEDS):
            pages.append(page)
            if page.index == 1:
                child(reader).kill()
                child(reader).wait()
    assert_one_page_was_lost(pages, "a")


def test_a_page_that_hangs_costs_one_page():
    """A stopped process never answers, so how long we wait does not matter."""
    with IsolatedReader() as reader:
        pages = []
        for page in reader.open(numbered("a", 6)).pages(NEEDS):
            pages.append(page)
            if page.index == 1:
                os.kill(child(reader).pid, signal.SIGSTOP)
                reader._process.limits = replace(reader.limits, page_seconds=0.2)
    assert_one_page_was_lost(pages, "a")
    assert "longer than 0.2 s" in next(page for page in pages if page.notes).notes[0]


def test_a_reader_that_hangs_while_opening_is_told():
    with IsolatedReader() as reader:
        reader.open(numbered("a"))
        os.kill(child(reader).pid, signal.SIGSTOP)
        reader._process.limits = replace(reader.limits, page_seconds=0.2)
        with pytest.raises(LimitExceeded, match=r"could not be opened: it took longer than 0.2 s\."):
            reader.open(numbered("b"))
        assert texts(reader.open(numbered("c", 1)).pages(NEEDS)) == ["c0"]


def test_a_reader_that_died_between_documents_is_replaced():
    with IsolatedReader() as reader:
        assert len(reader.open(numbered("a")).facts) == 4
        child(reader).kill()
        child(reader).wait()
        assert texts(reader.open(numbered("b", 2)).pages(NEEDS)) == ["b0", "b1"]


def test_a_document_does_not_wait_behind_a_page_that_hangs():
    """More bytes than a pipe holds, sent to a process that does not read."""
    large = drawn("% " + os.urandom(400_000).hex() + "\nBT /F1 10 Tf 20 200 Td (large) Tj ET")
    with IsolatedReader() as reader:
        pages = reader.open(numbered("a")).pages(NEEDS)
        next(pages)
        os.kill(child(reader).pid, signal.SIGSTOP)
        reader._process.limits = replace(reader.limits, page_seconds=0.2)
        reader._process.request(3, NEEDS)
        assert texts(reader.open(large).pages(NEEDS)) == ["large"]


def test_a_decompression_bomb_costs_one_page():
    data = content_bomb(200)
    assert len(data) < 400_000
    with IsolatedReader(Limits(memory_bytes=320 * 2**20)) as reader:
        pages = list(reader.open(data).pages(NEEDS))
    assert_one_page_was_lost(pages, "a")
    assert "too much memory" in pages[1].notes[0]


def test_an_object_stream_bomb_is_not_opened():
    """qpdf reports memory that it did not get as damage; either way it ends with a sentence."""
    data = object_stream_bomb(200)
    assert len(data) < 400_000
    with IsolatedReader(Limits(memory_bytes=320 * 2**20)) as reader:
        with pytest.raises((LimitExceeded, NotAPdf)):
            reader.open(data)
        assert texts(reader.open(numbered("b", 1)).pages(NEEDS)) == ["b0"]


def test_abandoned_pages_are_not_taken_for_those_of_another_document(shared):
    first, second = shared.open(numbered("a")), numbered("b")
    pages = first.pages(NEEDS)
    assert texts([next(pages)]) == ["a0"]
    assert texts(shared.open(second).pages(NEEDS)) == ["b0", "b1", "b2", "b3"]
    assert texts(pages) == ["a1", "a2", "a3"]


def test_abandoned_pages_are_not_taken_for_others_of_the_same_document(shared):
    document = shared.open(numbered("a"))
    next(document.pages(NEEDS))
    assert texts(document.pages(NEEDS, [2, 0])) == ["a2", "a0"]
    next(document.pages(NEEDS))
    pages = list(document.pages(PICTURE))
    assert texts(pages) == ["a0", "a1", "a2", "a3"]
    assert all(page.raster is not None for page in pages)


def test_two_documents_page_by_page(shared):
    first, second = shared.open(numbered("a")), shared.open(numbered("b"))
    both = zip(first.pages(NEEDS), second.pages(PICTURE), strict=True)
    found = [(texts([a]) + texts([b]), a.raster is None, b.raster is None) for a, b in both]
    assert found == [([f"a{n}", f"b{n}"], True, False) for n in range(4)]


FAILURES = {
    "no password": (locked(), None, Limits(), PasswordNeeded),
    "wrong password": (locked(), "guess", Limits(), PasswordNeeded),
    "not a PDF": (b"hello", None, Limits(), NotAPdf),
    "empty": (b"", None, Limits(), NotAPdf),
    "too many pages": (numbered("a"), None, Limits(pages=3), LimitExceeded),
    "too large": (numbered("a"), None, Limits(file_bytes=99), LimitExceeded),
}


@pytest.mark.parametrize(("data", "password", "limits", "error"), FAILURES.values(), ids=FAILURES.keys())
def test_failures_cross_the_border_as_they_are(data, password, limits, error):
    with pytest.raises(error) as direct, open_document(data, password=password, limits=limits):
        pass
    with IsolatedReader(limits) as reader, pytest.raises(error) as isolated:
        reader.open(data, password=password)
    assert type(direct.value) is type(isolated.value) is error
    assert str(direct.value) == str(isolated.value)
    assert str(direct.value).endswith(".")


def test_a_wrong_password_does_not_disturb_the_document_that_is_open(shared):
    document = shared.open(locked(), password="secret")
    with pytest.raises(PasswordNeeded):
        shared.open(locked(), password="guess")
    assert texts(document.pages(NEEDS)) == ["s0", "s1"]


def test_a_closed_reader_leaves_no_process():
    with IsolatedReader() as reader:
        reader.open(numbered("a"))
        process = child(reader)
    assert process.returncode is not None
