# SPDX-License-Identifier: Apache-2.0
"""Fieldness: which primitives are worth a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets


def fieldness_targets(boxes: Tensor, targets: Sequence[Targets]) -> Tensor:
    """Whether the centre of each token box ``(B, T, 4)`` ``xyxy`` lies inside any target; ``(B, T)`` bool."""
    centre = (boxes[..., :2] + boxes[..., 2:]) / 2
    rows = []
    for points, page in zip(centre, targets, strict=True):
        corners = cxcywh_to_xyxy(page.boxes)
        inside = (points[:, None] >= corners[None, :, :2]) & (points[:, None] <= corners[None, :, 2:])
        rows.append(inside.all(-1).any(-1))
    return torch.stack(rows)


def fieldness_loss(logits: Tensor, eligible: Tensor, boxes: Tensor, targets: Sequence[Targets]) -> Tensor:
    """Binary cross entropy averaged over the eligible tokens of the batch; zero when there are none."""
    labels = fieldness_targets(boxes, targets).to(logits.dtype)
    entropy = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    return (entropy * eligible).sum() / eligible.sum().clamp(min=1)
