# SPDX-License-Identifier: Apache-2.0
"""Same-field relation: which candidates describe one field."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, iou, overlap, pairs
from acromeld.model.heads import LINK_TEMPERATURE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets

GATE_IOU, GATE_OVERLAP, SAME_FIELD = 0.05, 0.3, 0.3


def relation_pairs(boxes: Tensor, targets: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Supervised pairs of one page and whether they are one field.

    Args:
        boxes: ``(Q, 4)`` ``cxcywh`` of the final layer.
        targets: ``(n, 4)`` ``cxcywh``.

    Returns:
        Rows ``i < j`` of the pairs that could interact in decoding, ``(p,)`` each, and ``(p,)`` bool: both
        overlap one and the same target by at least 0.3. Classes play no part.
    """
    with torch.no_grad():
        corners = cxcywh_to_xyxy(boxes)
        near = (pairs(iou, corners, corners) >= GATE_IOU) | (pairs(overlap, corners, corners) >= GATE_OVERLAP)
        first, second = torch.triu(near, diagonal=1).nonzero(as_tuple=True)
        covers = (pairs(overlap, corners, cxcywh_to_xyxy(targets)) >= SAME_FIELD).float()
        same = (covers @ covers.T)[first, second] > 0
    return first, second, same


def relation_loss(link: Tensor, boxes: Tensor, targets: Sequence[Targets]) -> Tensor:
    """Binary cross entropy over the pairs of all pages, positives and negatives of equal total weight.

    ``link`` is ``(B, Q, 32)`` unit vectors, ``boxes`` ``(B, Q, 4)``.
    """
    logits, labels = [], []
    for row, page in enumerate(targets):
        first, second, same = relation_pairs(boxes[row], page.boxes)
        logits.append((link[row, first] * link[row, second]).sum(-1) / LINK_TEMPERATURE)
        labels.append(same)
    return balanced_entropy(torch.cat(logits), torch.cat(labels))


def balanced_entropy(logits: Tensor, labels: Tensor) -> Tensor:
    """Mean over positives plus mean over negatives, halved; a side without members is left out."""
    entropy = F.binary_cross_entropy_with_logits(logits, labels.to(logits.dtype), reduction="none")
    sides = [entropy[labels], entropy[~labels]]
    means = [side.mean() for side in sides if len(side)]
    return torch.stack(means).mean() if means else logits.sum()
