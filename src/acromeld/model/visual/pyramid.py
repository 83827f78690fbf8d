# SPDX-License-Identifier: Apache-2.0
"""Backbone and neck of the compact raster branch: plain convolutions that every runtime does fast."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.visual.layers import ConvNorm

if TYPE_CHECKING:
    from acromeld.model.contract import DenseContract


def conv(inputs: int, outputs: int, kernel: int, stride: int = 1, groups: int = 1) -> ConvNorm:
    """Convolution, batch norm, ReLU; runtimes fold the three into one."""
    return ConvNorm(inputs, outputs, kernel, stride, groups, nn.ReLU(inplace=True))


def separable(width: int, kernel: int) -> nn.Sequential:
    """A depthwise and a pointwise convolution."""
    return nn.Sequential(conv(width, width, kernel, groups=width), conv(width, width, 1))


class Residual(nn.Module):
    """Two 3x3 convolutions added to their input."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width, 3)
        self.second = ConvNorm(width, width, 3)

    def forward(self, x: Tensor) -> Tensor:
        """Same shape in and out."""
        return F.relu(x + self.second(self.first(x)))


class SplitStage(nn.Module):
    """Half of the channels pass residual blocks; every intermediate result is gathered at the end."""

    def __init__(self, inputs: int, outputs: int, blocks: int) -> None:
        super().__init__()
        half = outputs // 2
        self.enter = conv(inputs, 2 * half, 1)
        self.blocks = nn.ModuleList(Residual(half) for _ in range(blocks))
        self.leave = conv(half * (2 + blocks), outputs, 1)

    def forward(self, x: Tensor) -> Tensor:
        """``(B, inputs, H, W)`` to ``(B, outputs, H, W)``."""
        parts = list(self.enter(x).chunk(2, dim=1))
        for block in self.blocks:
            parts.append(block(parts[-1]))
        out: Tensor = self.leave(torch.cat(parts, dim=1))
        return out


class ConvBackbone(nn.Module):
    """Maps at strides 8, 16 and 32 from an image."""

    def __init__(self, channels: int, sizes: DenseContract) -> None:
        super().__init__()
        w = sizes.widths
        self.stem = nn.Sequential(conv(channels, w[0], 3, stride=2), conv(w[0], w[1], 3, stride=2))
        self.fine = SplitStage(w[1], w[1], sizes.blocks[0])
        self.downs = nn.ModuleList(conv(a, b, 3, stride=2) for a, b in pairwise(w[1:]))
        self.stages = nn.ModuleList(
            SplitStage(width, width, blocks) for width, blocks in zip(w[2:], sizes.blocks[1:], strict=True)
        )
        self.context = nn.Sequential(separable(w[4], 7), separable(w[4], 7))

    def forward(self, images: Tensor) -> list[Tensor]:
        """``(B, C, H, W)`` to three maps, finest first; the coarsest sees most of the page."""
        x = self.fine(self.stem(images))
        levels = []
        for down, stage in zip(self.downs, self.stages, strict=True):
            x = stage(down(x))
            levels.append(x)
        levels[-1] = levels[-1] + self.context(levels[-1])
        return levels


class Neck(nn.Module):
    """Top-down fusion to maps at strides 8 and 16."""

    def __init__(self, sizes: DenseContract) -> None:
        super().__init__()
        width = sizes.neck
        self.laterals = nn.ModuleList(ConvNorm(w, width, 1) for w in sizes.widths[2:])
        self.fuse_fine = SplitStage(width, width, 1)
        self.fuse_middle = SplitStage(width, width, 1)

    def forward(self, levels: list[Tensor]) -> list[Tensor]:
        """Three maps to two of the neck's width, finest first."""
        fine, middle, coarse = (lateral(x) for lateral, x in zip(self.laterals, levels, strict=True))
        middle = self.fuse_middle(middle + F.interpolate(coarse, scale_factor=2.0, mode="nearest"))
        fine = self.fuse_fine(fine + F.interpolate(middle, scale_factor=2.0, mode="nearest"))
        return [fine, middle]
