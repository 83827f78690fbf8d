# SPDX-License-Identifier: Apache-2.0
"""Hungarian assignment of queries to targets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from acromeld.errors import LimitExceeded
from acromeld.model.boxes import cxcywh_to_xyxy, generalized_iou, pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets

CLASS_COST, L1_COST, GIOU_COST = 2.0, 5.0, 2.0


@dataclass(frozen=True)
class Match:
    """Matched pairs of one page: ``query`` and ``target`` rows, ``(m,)`` int64 each."""

    query: Tensor
    target: Tensor


def check_capacity(targets: Sequence[Targets], queries: int) -> None:
    """A page with more targets than queries cannot be learned; training stops and names it."""
    for page in targets:
        if len(page) > queries:
            raise LimitExceeded(f"{page.page} has {len(page)} fields, more than the {queries} queries.")


def box_cost(boxes: Tensor, targets: Tensor) -> Tensor:
    """``5 * L1 - 2 * GIoU`` of every pair of ``cxcywh`` boxes; ``(Q, 4)`` and ``(n, 4)`` to ``(Q, n)``."""
    l1 = torch.cdist(boxes, targets, p=1)
    giou = pairs(generalized_iou, cxcywh_to_xyxy(boxes), cxcywh_to_xyxy(targets))
    return L1_COST * l1 - GIOU_COST * giou


def assign(cost: Tensor) -> Match:
    """Pairs of least total cost, ``min(Q, n)`` of them; a cost that is no number stops training."""
    values = cost.detach().float().cpu().numpy()
    if not np.isfinite(values).all():
        raise FloatingPointError("The matching cost is not finite: the model has diverged.")
    query, target = linear_sum_assignment(values)
    return Match(*(torch.as_tensor(rows, device=cost.device) for rows in (query, target)))


def match_set(logits: Tensor, boxes: Tensor, targets: Sequence[Targets]) -> list[Match]:
    """Match each page of a graph layer: cost ``-2 p(class) + 5 L1 - 2 GIoU``.

    Args:
        logits: ``(B, Q, C + 1)``, softmax classes with "no object" last.
        boxes: ``(B, Q, 4)`` ``cxcywh``.
        targets: One per page.
    """
    check_capacity(targets, boxes.shape[1])
    with torch.no_grad():
        probability = logits.float().softmax(-1)
        return [
            assign(box_cost(boxes[row].float(), page.boxes) - CLASS_COST * probability[row][:, page.labels])
            for row, page in enumerate(targets)
        ]
