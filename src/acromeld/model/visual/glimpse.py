# SPDX-License-Identifier: Apache-2.0
"""Looking at the picture where a box is: a feature map read at a few points of each box."""

from __future__ import annotations

import torch.nn.functional as F  # noqa: N812
from torch import Tensor

Points = tuple[tuple[float, float], ...]

SIDES: Points = ((-0.5, 0.0), (0.5, 0.0), (0.0, -0.5), (0.0, 0.5))
"""The middles of the four sides, in box sizes from the centre."""

ALL_OVER: Points = tuple((x, y) for y in (-0.5, 0.0, 0.5) for x in (-0.5, 0.0, 0.5))
"""Corners, middles of sides, and the centre: what a box needs to see to find its own edges."""


def glimpse(level: Tensor, boxes: Tensor, points: Points) -> Tensor:
    """The map at points of each box; ``(B, C, H, W)`` and ``(B, Q, 4)`` to ``(B, Q, points * C)``."""
    offset = boxes.new_tensor(points)
    places = boxes[:, :, None, :2] + offset * boxes[:, :, None, 2:]
    seen = F.grid_sample(level, 2 * places - 1, align_corners=False)
    return seen.permute(0, 2, 3, 1).flatten(2)
