# SPDX-License-Identifier: Apache-2.0
"""What is in the form, in which order, and how a fields file is read back into a review."""

import json
from pathlib import Path

import pytest

from acromeld.fields import Field, FieldKind, PageRef
from acromeld.pdf.frame import PageFrame
from acromeld.review.merging import identified, merge
from acromeld.review.order import in_tab_order
from acromeld.review.state import ReviewField, ReviewPage, Thresholds, Verdict, form_pages, in_form
from tests.review.made import AGREE, HEIGHT, NAME, SIGN, WIDTH, document, flat_pdf

CASES = json.loads(Path(__file__).with_name("order_cases.json").read_text("utf-8"))
HALF = Thresholds(text=0.5, choice=0.5, signature=0.5)
FRAME = PageFrame((0.0, 0.0, WIDTH, HEIGHT), 0, 1.0)
PAGE = PageRef(index=0, width=WIDTH, height=HEIGHT)


def made(score: float, verdict: Verdict = Verdict.AUTO, name: str = "x", **more: object) -> ReviewField:
    return ReviewField(
        kind=FieldKind.TEXT, box=(10, 10, 90, 30), score=score, verdict=verdict, id=name, **more
    )


@pytest.mark.parametrize("case", CASES, ids=[case["why"] for case in CASES])
def test_tab_order(case):
    fields = [Field(kind=FieldKind.TEXT, **field) for field in case["fields"]]
    assert [field.id for field in in_tab_order(fields)] == case["order"]


@pytest.mark.parametrize(
    ("field", "inside"),
    [
        (made(0.5), True),
        (made(0.49), False),
        (made(0.1, Verdict.KEPT), True),
        (made(0.99, Verdict.DROPPED), False),
    ],
)
def test_a_persons_word_outranks_the_threshold(field, inside):
    assert in_form(field, HALF) is inside


def test_the_fields_file_gets_what_is_in_the_form_with_numbers_and_without_verdicts():
    low = ReviewField(kind=FieldKind.TEXT, box=(10, 50, 90, 70), score=0.2, id="low")
    last = ReviewField(kind=FieldKind.CHOICE, box=(10, 90, 30, 110), score=0.9, id="last", order=7)
    (page,) = form_pages([ReviewPage(page=PAGE, fields=(last, low, made(0.8)))], HALF)
    assert [(field.id, field.order) for field in page.fields] == [("x", 0), ("last", 1)]
    assert type(page.fields[0]) is Field


def test_a_foreign_fields_file_stays_whole_whatever_its_scores(tmp_path):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf())
    pages = merge([FRAME], document(pdf), {}, HALF)
    verdicts = {field.id: field.verdict for field in pages[0].fields}
    assert verdicts == {"name": "auto", "street": "auto", "agree": "kept", "sign": "kept"}
    assert all(in_form(field, HALF) for field in pages[0].fields)


def test_the_file_says_what_is_in_the_form_and_the_memory_what_else_there_is(tmp_path):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf())
    file = document(pdf, fields=(NAME, AGREE))
    remembered = ReviewPage(
        page=PAGE,
        fields=(
            ReviewField(**NAME.model_dump(), verdict=Verdict.KEPT),
            made(0.9, name="taken out in an editor"),
            made(0.2, name="candidate"),
            made(0.9, Verdict.DROPPED, name="rejected"),
        ),
    )
    pages = merge([FRAME], file, {0: remembered}, Thresholds(text=0.5, choice=0.3, signature=0.5))
    assert {field.id: field.verdict for field in pages[0].fields} == {
        "name": "kept",
        "agree": "auto",
        "taken out in an editor": "dropped",
        "candidate": "auto",
        "rejected": "dropped",
    }


def test_pages_missing_from_the_file_are_there_and_empty(tmp_path):
    pdf = tmp_path / "form.pdf"
    pdf.write_bytes(flat_pdf(2))
    pages = merge([FRAME, FRAME], document(pdf), {}, HALF)
    assert len(pages[1].fields) == 0
    assert pages[1].page.index == 1


def test_every_field_gets_an_identity_of_its_own():
    bare = SIGN.model_copy(update={"id": None})
    names = [field.id for field in identified([NAME, bare, NAME, bare], 2)]
    assert names[0] == "name"
    assert len(set(names)) == 4
