# SPDX-License-Identifier: Apache-2.0
"""Multipart bodies in pieces of any size, and the choice of an answer."""

import tempfile
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.serve.answers import event, notes_header
from acromeld.serve.jobs import OFFERS, Answer, Job, Kind
from acromeld.serve.negotiation import choose
from acromeld.serve.problems import Problem, Trouble
from acromeld.serve.uploads import FormReader, Upload, safe_name

TYPE = "multipart/form-data; boundary=edge"
FILES = {"file": 1000}
TEXTS = frozenset({"password"})


def body(data: bytes, password: str) -> bytes:
    return (
        b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n'
        + data
        + b'\r\n--edge\r\nContent-Disposition: form-data; name="password"\r\n\r\n'
        + password.encode()
        + b"\r\n--edge--\r\n"
    )


def read(whole: bytes, cuts: list[int]) -> tuple[bytes, str, str]:
    with Upload() as upload:
        reader = FormReader(upload, TYPE, FILES, TEXTS, tempfile.gettempdir())
        edges = sorted({0, len(whole), *(cut % (len(whole) + 1) for cut in cuts)})
        for start, end in pairwise(edges):
            reader.feed(whole[start:end])
        reader.finish()
        upload.files["file"].seek(0)
        return upload.files["file"].read(), upload.texts["password"], upload.name


@given(
    st.binary(max_size=400).filter(lambda data: b"--edge" not in data),
    st.text(st.characters(codec="utf-8"), max_size=60).filter(lambda text: "--edge" not in text),
    st.lists(st.integers(0, 2000), max_size=8),
)
def test_however_a_body_is_cut_the_parts_are_the_same(data, password, cuts):
    assert read(body(data, password), cuts) == (data, password, "a.pdf")


@given(st.integers(0, 10_000), st.lists(st.integers(0, 2000), max_size=4))
def test_a_body_that_ends_early_is_refused(cut, cuts):
    whole = body(b"%PDF", "secret")
    with pytest.raises(Trouble) as trouble:
        read(whole[: cut % (len(whole) - len(b"--\r\n"))], cuts)
    assert trouble.value.problem is Problem.BAD_REQUEST


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_any_other_body_is_refused_and_nothing_else_happens(noise, cuts):
    with pytest.raises(Trouble):
        read(b"--edge\r\n" + noise, cuts)


@given(st.text())
def test_names_are_short_printable_and_without_folders(name):
    safe = safe_name(name)
    assert 0 < len(safe) <= 200
    assert safe.isprintable()
    assert not set(safe) & set("/\\")


def test_a_name_keeps_its_letters():
    assert safe_name("C:\\forms\\Antrag Müller.pdf") == "Antrag Müller.pdf"
    assert safe_name("/") == "document.pdf"


@pytest.mark.parametrize(
    ("accept", "chosen"),
    [
        ("", Answer.PDF),
        ("*/*", Answer.PDF),
        ("application/json", Answer.JSON),
        ("application/*", Answer.PDF),
        ("application/*;q=0.5, application/json", Answer.JSON),
        ("text/html, application/xhtml+xml, */*;q=0.8", Answer.PDF),
        ("application/pdf;q=0.1, text/*;q=0.2", Answer.EVENTS),
        ("application/pdf;q=0, */*", Answer.JSON),
        ("TEXT/EVENT-STREAM", Answer.EVENTS),
    ],
)
def test_the_best_liked_answer_is_chosen(accept, chosen):
    assert choose(accept, OFFERS[Kind.RECOVER]) is chosen


@given(st.text())
def test_any_accept_header_is_an_offer_or_a_refusal(accept):
    try:
        outcome = choose(accept, OFFERS[Kind.DETECT])
    except Trouble as trouble:
        outcome = trouble.problem
    assert outcome in (*OFFERS[Kind.DETECT], Problem.NOT_ACCEPTABLE)


def test_a_job_survives_its_journey():
    job = Job(Kind.APPLY, Answer.JSON, name="a.pdf", password="p", force=True)
    assert Job.from_message(job.to_message()) == job
    assert "password" not in repr(job)


def test_line_breaks_of_an_event_survive():
    assert event("result", "{\n1\n}\n") == b"event: result\ndata: {\ndata: 1\ndata: }\n\n"


def test_notes_fit_into_a_header():
    assert notes_header(["Gruß"]) == '["Gru\\u00df"]'
    long = notes_header([f"Page {number} could not be read." for number in range(1000)])
    assert long.startswith('["Page 0 could')
    assert 3000 < len(long) <= 4000
