# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.geometry import iou
from acromeld.peers.commonforms.postprocess import Detections, candidates, suppress

STEADY = settings(deadline=None, derandomize=True)


def _random(seed: int, count: int) -> Detections:
    """Boxes crowded enough that many overlap, with distinct scores, best first."""
    random = np.random.default_rng(seed)
    corner = random.uniform(0, 60, (count, 2))
    score = np.sort(random.permutation(np.linspace(0.02, 0.98, count)))[::-1]
    box = np.hstack([corner, corner + random.uniform(5, 40, (count, 2))])
    return Detections(box, score, random.integers(0, 3, count))


def _brute_force(found: Detections, threshold: float) -> list[int]:
    """The definition: go down the list, keep what no kept box of the same class overlaps too much."""
    kept: list[int] = []
    for row in range(len(found)):
        rivals = [other for other in kept if found.kind[other] == found.kind[row]]
        if all(iou(found.box[[other]], found.box[[row]])[0, 0] <= threshold for other in rivals):
            kept.append(row)
    return kept


@STEADY
@given(st.integers(0, 10_000), st.integers(0, 40), st.sampled_from([0.1, 0.45, 0.7]), st.integers(1, 30))
def test_suppression_is_the_greedy_definition(seed: int, count: int, threshold: float, limit: int) -> None:
    found = _random(seed, count)
    expected = _brute_force(found, threshold)[:limit]
    assert suppress(found, threshold, limit).score.tolist() == found.score[expected].tolist()


def test_boxes_of_two_classes_do_not_suppress_each_other() -> None:
    box = np.array([[0.0, 0.0, 10.0, 10.0]] * 2)
    found = Detections(box, np.array([0.9, 0.8]), np.array([0, 1]))
    assert len(suppress(found, 0.1)) == 2


def test_no_more_than_three_hundred_are_kept() -> None:
    corner = np.arange(400.0)[:, None] * 20.0
    box = np.hstack([corner, corner, corner + 10, corner + 10])
    found = Detections(box, np.linspace(0.9, 0.1, 400), np.zeros(400, dtype=np.intp))
    kept = suppress(found, 0.7)
    assert len(kept) == 300
    assert kept.score.min() == found.score[299]


def test_candidates_take_the_best_class_above_the_floor_as_corners() -> None:
    cells = np.zeros((7, 3), dtype=np.float32)
    cells[:, 0] = 50, 40, 20, 10, 0.2, 0.5, 0.1
    cells[:, 1] = 10, 10, 4, 4, 0.01, 0.0, 0.0
    cells[:, 2] = 30, 30, 6, 8, 0.0, 0.1, 0.75
    found = candidates(cells)
    assert found.kind.tolist() == [2, 1]
    assert found.score.tolist() == [0.75, 0.5]
    assert found.box.tolist() == [[27, 26, 33, 34], [40, 35, 60, 45]]
