# SPDX-License-Identifier: Apache-2.0
"""Matching of the native ECDet criterion: each head's own, and the union over heads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from acromeld.train.matching import CLASS_COST, Match, assign, box_cost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.visual.interface import DenoisingPlan, HeadOutput

_ALPHA, _GAMMA = 0.25, 2.0


def focal_cost(logits: Tensor) -> Tensor:
    """What it costs to call each query each class: focal loss as positive minus as negative; same shape."""
    p = logits.sigmoid()
    positive = _ALPHA * (1 - p) ** _GAMMA * -(p + 1e-8).log()
    negative = (1 - _ALPHA) * p**_GAMMA * -(1 - p + 1e-8).log()
    return positive - negative


def match_head(head: HeadOutput, targets: Sequence[Targets], *, agnostic: bool = False) -> list[Match]:
    """``min(Q, n)`` pairs a page; an agnostic head has one logit that stands for every class."""
    with torch.no_grad():
        matches = []
        for row, page in enumerate(targets):
            labels = torch.zeros_like(page.labels) if agnostic else page.labels
            cost = CLASS_COST * focal_cost(head.logits[row].float())[:, labels]
            matches.append(assign(cost + box_cost(head.boxes[row].float(), page.boxes)))
        return matches


def union_of(heads: Sequence[Sequence[Match]]) -> list[Match]:
    """Per page, all pairs any head found; a query keeps the target most heads gave it (ties: the first)."""
    pages = []
    for matches in zip(*heads, strict=True):
        found = [torch.stack([match.query, match.target], dim=1).tolist() for match in matches]
        votes = Counter((query, target) for pairs in found for query, target in pairs)
        best: dict[int, int] = {}
        for (query, target), _ in votes.most_common():
            best.setdefault(query, target)
        device = matches[0].query.device
        rows = torch.tensor(sorted(best.items()), dtype=torch.int64, device=device).view(-1, 2)
        pages.append(Match(rows[:, 0], rows[:, 1]))
    return pages


def planned(plan: DenoisingPlan) -> list[Match]:
    """Denoising queries know their targets."""
    return [Match(query, target) for query, target in zip(plan.positive, plan.target, strict=True)]
