# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acromeld.detect.decoding import Fate, decode
from acromeld.evaluate import strata
from acromeld.evaluate.adapters import NATIVE, compare, score_page
from acromeld.evaluate.curves import native_ranking, precision_recall, reliability
from acromeld.fields import OperatingPoint
from tests.evaluate.made_up import corpus, digest, predicted_page, target_page


@pytest.mark.parametrize(
    ("fields", "name"),
    [(0, "0"), (1, "1-10"), (10, "1-10"), (11, "11-100"), (100, "11-100"), (101, "101-300"), (301, ">300")],
)
def test_density_strata_have_the_papers_borders(fields: int, name: str) -> None:
    assert strata.density(target_page([[0, 0, 5, 5]] * fields, [0] * fields)) == name


@pytest.mark.parametrize(
    ("size", "name"),
    [((612, 792), "portrait"), ((792, 612), "landscape"), ((600, 600), "square"), ((660, 600), "square")],
)
def test_orientation(size: tuple[float, float], name: str) -> None:
    page = replace(target_page([], []), width=float(size[0]), height=float(size[1]))
    assert strata.orientation(page) == name


def test_strata_add_up_to_the_whole() -> None:
    predicted, targets = corpus(7, fields=60)
    marked = {
        key: replace(page, vector=(None, True, False)[number % 3])
        for number, (key, page) in enumerate(targets.items())
    }
    pages = compare(predicted, marked)
    outcomes = [score_page(page, NATIVE, OperatingPoint()) for page in pages]
    found = strata.page_strata(pages, outcomes)
    whole = sum(int(outcome.table[:, 0].sum()) for outcome in outcomes)
    for name in ("density", "orientation", "vector"):
        groups = found[name]
        assert sum(group["pages"] for group in groups.values()) == len(pages)
        assert sum(group["micro"]["tp"] for group in groups.values()) == whole
    assert set(found["vector"]) == {"unknown", "present", "absent"}


def test_empty_pages_count_every_prediction_as_false() -> None:
    empty = [target_page([], [], index=index) for index in range(4)]
    full = target_page([[0, 0, 10, 10]], [0], index=4)
    busy = predicted_page([[0, 0, 10, 10], [20, 0, 30, 10], [40, 0, 50, 10]], [0, 1, 2], [0.9, 0.8, 0.1])
    pages = compare({busy.key: busy}, {page.key: page for page in [*empty, full]})
    outcomes = [score_page(page, NATIVE, OperatingPoint()) for page in pages]
    assert strata.empty_pages(pages, outcomes) == {
        "pages": 4,
        "pages_with_fp": 1,
        "share_with_fp": 0.25,
        "fp_per_page": 0.5,
    }
    assert strata.empty_pages([], [])["share_with_fp"] is None


def test_one_document_may_hold_most_mistakes() -> None:
    box, far = [0, 0, 10, 10], [40, 0, 50, 10]
    right, wrong = digest(1), digest(2)
    targets = [
        target_page([box], [0], right),
        target_page([box], [0], wrong),
        target_page([box], [0], wrong, 1),
        target_page([], [], digest(3)),
    ]
    lines = [predicted_page([box], [0], [0.9], right), predicted_page([far], [0], [0.9], wrong)]
    pages = compare({line.key: line for line in lines}, {page.key: page for page in targets})
    outcomes = [score_page(page, NATIVE, OperatingPoint()) for page in pages]
    assert strata.by_document(pages, outcomes) == {
        "documents": 2,
        "lower_quartile": 0.25,
        "median": 0.5,
        "upper_quartile": 0.75,
        "share_well": 0.5,
        "mistakes_of_worst": 1.0,
    }
    assert strata.by_document([], [])["median"] is None


def test_origins_split_right_and_wrong() -> None:
    page = predicted_page([[0, 0, 10, 10], [50, 0, 60, 10], [90, 0, 99, 9]], [0, 0, 0], [0.9, 0.8, 0.7])
    truth = target_page([[0, 0, 10, 10], [90, 0, 99, 9]], [0, 0])
    pages = compare({page.key: page}, {truth.key: truth})
    found = strata.origins(pages, [score_page(pages[0], NATIVE, OperatingPoint())])
    assert found == {
        "free": {"tp": 1, "fp": 0, "precision": 1.0},
        "structure": {"tp": 0, "fp": 1, "precision": 0.0},
        "visual": {"tp": 1, "fp": 0, "precision": 1.0},
    }


def test_suppression_tells_the_fate_of_every_candidate() -> None:
    predicted, targets = corpus(8, links=True, decoded=False)
    pages = compare(predicted, targets)
    point = OperatingPoint(nms=0.5, link=0.8)
    found = strata.suppression(pages, point)
    assert found is not None
    fates = np.concatenate([decode(page.candidates, point).fate for page in predicted.values()])
    for fate in Fate:
        assert sum(row[fate.name.lower()] for row in found.values()) == int((fates == fate).sum())
    assert sum(row["suppressed_nms"] + row["suppressed_link"] for row in found.values()) > 0


def test_prediction_lines_cannot_tell_suppression() -> None:
    predicted, targets = corpus(8)
    assert strata.suppression(compare(predicted, targets), OperatingPoint()) is None


def test_precision_recall_equals_scoring_at_each_threshold() -> None:
    predicted, targets = corpus(9)
    pages = compare(predicted, targets)
    curves = precision_recall(native_ranking(pages))
    for row in (0, 29, 64, 98):
        threshold = (row + 1) / 100
        point = OperatingPoint(text=threshold, choice=threshold, signature=threshold)
        table = sum(score_page(page, NATIVE, point).table for page in pages)
        for index, kind in enumerate(("text", "choice", "signature")):
            entry = curves[kind][row]
            assert entry["threshold"] == threshold
            assert [entry["tp"], entry["fp"], entry["fn"]] == [
                table[index, 0],
                table[index, 1] - table[index, 0],
                table[index, 2] - table[index, 0],
            ]


def test_reliability_bins_every_prediction_once() -> None:
    predicted, targets = corpus(9)
    ranking = native_ranking(compare(predicted, targets))
    bins = reliability(ranking)
    assert sum(row["predictions"] for row in bins) == len(ranking.score)
    inside = (ranking.score >= 0.5) & (ranking.score < 0.6)
    assert bins[5]["precision"] == pytest.approx(ranking.hit[inside].mean())
    assert bins[5]["mean_score"] == pytest.approx(ranking.score[inside].mean())
