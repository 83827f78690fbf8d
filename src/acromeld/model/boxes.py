# SPDX-License-Identifier: Apache-2.0
"""Boxes as tensors: forms, overlaps, and the inverse-sigmoid space in which boxes are refined.

Two forms are used. ``cxcywh`` (centre, size) is what networks predict; ``xyxy`` (corners) is what overlaps
need. Everything is normalised to the canvas, 0..1.
"""

from __future__ import annotations

import torch
from torch import Tensor

MIN_SIDE = 1e-4
"""Shortest side of a valid box, as a share of the canvas: well under a pixel on every canvas."""

_EPS = 1e-9


def cxcywh_to_xyxy(boxes: Tensor) -> Tensor:
    """Centre and size to corners, shape ``(..., 4)``."""
    centre, size = boxes[..., :2], boxes[..., 2:]
    return torch.cat([centre - size / 2, centre + size / 2], dim=-1)


def xyxy_to_cxcywh(boxes: Tensor) -> Tensor:
    """Corners to centre and size, shape ``(..., 4)``."""
    low, high = boxes[..., :2], boxes[..., 2:]
    return torch.cat([(low + high) / 2, high - low], dim=-1)


def inverse_sigmoid(x: Tensor, eps: float = 1e-5) -> Tensor:
    """The logit of ``x``, with ``x`` kept ``eps`` away from 0 and 1."""
    x = x.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


def valid_boxes(boxes: Tensor, min_side: float = MIN_SIDE) -> Tensor:
    """The ``cxcywh`` boxes cut to the canvas, no side shorter than ``min_side``; shape ``(..., 4)``."""
    corners = cxcywh_to_xyxy(boxes)
    low = corners[..., :2].clamp(0.0, 1.0 - min_side)
    high = torch.maximum(corners[..., 2:].clamp(max=1.0), low + min_side)
    return xyxy_to_cxcywh(torch.cat([low, high], dim=-1))


def area(boxes: Tensor) -> Tensor:
    """Area of ``xyxy`` boxes, shape ``(...)``."""
    return (boxes[..., 2:] - boxes[..., :2]).clamp(min=0).prod(-1)


def _shared(a: Tensor, b: Tensor) -> Tensor:
    low = torch.maximum(a[..., :2], b[..., :2])
    high = torch.minimum(a[..., 2:], b[..., 2:])
    return (high - low).clamp(min=0).prod(-1)


def iou(a: Tensor, b: Tensor) -> Tensor:
    """Intersection over union of ``xyxy`` boxes; leading dimensions broadcast."""
    shared = _shared(a, b)
    return shared / (area(a) + area(b) - shared).clamp(min=_EPS)


def overlap(a: Tensor, b: Tensor) -> Tensor:
    """Equation (overlap): ``max(IoU, |a ∩ b| / min(|a|, |b|))`` of ``xyxy`` boxes; broadcasts."""
    shared = _shared(a, b)
    union = area(a) + area(b) - shared
    smaller = torch.minimum(area(a), area(b))
    return torch.maximum(shared / union.clamp(min=_EPS), shared / smaller.clamp(min=_EPS))


def generalized_iou(a: Tensor, b: Tensor) -> Tensor:
    """IoU minus the share of the smallest enclosing box that neither covers; ``xyxy``, broadcasts."""
    shared = _shared(a, b)
    union = area(a) + area(b) - shared
    low = torch.minimum(a[..., :2], b[..., :2])
    high = torch.maximum(a[..., 2:], b[..., 2:])
    hull = (high - low).clamp(min=0).prod(-1)
    return shared / union.clamp(min=_EPS) - (hull - union) / hull.clamp(min=_EPS)


def pairs(function: object, a: Tensor, b: Tensor) -> Tensor:
    """``function`` of every pair of rows: ``(n, 4)`` and ``(m, 4)`` give ``(n, m)``."""
    assert callable(function)
    out: Tensor = function(a[..., :, None, :], b[..., None, :, :])
    return out
