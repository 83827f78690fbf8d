# SPDX-License-Identifier: Apache-2.0
"""Localisation quality: one logit trained towards the overlap that the recovery decision uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.heads import LayerOutput
    from acromeld.train.matching import Match


def quality_targets(
    output: LayerOutput, targets: Sequence[Targets], matches: Sequence[Match]
) -> tuple[Tensor, Tensor]:
    """Detached target and weight of every query, ``(B, Q)`` each.

    Matched: the overlap (equation overlap) of its box with its target, weight 1. Background: 0, weighted by
    how confidently the query claims a field, so that the many silent queries do not drown the matched ones.
    """
    with torch.no_grad():
        weight = output.logits.softmax(-1)[..., :-1].amax(-1)
        target = torch.zeros_like(weight)
        for row, (page, match) in enumerate(zip(targets, matches, strict=True)):
            found, wanted = output.boxes[row, match.query], page.boxes[match.target]
            shared = overlap(cxcywh_to_xyxy(found), cxcywh_to_xyxy(wanted))
            target[row, match.query] = shared.to(target.dtype).clamp(0, 1)
            weight[row, match.query] = 1.0
    return target, weight


def quality_loss(output: LayerOutput, targets: Sequence[Targets], matches: Sequence[Match]) -> Tensor:
    """Weighted binary cross entropy over all queries, averaged by weight (never by less than one)."""
    target, weight = quality_targets(output, targets, matches)
    entropy = F.binary_cross_entropy_with_logits(output.quality, target, reduction="none")
    return (weight * entropy).sum() / weight.sum().clamp(min=1)
