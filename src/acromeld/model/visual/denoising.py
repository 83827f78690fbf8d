# SPDX-License-Identifier: Apache-2.0
"""Contrastive denoising queries: noisy copies of the targets that the decoder learns to repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.model.boxes import cxcywh_to_xyxy, inverse_sigmoid, xyxy_to_cxcywh
from acromeld.model.visual.interface import DenoisingPlan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets

LABEL_NOISE = 0.25
"""Probability that a label is replaced by a random one."""


@dataclass(frozen=True)
class DenoisingQueries:
    """Extra queries in front of the real ones.

    Attributes:
        content: ``(B, D, 256)`` class embeddings.
        reference: ``(B, D, 4)`` box logits.
        mask: ``(D + Q, D + Q)`` bool, true where attention is *forbidden*.
        plan: Which queries stand for which targets.
    """

    content: Tensor
    reference: Tensor
    mask: Tensor
    plan: DenoisingPlan


def denoising_queries(
    targets: Sequence[Targets], embedding: nn.Embedding, queries: int, budget: int
) -> DenoisingQueries | None:
    """Queries for a batch, none when no page has a target.

    Each group holds a positive (jitter up to half a box) and a negative (half to one box) copy of every
    target, pages padded to the longest; the embedding's last row stands for padding.
    """
    longest = max(len(page) for page in targets)
    if longest == 0:
        return None
    groups = max(1, budget // longest)
    classes = embedding.num_embeddings - 1
    device = embedding.weight.device
    labels = torch.full((len(targets), longest), classes, device=device)
    boxes = torch.full((len(targets), longest, 4), 0.5, device=device)
    for row, page in enumerate(targets):
        labels[row, : len(page)], boxes[row, : len(page)] = page.labels, page.boxes
    real = (labels < classes).repeat(1, 2 * groups)
    labels, boxes = labels.repeat(1, 2 * groups), boxes.repeat(1, 2 * groups, 1)
    noisy = torch.rand(labels.shape, device=device) < LABEL_NOISE
    labels = torch.where(noisy & real, torch.randint_like(labels, classes), labels)
    negative = (torch.arange(2 * groups, device=device) % 2 == 1).repeat_interleave(longest)
    reference = inverse_sigmoid(_jitter(boxes, negative))
    return DenoisingQueries(
        content=embedding(labels),
        reference=reference,
        mask=_forbidden(groups, 2 * longest, queries, device),
        plan=_plan(targets, groups, longest),
    )


def _jitter(boxes: Tensor, negative: Tensor) -> Tensor:
    """``cxcywh`` boxes with sides moved by a random share of half the box, negatives by one more half."""
    half = boxes[..., 2:].repeat(1, 1, 2) / 2
    share = torch.rand_like(boxes) + negative[:, None]
    sign = torch.randint_like(boxes, 2) * 2 - 1
    corners = (cxcywh_to_xyxy(boxes) + sign * share * half).clamp(0, 1)
    moved = xyxy_to_cxcywh(corners)
    return torch.cat([moved[..., :2], moved[..., 2:].abs()], dim=-1)


def _forbidden(groups: int, size: int, queries: int, device: torch.device) -> Tensor:
    """Groups do not see each other and real queries see no group."""
    group = torch.cat(
        [
            torch.arange(groups, device=device).repeat_interleave(size),
            torch.full((queries,), groups, device=device),
        ]
    )
    real = group == groups
    return (group[:, None] != group[None]) & ~real[None]


def _plan(targets: Sequence[Targets], groups: int, longest: int) -> DenoisingPlan:
    """Positive copies of target t in group g sit at row ``2 * g * longest + t``."""
    positive, rows = [], []
    for page in targets:
        row = torch.arange(len(page), device=page.boxes.device)
        start = torch.arange(groups, device=row.device)[:, None] * 2 * longest
        positive.append((start + row).flatten())
        rows.append(row.repeat(groups))
    return DenoisingPlan(groups, tuple(positive), tuple(rows))
