# SPDX-License-Identifier: Apache-2.0
"""Box sides as distributions over 33 bins, and how they turn into boxes and back."""

from __future__ import annotations

import torch
from torch import Tensor

from acromeld.model.boxes import cxcywh_to_xyxy, xyxy_to_cxcywh

BINS = 33


def bin_values(up: Tensor, scale: Tensor) -> Tensor:
    """The offset W each bin stands for, ``(33,)``, dense around zero; 2 * up * scale at both ends."""
    bound = (up * scale).abs()
    half = (BINS - 3) // 2
    steps = (bound + 1) ** (torch.arange(1, half + 1, device=up.device, dtype=up.dtype) / half) - 1
    return torch.cat([-2 * bound, -steps.flip(0), torch.zeros_like(bound), steps, 2 * bound])


def side_logits(corners: Tensor) -> Tensor:
    """``(..., 4 * 33)`` to ``(..., 4, 33)``."""
    return corners.reshape(*corners.shape[:-1], 4, BINS)


def expected_offsets(corners: Tensor, values: Tensor) -> Tensor:
    """Expectation of each side's distribution; ``(..., 4 * 33)`` to ``(..., 4)``."""
    return side_logits(corners).softmax(-1) @ values


def offset_boxes(anchors: Tensor, offsets: Tensor, scale: Tensor) -> Tensor:
    """``cxcywh`` boxes with sides ``(scale / 2 + offset) * size / scale`` away from the anchors' centres."""
    centre, size = anchors[..., :2], anchors[..., 2:]
    reach = (0.5 * scale + offsets) * torch.cat([size, size], dim=-1) / scale
    return xyxy_to_cxcywh(torch.cat([centre - reach[..., :2], centre + reach[..., 2:]], dim=-1))


def box_offsets(anchors: Tensor, boxes: Tensor, scale: Tensor) -> Tensor:
    """The offsets that would make `offset_boxes` give ``boxes``; ``(n, 4)``."""
    corners = cxcywh_to_xyxy(boxes)
    low, high = anchors[..., :2] - corners[..., :2], corners[..., 2:] - anchors[..., :2]
    size = anchors[..., 2:].clamp(min=1e-9)
    return torch.cat([low / size, high / size], dim=-1) * scale - 0.5 * scale


def two_bins(offsets: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Left bin and the share of the bin right of it, such that their mix is the offset; shape of ``offsets``.

    Offsets beyond the ends go entirely to the end bin.
    """
    left = (torch.searchsorted(values, offsets.contiguous(), right=True) - 1).clamp(0, BINS - 2)
    share = (offsets - values[left]) / (values[left + 1] - values[left])
    return left, share.clamp(0, 1)
