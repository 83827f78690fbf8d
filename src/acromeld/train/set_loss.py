# SPDX-License-Identifier: Apache-2.0
"""The set loss of one graph layer: class, L1 and generalized IoU with weights (2, 5, 2), and quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, generalized_iou
from acromeld.train.quality import quality_loss

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.heads import LayerOutput
    from acromeld.train.matching import Match

CLASS_WEIGHT, L1_WEIGHT, GIOU_WEIGHT, QUALITY_WEIGHT = 2.0, 5.0, 2.0, 1.0
FIELD_WEIGHTS = (1.0, 1.5, 4.0)
"""Text, choice, signature."""

NO_OBJECT_WEIGHT = 0.08
DECAY = 0.65
"""Of each graph layer relative to the one after it."""


def matched(boxes: Tensor, targets: Sequence[Targets], matches: Sequence[Match]) -> tuple[Tensor, Tensor]:
    """Predicted and target boxes of all matched pairs in the batch, ``(m, 4)`` each."""
    found = torch.cat([boxes[row, match.query] for row, match in enumerate(matches)])
    wanted = torch.cat([page.boxes[match.target] for page, match in zip(targets, matches, strict=True)])
    return found, wanted


def class_loss(logits: Tensor, targets: Sequence[Targets], matches: Sequence[Match]) -> Tensor:
    """Cross entropy weighted by class and averaged by weight; unmatched queries are "no object"."""
    nothing = logits.shape[-1] - 1
    labels = torch.full(logits.shape[:2], nothing, device=logits.device)
    for row, (page, match) in enumerate(zip(targets, matches, strict=True)):
        labels[row, match.query] = page.labels[match.target]
    weight = logits.new_tensor([*FIELD_WEIGHTS, NO_OBJECT_WEIGHT])
    return F.cross_entropy(logits.flatten(0, 1), labels.flatten(), weight)


def box_losses(found: Tensor, wanted: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """L1 and ``1 - GIoU`` of matched ``cxcywh`` pairs, summed and divided by ``count``."""
    l1 = (found - wanted).abs().sum() / count
    giou = generalized_iou(cxcywh_to_xyxy(found), cxcywh_to_xyxy(wanted))
    return l1, (1 - giou).sum() / count


def set_loss(output: LayerOutput, targets: Sequence[Targets], matches: Sequence[Match]) -> dict[str, Tensor]:
    """Weighted terms of one layer; box and quality terms are per target of the batch."""
    count = max(1, sum(len(page) for page in targets))
    found, wanted = matched(output.boxes, targets, matches)
    l1, giou = box_losses(found, wanted, count)
    return {
        "class": CLASS_WEIGHT * class_loss(output.logits, targets, matches),
        "l1": L1_WEIGHT * l1,
        "giou": GIOU_WEIGHT * giou,
        "quality": QUALITY_WEIGHT * quality_loss(output, targets, matches),
    }
