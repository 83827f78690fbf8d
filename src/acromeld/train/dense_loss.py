# SPDX-License-Identifier: Apache-2.0
"""The criterion of the dense branch: each target teaches the few cells around its centre that do best.

Candidates are the three by three cells around a target's centre on both maps. The best of them by score and
overlap together become positives, so that the map with the fitting stride wins by itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, generalized_iou, iou

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.visual.interface import DenseNative

SCORE, GIOU, SHAPE = 1.0, 2.0, 0.5
_POSITIVES = 4
_SCORE_POWER, _IOU_POWER = 0.5, 2.0
_FOCUS = 2.0
_EPS = 1e-6


@dataclass(frozen=True)
class CellTargets:
    """Positives of one page: ``cell`` and ``target`` rows ``(m,)``, and the score ``(m,)`` to reach."""

    cell: Tensor
    target: Tensor
    score: Tensor


def candidate_cells(centres: Tensor, grids: Sequence[tuple[int, int]]) -> Tensor:
    """Rows of the cells around each centre ``(n, 2)``, all maps in one numbering; ``(n, 9 * maps)``.

    Cells beyond the border are moved onto it, so a row can repeat a cell.
    """
    step = torch.tensor([-1, 0, 1], device=centres.device)
    found, start = [], 0
    for rows, columns in grids:
        x = (centres[:, :1] * columns).long() + step
        y = (centres[:, 1:] * rows).long() + step
        x, y = x.clamp(0, columns - 1), y.clamp(0, rows - 1)
        found.append(start + (y[:, :, None] * columns + x[:, None]).flatten(1))
        start += rows * columns
    return torch.cat(found, dim=1)


def assign_cells(
    logits: Tensor, boxes: Tensor, page: Targets, grids: Sequence[tuple[int, int]]
) -> CellTargets:
    """Positives of a page from its ``(N, C)`` logits and ``(N, 4)`` boxes.

    A cell wanted by several targets goes to the one it fits best. The best cell of a target should score its
    IoU, the others in proportion to how well they do.
    """
    with torch.no_grad():
        cells = candidate_cells(page.boxes[:, :2], grids)
        shared = iou(cxcywh_to_xyxy(boxes[cells]), cxcywh_to_xyxy(page.boxes)[:, None])
        score = logits[cells, page.labels[:, None]].sigmoid()
        fit = score**_SCORE_POWER * shared**_IOU_POWER + _EPS * score
        best = fit.topk(_POSITIVES, dim=1).indices
        cell, fit, shared = (x.gather(1, best) for x in (cells, fit, shared))
        goal = fit / fit.amax(1, keepdim=True).clamp(min=1e-12) * shared.amax(1, keepdim=True)
        target = torch.arange(len(page), device=cell.device)[:, None].expand_as(cell)
        keep = _one_target_each(cell.flatten(), fit.flatten(), len(logits))
        return CellTargets(cell.flatten()[keep], target.flatten()[keep], goal.flatten()[keep])


def _one_target_each(cell: Tensor, fit: Tensor, total: int) -> Tensor:
    """Of the claims on a cell, the row of the best one (the first of equals)."""
    order = fit.argsort(descending=True, stable=True).flip(0)
    winner = torch.full((total,), -1, device=cell.device)
    winner = winner.scatter_reduce(0, cell[order], torch.arange(len(order), device=cell.device), "amax")
    return order[winner[winner >= 0]]


def dense_loss(native: DenseNative, targets: Sequence[Targets]) -> dict[str, Tensor]:
    """Weighted terms: score (all cells), giou and shape (positives), per target score of the batch."""
    logits, boxes = native.logits, native.boxes
    goal = torch.zeros_like(logits)
    found, wanted, weight = [], [], []
    for row, page in enumerate(targets):
        if len(page) == 0:
            continue
        chosen = assign_cells(logits[row], boxes[row], page, native.grids)
        goal[row, chosen.cell, page.labels[chosen.target]] = chosen.score.to(goal.dtype)
        found.append(boxes[row, chosen.cell])
        wanted.append(page.boxes[chosen.target])
        weight.append(chosen.score.clamp(min=0.1))
    terms = {"score": SCORE * _score_loss(logits, goal) / goal.sum().clamp(min=1)}
    if found:
        terms |= _box_terms(torch.cat(found), torch.cat(wanted), torch.cat(weight))
    return terms


def _score_loss(logits: Tensor, goal: Tensor) -> Tensor:
    """Cross entropy towards the goal; cells without one are weighted by their score squared."""
    with torch.no_grad():
        weight = torch.where(goal > 0, 1.0, logits.sigmoid() ** _FOCUS)
    return F.binary_cross_entropy_with_logits(logits, goal, weight, reduction="sum")


def _box_terms(found: Tensor, wanted: Tensor, weight: Tensor) -> dict[str, Tensor]:
    """``1 - GIoU``, and relative differences of centre and size, which act where boxes do not touch."""
    total = weight.sum()
    giou = 1 - generalized_iou(cxcywh_to_xyxy(found), cxcywh_to_xyxy(wanted))
    centre = ((found[:, :2] - wanted[:, :2]) / wanted[:, 2:].clamp(min=1e-3)).abs().sum(-1)
    size = (found[:, 2:].clamp(min=1e-6) / wanted[:, 2:].clamp(min=1e-6)).log().abs().sum(-1)
    return {
        "giou": GIOU * (weight * giou).sum() / total,
        "shape": SHAPE * (weight * (centre.clamp(max=4.0) + size)).sum() / total,
    }
