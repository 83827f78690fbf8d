# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from itertools import permutations

import pytest
import torch

from acromeld.errors import LimitExceeded
from acromeld.model.boxes import cxcywh_to_xyxy, generalized_iou
from acromeld.train.matching import assign, match_set
from acromeld.train.visual_matching import Match, match_head, union_of
from tests.model.made import random_boxes, random_targets


def _cost(p: float, box: torch.Tensor, target: torch.Tensor) -> float:
    giou = float(generalized_iou(cxcywh_to_xyxy(box), cxcywh_to_xyxy(target)))
    return -2 * p + 5 * float((box - target).abs().sum()) - 2 * giou


def test_hungarian_finds_the_cheapest_of_all_assignments() -> None:
    generator = torch.Generator().manual_seed(0)
    logits, boxes = torch.randn(1, 6, 4, generator=generator), random_boxes(6, generator)[None]
    page = random_targets(4, generator)
    p = logits[0].softmax(-1)
    cost = [
        [_cost(float(p[q, int(page.labels[t])]), boxes[0, q], page.boxes[t]) for t in range(4)]
        for q in range(6)
    ]
    best = min(permutations(range(6), 4), key=lambda rows: sum(cost[q][t] for t, q in enumerate(rows)))
    (match,) = match_set(logits, boxes, [page])
    found = dict(zip(match.target.tolist(), match.query.tolist(), strict=True))
    assert tuple(found[t] for t in range(4)) == best


def test_too_many_targets_stop_training_and_name_the_page() -> None:
    generator = torch.Generator().manual_seed(1)
    page = random_targets(7, generator, "form.pdf page 3")
    with pytest.raises(LimitExceeded, match=r"form\.pdf page 3 has 7 fields, more than the 6 queries"):
        match_set(torch.randn(1, 6, 4), random_boxes(6, generator)[None], [page])


def test_a_diverged_model_is_noticed() -> None:
    with pytest.raises(FloatingPointError):
        assign(torch.tensor([[float("nan")]]))


def test_empty_page_matches_nothing() -> None:
    generator = torch.Generator().manual_seed(2)
    (match,) = match_set(
        torch.randn(1, 6, 4), random_boxes(6, generator)[None], [random_targets(0, generator)]
    )
    assert len(match.query) == len(match.target) == 0


def test_visual_matching_leaves_surplus_targets_unmatched() -> None:
    from acromeld.model.visual.interface import HeadOutput

    generator = torch.Generator().manual_seed(3)
    head = HeadOutput(torch.randn(1, 5, 3), random_boxes(5, generator)[None])
    (match,) = match_head(head, [random_targets(9, generator)])
    assert sorted(match.query.tolist()) == [0, 1, 2, 3, 4]
    assert len(set(match.target.tolist())) == 5


def test_union_keeps_the_pair_most_heads_agree_on() -> None:
    def match(*pairs: tuple[int, int]) -> list[Match]:
        rows = torch.tensor(pairs)
        return [Match(rows[:, 0], rows[:, 1])]

    (union,) = union_of([match((0, 0), (1, 1)), match((0, 1), (2, 0)), match((0, 1), (1, 0), (1, 0))])
    assert dict(zip(union.query.tolist(), union.target.tolist(), strict=True)) == {0: 1, 1: 0, 2: 0}
