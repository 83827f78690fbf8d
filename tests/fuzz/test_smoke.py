# SPDX-License-Identifier: Apache-2.0
"""A handful of cases of the mutation harness, and what longer runs of it have found."""

import json
import random
from pathlib import Path

import pytest
from tools.fuzz_mutations import field_bases, mutate_fields, mutate_pdf, pdf_bases

from acromeld.batch.job import failure
from acromeld.errors import ExitCode
from tools import fuzz

CASES = 12
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """In an empty folder, in which nothing may appear."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")


@pytest.mark.parametrize("kind", ["pdf", "fields"])
def test_some_cases_go_through_the_whole_product(tmp_path, kind):
    state = tmp_path / "state.json"
    assert fuzz.run(kind, state, CASES) == 0
    told = json.loads(state.read_text())
    assert told["next"] == CASES
    assert sum(told["ends"].values()) == CASES
    assert told["findings"] == []
    assert fuzz.run(kind, state, CASES) == 0


def test_a_case_is_made_from_its_number_alone():
    bases, pairs = pdf_bases(), field_bases()
    for case in range(20):
        assert mutate_pdf(random.Random(f"pdf-{case}"), bases) == fuzz.made("pdf", case)
        assert mutate_fields(random.Random(f"fields-{case}"), pairs)[1] == fuzz.made("fields", case)
    assert len({fuzz.made("pdf", case) for case in range(20)}) > 15


def test_a_worker_that_dies_is_a_finding():
    class Deadly(fuzz.Harness):
        def _ready(self):
            worker = super()._ready()
            worker.kill("was ended by the test")
            return worker

    harness = Deadly("pdf")
    assert fuzz.verdict(harness.attempt("pdf:0", isolated=False)) == "finding"
    harness.close()


def test_a_sentence_with_the_word_unexpected_is_no_finding():
    """Case 252 of the fields was one: the JSON parser says "unexpected end of hex escape"."""
    told = failure("the fields file is not valid JSON: unexpected end of hex escape.", ExitCode.FIELDS)
    assert fuzz.verdict(told) == "refused, fields"
    assert fuzz.verdict(failure("unexpected TypeError in form/plan.py, line 1.")) == "finding"
