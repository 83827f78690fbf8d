# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.evaluate.adapters import NATIVE, STRICT, Adapter, compare, score_page, summary, total
from acromeld.evaluate.counts import Counts
from acromeld.fields import OperatingPoint
from tests.evaluate.made_up import corpus, predicted_page, target_page

corner = st.integers(0, 8)
side = st.integers(1, 6)
boxes = st.builds(lambda x, y, w, h: [x, y, x + w, y + h], corner, corner, side, side)
kinds = st.integers(0, 2)


def _measure(name: str, a: list[float], b: list[float]) -> float:
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    area_a, area_b = (a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])
    iou = shared / (area_a + area_b - shared)
    return iou if name == "iou" else max(iou, shared / min(area_a, area_b))


def _slow(predictions: list, targets: list, adapter: Adapter, point: OperatingPoint) -> list[list[int]]:
    """Matched, predicted and targets per class, one prediction at a time."""
    table = [[0, 0, sum(kind == c for _, kind in targets)] for c in range(3)]
    standing = [p for p in predictions if p[2] >= max(0.01, point.thresholds()[p[1]])]
    taken: set[int] = set()
    for box, kind, _ in sorted(standing, key=lambda p: -p[2])[: adapter.cap]:
        table[kind][1] += 1
        best, best_value = None, 0.0
        for index, (truth, truth_kind) in enumerate(targets):
            value = _measure(adapter.measure, box, truth)
            if (
                truth_kind == kind
                and index not in taken
                and value >= adapter.threshold
                and value > best_value
            ):
                best, best_value = index, value
        if best is not None:
            taken.add(best)
            table[kind][0] += 1
    return table


@given(
    st.lists(st.tuples(boxes, kinds, st.sampled_from([0.005, 0.01, 0.2, 0.3, 0.7, 0.9])), max_size=14),
    st.lists(st.tuples(boxes, kinds), max_size=8),
    st.sampled_from([NATIVE, STRICT, Adapter("native", "overlap", 0.3, 3), Adapter("strict", "iou", 0.5, 4)]),
    st.sampled_from([OperatingPoint(), OperatingPoint(text=0.01, choice=0.5, signature=0.7)]),
)
@settings(max_examples=300, deadline=None)
def test_counts_equal_the_obvious_matcher(
    predictions: list, targets: list, adapter: Adapter, point: OperatingPoint
) -> None:
    page = predicted_page(
        [p[0] for p in predictions], [p[1] for p in predictions], [p[2] for p in predictions]
    )
    truth = target_page([t[0] for t in targets], [t[1] for t in targets])
    (comparison,) = compare({page.key: page}, {truth.key: truth})
    outcome = score_page(comparison, adapter, point)
    assert outcome.table.tolist() == _slow(predictions, targets, adapter, point)
    assert int(outcome.hit.sum()) == outcome.table[:, 0].sum()


def test_an_undersized_box_is_found_natively_and_missed_strictly() -> None:
    truth = target_page([[0, 0, 100, 20]], [0])
    page = predicted_page([[10, 5, 20, 10]], [0], [0.9])
    (comparison,) = compare({page.key: page}, {truth.key: truth})
    assert score_page(comparison, NATIVE, OperatingPoint()).counts() == Counts(1, 1, 1)
    assert score_page(comparison, STRICT, OperatingPoint()).counts() == Counts(0, 1, 1)


def test_the_cap_is_global_over_classes() -> None:
    boxes = [[float(10 * i), 0.0, 10.0 * i + 8, 8.0] for i in range(302)]
    truth = target_page(boxes, [0] * 301 + [1])
    page = predicted_page(boxes, [0] * 301 + [1], [0.9] * 301 + [0.8])
    (comparison,) = compare({page.key: page}, {truth.key: truth})
    assert score_page(comparison, STRICT, OperatingPoint()).table.tolist() == [
        [300, 300, 301],
        [0, 0, 1],
        [0, 0, 0],
    ]


def test_a_page_without_a_line_counts_its_targets_as_missed() -> None:
    truth = target_page([[0, 0, 10, 10]], [2])
    (comparison,) = compare({}, {truth.key: truth})
    assert score_page(comparison, NATIVE, OperatingPoint()).counts() == Counts(0, 0, 1)


def test_a_changed_page_does_not_remember_the_old_choice() -> None:
    page = predicted_page([[0, 0, 10, 10], [0, 0, 10, 10]], [0, 1], [0.9, 0.8])
    assert page.select(OperatingPoint()).tolist() == [0, 1]
    assert replace(page, decoded=False).select(OperatingPoint()).tolist() == [0]


def test_undefined_is_none_and_never_zero() -> None:
    assert Counts(0, 0, 3).precision is None
    assert Counts(0, 0, 3).recall == 0.0
    assert Counts(0, 0, 3).f1 == 0.0
    assert Counts(0, 2, 0).recall is None
    assert Counts(0, 0, 0).f1 is None
    assert Counts(3, 4, 6).as_dict() == {
        "tp": 3,
        "fp": 1,
        "fn": 3,
        "precision": 0.75,
        "recall": 0.5,
        "f1": pytest.approx(0.6),
    }


def test_summary_adds_up_pages() -> None:
    predicted, targets = corpus(3)
    outcomes = [score_page(page, NATIVE, OperatingPoint()) for page in compare(predicted, targets)]
    table = np.sum([outcome.table for outcome in outcomes], axis=0)
    assert total(outcomes).table.tolist() == table.tolist()
    report = summary(outcomes)
    assert report["micro"]["tp"] == table[:, 0].sum()
    assert report["classes"]["signature"]["fn"] == table[2, 2] - table[2, 0]
