# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.detect.candidates import PageCandidates
from acromeld.errors import BadFields, InputNotFound
from acromeld.evaluate.candidate_lines import (
    candidate_line,
    holds_candidates,
    parse_candidates,
    read_candidates,
)
from acromeld.evaluate.pages import PredictedPage
from acromeld.evaluate.predictions import parse_page, read_predictions
from acromeld.fields import SCHEMA, DetectorRef, parse_line
from tests.evaluate.made_up import corpus, digest


def _line(**changes: object) -> dict:
    line: dict = {
        "schema": SCHEMA,
        "document": {"name": "a.pdf", "sha256": digest(1)},
        "detector": {"name": "rules"},
        "page": {"index": 2, "width": 612, "height": 792.5},
        "fields": [
            {"kind": "text", "box": [0, 0, 10, 10.5], "score": 0.5, "origin": "visual", "quality": 0.4},
            {"kind": "signature", "box": [5, 5, 9, 9]},
        ],
    }
    return line | changes


def test_a_line_becomes_arrays() -> None:
    page = parse_page(json.dumps(_line()))
    assert page.key == (digest(1), 2)
    assert (page.width, page.height) == (612.0, 792.5)
    assert page.candidates.box.tolist() == [[0, 0, 10, 10.5], [5, 5, 9, 9]]
    assert page.candidates.kind.tolist() == [0, 2]
    assert page.candidates.score.tolist() == [0.5, 1.0]
    assert page.candidates.origin == ("visual", "")
    assert page.detector == DetectorRef(name="rules")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "acromeld.fields/9"}, "acromeld.fields/9"),
        ({"fields": [{"kind": "stamp", "box": [0, 0, 1, 1]}]}, "fields.0.kind"),
        ({"fields": [{"kind": "text", "box": [0, 0, 0, 1]}]}, "x0 < x1"),
        ({"fields": [{"kind": "text", "box": [0, 0, 1]}]}, "fields.0.box"),
        ({"fields": [{"kind": "text", "box": [0, 0, 1, 1], "score": 1.5}]}, "fields.0.score"),
        ({"fields": [{"kind": "text", "box": [0, 0, 1, 1], "colour": "red"}]}, "fields.0.colour"),
        ({"fields": [{"kind": "text", "box": [0, 0, 1, None]}]}, "fields.0.box"),
        ({"page": {"index": -1, "width": 1, "height": 1}}, "page.index"),
        ({"page": {"index": 0, "width": 0, "height": 1}}, "page.width"),
        ({"document": {"name": "a", "sha256": "ABC"}}, "document.sha256"),
        ({"extra": 1}, "extra"),
    ],
)
def test_a_bad_line_names_its_place(changes: dict, message: str) -> None:
    with pytest.raises(BadFields, match=f"(?s)row 7.*{message}"):
        parse_page(json.dumps(_line(**changes)), "row 7")


@pytest.mark.parametrize("text", [b"", b"[1]", b"nonsense", b"\xff", b'{"schema": 3}'])
def test_what_is_not_a_line_at_all_is_refused(text: bytes) -> None:
    with pytest.raises(BadFields):
        parse_page(text, "row 1")


junk = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


PLACES = (
    *("schema", "document", "page", "fields", "detector", "notes", "operating_point", "field"),
    *("box", "score", "id", "quality", "origin", "name"),
)


@given(
    st.sampled_from(PLACES),
    junk,
)
@settings(max_examples=300, deadline=None)
def test_the_fast_reader_accepts_nothing_the_parser_refuses(place: str, value: object) -> None:
    line = _line()
    if place == "field":
        line["fields"][0] = value
    elif place in ("box", "score", "id", "quality", "origin", "name"):
        line["fields"][0][place] = value
    else:
        line[place] = value
    text = json.dumps(line)
    try:
        expected = parse_line(text)
    except BadFields:
        with pytest.raises(BadFields):
            parse_page(text)
        return
    found = parse_page(text).candidates
    assert found.box.tolist() == [list(field.box) for field in expected.fields]
    assert found.score.tolist() == [field.score for field in expected.fields]


def test_a_page_that_comes_twice_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text("\n".join([json.dumps(_line()), "", json.dumps(_line())]))
    with pytest.raises(BadFields, match="line 3 repeats page 3"):
        read_predictions(path)
    with pytest.raises(InputNotFound):
        read_predictions(tmp_path / "none.jsonl")


def test_candidates_come_back_bit_for_bit(tmp_path: Path) -> None:
    predicted, _ = corpus(5, links=True)
    path = tmp_path / "shard.jsonl"
    path.write_text("".join(candidate_line(page) + "\n" for page in predicted.values()))
    assert holds_candidates(path)
    back = read_candidates(path)
    assert back.keys() == predicted.keys()
    for key, page in back.items():
        original = predicted[key].candidates
        alive = original.score >= 0.01
        assert page.candidates.box.tolist() == original.box[alive].tolist()
        assert page.candidates.score.tolist() == original.score[alive].tolist()
        assert original.link is not None
        assert page.candidates.link is not None
        if alive.any():
            assert page.candidates.link.astype("f4").tolist() == original.link[alive].astype("f4").tolist()
        assert not page.decoded


def test_cap_detector_and_quality_survive() -> None:
    candidates = PageCandidates(
        np.array([[0.0, 0.0, 5.0, 5.0]]), np.array([1]), np.array([0.4]), ("rule",), quality=np.array([0.25])
    )
    ref = DetectorRef(name="ffgbt", weights="abc")
    page = PredictedPage(digest(3), 1, 100.0, 200.0, candidates, decoded=False, detector=ref, cap=300)
    back = parse_candidates(candidate_line(page))
    assert (back.cap, back.detector) == (300, ref)
    assert back.candidates.quality is not None
    assert back.candidates.quality.tolist() == [0.25]


@pytest.mark.parametrize(
    ("key", "value"), [("schema", "x"), ("kind", [7]), ("score", [2.0]), ("box", [[1, 2, 3]]), ("origin", [])]
)
def test_a_bad_candidate_line_is_refused(key: str, value: object) -> None:
    candidates = PageCandidates(np.array([[0.0, 0.0, 5.0, 5.0]]), np.array([1]), np.array([0.4]), ("rule",))
    line = json.loads(candidate_line(PredictedPage(digest(3), 1, 100.0, 200.0, candidates)))
    with pytest.raises(BadFields, match="row 2"):
        parse_candidates(json.dumps(line | {key: value}), "row 2")
