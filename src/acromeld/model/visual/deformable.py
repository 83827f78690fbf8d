# SPDX-License-Identifier: Apache-2.0
"""Deformable attention of ECDet: each query samples twelve points a head, with no value projection."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

WIDTH, HEADS = 256, 8
POINTS = (3, 6, 3)


class DeformableAttention(nn.Module):
    """3, 6 and 3 points a head on the maps at strides 8, 16 and 32."""

    num_points_scale: Tensor

    def __init__(self) -> None:
        super().__init__()
        total = sum(POINTS)
        self.register_buffer("num_points_scale", torch.cat([torch.full((n,), 1.0 / n) for n in POINTS]))
        self.sampling_offsets = nn.Linear(WIDTH, HEADS * total * 2)
        self.attention_weights = nn.Linear(WIDTH, HEADS * total)
        self._reset()

    def _reset(self) -> None:
        """Points start on rays, one direction a head, further out with each point of a level."""
        for weight in (self.sampling_offsets.weight, *self.attention_weights.parameters()):
            nn.init.zeros_(weight)
        angle = torch.arange(HEADS) * (2 * math.pi / HEADS)
        ray = torch.stack([angle.cos(), angle.sin()], dim=-1)
        ray = ray / ray.abs().amax(-1, keepdim=True)
        distance = torch.cat([torch.arange(1, n + 1) for n in POINTS])
        with torch.no_grad():
            self.sampling_offsets.bias.copy_((ray[:, None] * distance[:, None]).flatten())

    def forward(self, query: Tensor, reference: Tensor, levels: list[Tensor]) -> Tensor:
        """``(B, Q, 256)`` queries, ``(B, Q, 4)`` boxes and ``(B, 256, ., .)`` maps to ``(B, Q, 256)``."""
        batch, count, _ = query.shape
        offsets = self.sampling_offsets(query).view(batch, count, HEADS, -1, 2)
        weights = self.attention_weights(query).view(batch, count, HEADS, -1).softmax(-1)
        size = reference[:, :, None, None, 2:]
        points = reference[:, :, None, None, :2] + offsets * self.num_points_scale[:, None] * size * 0.5
        grid = (2 * points - 1).transpose(1, 2).flatten(0, 1)
        sampled = [
            F.grid_sample(
                level.reshape(batch * HEADS, WIDTH // HEADS, *level.shape[-2:]), part, align_corners=False
            )
            for level, part in zip(levels, grid.split(POINTS, dim=2), strict=True)
        ]
        mixed = torch.cat(sampled, dim=-1) * weights.transpose(1, 2).flatten(0, 1)[:, None]
        out: Tensor = mixed.sum(-1).reshape(batch, WIDTH, count).transpose(1, 2)
        return out
