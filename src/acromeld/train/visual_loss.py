# SPDX-License-Identifier: Apache-2.0
"""The native ECDet criterion: score, box and distribution terms over every head and its denoising copies.

Box and distribution terms use the union of the matches of all heads and are divided by its size; score terms
use each head's own matches and are divided by the number of targets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, iou
from acromeld.model.visual.distribution import bin_values, box_offsets, side_logits, two_bins
from acromeld.train.set_loss import box_losses, matched
from acromeld.train.visual_matching import match_head, planned, union_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.visual.interface import EcdetNative, HeadOutput
    from acromeld.train.matching import Match

MAL, L1, GIOU, FGL, DDF = 1.0, 5.0, 2.0, 0.15, 1.5
_GAMMA = 1.5
_TEMPERATURE = 5.0
_UP, _SCALE = 0.5, 4.0


def ecdet_loss(native: EcdetNative, targets: Sequence[Targets]) -> dict[str, Tensor]:
    """Weighted terms by name (mal, l1, giou, fgl, ddf), each summed over all heads."""
    *earlier, last = native.layers
    encoder = [match_head(native.encoder, targets, agnostic=True)]
    own = [match_head(head, targets) for head in (*native.layers, native.preliminary)]
    union = union_of([*own, *encoder])
    terms = _Terms(targets, groups=1)
    for head, match in zip((*earlier, last), own, strict=False):
        terms.layer(head, match, union, teacher=None if head is last else last)
    terms.simple(native.preliminary, own[-1], union)
    terms.simple(native.encoder, encoder[0], union, agnostic=True)
    if native.plan is not None and native.denoising_preliminary is not None:
        match = planned(native.plan)
        noisy = _Terms(targets, groups=native.plan.groups, sums=terms.sums)
        teacher = native.denoising_layers[-1]
        for head in native.denoising_layers:
            noisy.layer(head, match, match, teacher=None if head is teacher else teacher)
        noisy.simple(native.denoising_preliminary, match, match)
    return terms.sums


class _Terms:
    """Adds up the terms of one family of heads."""

    def __init__(
        self, targets: Sequence[Targets], groups: int, sums: dict[str, Tensor] | None = None
    ) -> None:
        self.targets = targets
        self.count = max(1, groups * sum(len(page) for page in targets))
        self.sums: dict[str, Tensor] = {} if sums is None else sums

    def _add(self, name: str, value: Tensor) -> None:
        self.sums[name] = self.sums[name] + value if name in self.sums else value

    def simple(
        self, head: HeadOutput, own: Sequence[Match], union: Sequence[Match], *, agnostic: bool = False
    ) -> None:
        """Score and box terms."""
        self._add("mal", MAL * mal_loss(head, self.targets, own, self.count, agnostic=agnostic))
        found, wanted = matched(head.boxes, self.targets, union)
        l1, giou = box_losses(found, wanted, max(1, len(found)))
        self._add("l1", L1 * l1)
        self._add("giou", GIOU * giou)

    def layer(
        self, head: HeadOutput, own: Sequence[Match], union: Sequence[Match], teacher: HeadOutput | None
    ) -> None:
        """Score, box and distribution terms; the last layer teaches the earlier ones."""
        self.simple(head, own, union)
        self._add("fgl", FGL * fgl_loss(head, self.targets, union))
        if teacher is not None:
            self._add("ddf", DDF * ddf_loss(head, teacher, self.targets, union))


def mal_loss(
    head: HeadOutput,
    targets: Sequence[Targets],
    matches: Sequence[Match],
    count: int,
    *,
    agnostic: bool = False,
) -> Tensor:
    """Cross entropy towards ``IoU ** 1.5`` at the matched class, elsewhere weighted by ``p ** 1.5``."""
    logits = head.logits
    with torch.no_grad():
        goal = torch.zeros_like(logits)
        weight = logits.sigmoid() ** _GAMMA
        for row, (page, match) in enumerate(zip(targets, matches, strict=True)):
            labels = torch.zeros_like(page.labels) if agnostic else page.labels
            at = (row, match.query, labels[match.target])
            shared = iou(
                cxcywh_to_xyxy(head.boxes[row, match.query]), cxcywh_to_xyxy(page.boxes[match.target])
            )
            goal[at] = (shared.clamp(0, 1) ** _GAMMA).to(goal.dtype)
            weight[at] = 1.0
    return F.binary_cross_entropy_with_logits(logits, goal, weight, reduction="sum") / count


def _matched_iou(head: HeadOutput, targets: Sequence[Targets], matches: Sequence[Match]) -> Tensor:
    """Detached IoU of the matched pairs of the batch, ``(m,)``."""
    found, wanted = matched(head.boxes.detach(), targets, matches)
    return iou(cxcywh_to_xyxy(found), cxcywh_to_xyxy(wanted))


def fgl_loss(head: HeadOutput, targets: Sequence[Targets], matches: Sequence[Match]) -> Tensor:
    """Cross entropy of each side's distribution to the two bins around the true offset, weighted by IoU."""
    assert head.corners is not None
    assert head.anchors is not None
    corners, _ = matched(head.corners, targets, matches)
    anchors, wanted = matched(head.anchors, targets, matches)
    up, scale = corners.new_tensor([_UP]), corners.new_tensor([_SCALE])
    left, share = two_bins(box_offsets(anchors, wanted, scale), bin_values(up, scale))
    log = side_logits(corners).log_softmax(-1)
    lower = log.gather(-1, left[..., None])[..., 0]
    upper = log.gather(-1, left[..., None] + 1)[..., 0]
    entropy = -((1 - share) * lower + share * upper)
    weighted: Tensor = entropy * _matched_iou(head, targets, matches)[:, None]
    return weighted.sum() / max(1, len(corners))


def ddf_loss(
    head: HeadOutput, teacher: HeadOutput, targets: Sequence[Targets], matches: Sequence[Match]
) -> Tensor:
    """Divergence from the last layer's distributions at temperature 5.

    Matched queries count by their IoU, the others by the teacher's confidence; the means of the two groups
    are mixed by the square roots of their sizes.
    """
    assert head.corners is not None
    assert teacher.corners is not None
    student = (side_logits(head.corners) / _TEMPERATURE).log_softmax(-1)
    goal = (side_logits(teacher.corners.detach()) / _TEMPERATURE).log_softmax(-1)
    divergence = F.kl_div(student, goal, reduction="none", log_target=True).sum(-1) * _TEMPERATURE**2
    weight = teacher.logits.detach().sigmoid().amax(-1)
    chosen = torch.zeros_like(weight, dtype=torch.bool)
    for row, (page, match) in enumerate(zip(targets, matches, strict=True)):
        chosen[row, match.query] = True
        found, wanted = head.boxes[row, match.query].detach(), page.boxes[match.target]
        weight[row, match.query] = iou(cxcywh_to_xyxy(found), cxcywh_to_xyxy(wanted)).to(weight.dtype)
    local = weight[..., None] * divergence
    parts = [part for part in (local[chosen], local[~chosen]) if part.numel()]
    roots = [part.numel() ** 0.5 for part in parts]
    mixed = torch.stack([part.mean() * root for part, root in zip(parts, roots, strict=True)])
    total: Tensor = mixed.sum() / sum(roots)
    return total
