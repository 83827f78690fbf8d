# SPDX-License-Identifier: Apache-2.0
"""Counts gathered page by page are those of a whole evaluation."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest

from acromeld.detect.candidates import PageCandidates
from acromeld.evaluate.interventions.catalogue import BASELINE, Intervention
from acromeld.evaluate.interventions.table import as_markdown, as_record, costs_table, numbers_table
from acromeld.evaluate.interventions.tally import Cost, Tally
from acromeld.evaluate.report.rendering import csv_text
from acromeld.evaluate.report_data import evaluate
from acromeld.fields import OperatingPoint
from tests.evaluate.made_up import corpus

POINT = OperatingPoint(text=0.4, choice=0.3, signature=0.5, nms=0.8, link=0.7)
UNLINKED = Intervention("links off", "No links.", links=False)
SILENT = Intervention("silent", "Says nothing.")

PREDICTED, TARGETS = corpus(5, links=True, decoded=False)


@pytest.fixture(scope="module")
def costs() -> list[Cost]:
    tally = Tally((BASELINE, UNLINKED, SILENT), TARGETS, POINT)
    for page in PREDICTED.values():
        told = {BASELINE.name: page.candidates, UNLINKED.name: page.candidates}
        tally.add(replace(page, candidates=PageCandidates.empty()), told)
    return tally.costs(resamples=300)


@pytest.mark.parametrize(("row", "link"), [(0, POINT.link), (1, 1.5)])
def test_a_row_is_the_evaluation_of_its_candidates(costs: list[Cost], row: int, link: float) -> None:
    expected = evaluate(PREDICTED, TARGETS, POINT.model_copy(update={"link": link}), resamples=0)
    at = expected["points"]["selected"]
    assert costs[row].native == at["native"]
    assert costs[row].strict == at["strict"]
    assert costs[row].coco == expected["coco"]


def test_differences_are_to_the_baseline(costs: list[Cost]) -> None:
    base, unlinked, silent = costs
    assert base.native_difference.value == 0.0
    change = unlinked.native["micro"]["f1"] - base.native["micro"]["f1"]
    interval = unlinked.native_difference.interval
    assert unlinked.native_difference.value == change != 0.0
    assert interval is not None
    assert interval.low <= change <= interval.high
    assert silent.native["micro"]["f1"] == 0.0
    assert silent.map_difference.value == -base.coco["map"]


def test_the_tables_say_what_was_counted(costs: list[Cost]) -> None:
    shown = costs_table(costs)
    assert [row[0] for row in shown.rows] == ["baseline", "links off", "silent"]
    assert shown.rows[0][4] == "–"
    assert shown.rows[2][1] == "–", "precision of nothing is not defined"
    rows = list(csv.DictReader(io.StringIO(csv_text(numbers_table(costs)))))
    assert float(rows[1]["native_f1"]) == costs[1].native["micro"]["f1"]
    assert float(rows[1]["native_f1_difference_low"]) == costs[1].native_difference.interval.low
    assert rows[2]["native_precision"] == ""
    text = as_markdown(costs, ["About six documents."])
    assert "About six documents." in text
    assert "- *links off*: No links." in text
    record = as_record(costs, {"weights": "w"})
    assert record["rows"][1]["native"] == costs[1].native
    assert record["weights"] == "w"
