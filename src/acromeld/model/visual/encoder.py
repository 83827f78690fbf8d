# SPDX-License-Identifier: Apache-2.0
"""The ECDet-L hybrid encoder: attention on the coarsest map, then top-down and bottom-up fusion."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.visual.layers import ConvNorm

WIDTH, HEADS, FEEDFORWARD = 256, 8, 1024
_STAGE = 96


def sine_positions(rows: int, columns: int, like: Tensor) -> Tensor:
    """Positions ``(rows * columns, 256)``: sin(row), cos(row), sin(column), cos(column), 64 channels each.

    Upstream counts cells column by column while its tokens run row by row, which scrambles positions on every
    map that is not square. Both readings agree on the square maps the checkpoint was trained on, and
    pages are not square, so rows and columns are used as they are.
    """
    count = WIDTH // 4
    frequency = torch.exp(-math.log(10000.0) * torch.arange(count, device=like.device) / count)
    row = torch.arange(rows, device=like.device)[:, None] * frequency
    column = torch.arange(columns, device=like.device)[:, None] * frequency
    by_row = torch.cat([row.sin(), row.cos()], dim=-1)[:, None].expand(-1, columns, -1)
    by_column = torch.cat([column.sin(), column.cos()], dim=-1)[None].expand(rows, -1, -1)
    return torch.cat([by_row, by_column], dim=-1).flatten(0, 1).to(like.dtype)


class AttentionLayer(nn.Module):
    """Post-norm transformer layer with positions on queries and keys only."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.linear1 = nn.Linear(WIDTH, FEEDFORWARD)
        self.linear2 = nn.Linear(FEEDFORWARD, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)

    def forward(self, x: Tensor, positions: Tensor) -> Tensor:
        """``(B, n, 256)`` in and out."""
        placed = x + positions
        x = self.norm1(x + self.self_attn(placed, placed, x, need_weights=False)[0])
        out: Tensor = self.norm2(x + self.linear2(F.silu(self.linear1(x))))
        return out


class AttentionStack(nn.Module):
    """The layers of `AttentionLayer` on one map (the checkpoint has one)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList([AttentionLayer()])

    def forward(self, level: Tensor) -> Tensor:
        """``(B, 256, H, W)`` in and out."""
        rows, columns = level.shape[-2:]
        positions = sine_positions(rows, columns, level)
        x = level.flatten(2).transpose(1, 2)
        for layer in self.layers:
            x = layer(x, positions)
        return x.transpose(1, 2).reshape(level.shape)


class RepBlock(nn.Module):
    """SiLU of the sum of a 3x3 and a 1x1 convolution, each with its own norm."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.conv1 = ConvNorm(width, width, 3)
        self.conv2 = ConvNorm(width, width, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Same shape in and out."""
        return F.silu(self.conv1(x) + self.conv2(x))


class Stage(nn.Module):
    """A 1x1 convolution split in halves; the second passes three `RepBlock` and is added to the first."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.conv1 = ConvNorm(inputs, 2 * _STAGE, 1, activation=nn.SiLU())
        self.bottlenecks = nn.Sequential(*(RepBlock(_STAGE) for _ in range(3)))

    def forward(self, x: Tensor) -> Tensor:
        """``(B, inputs, H, W)`` to ``(B, 96, H, W)``."""
        first, second = self.conv1(x).chunk(2, dim=1)
        out: Tensor = first + self.bottlenecks(second)
        return out


class FusionBlock(nn.Module):
    """Two stages in a row whose results are gathered together with both halves of the input."""

    def __init__(self) -> None:
        super().__init__()
        self.cv1 = ConvNorm(WIDTH, 2 * WIDTH, 1, activation=nn.SiLU())
        self.cv2 = nn.Sequential(Stage(WIDTH))
        self.cv3 = nn.Sequential(Stage(_STAGE))
        self.cv4 = ConvNorm(2 * WIDTH + 2 * _STAGE, WIDTH, 1, activation=nn.SiLU())

    def forward(self, x: Tensor) -> Tensor:
        """``(B, 256, H, W)`` in and out."""
        first, second = self.cv1(x).chunk(2, dim=1)
        third = self.cv2(second)
        out: Tensor = self.cv4(torch.cat([first, second, third, self.cv3(third)], dim=1))
        return out


class Downsample(nn.Module):
    """1x1 convolution, then a depthwise 3x3 at stride 2."""

    def __init__(self) -> None:
        super().__init__()
        self.cv1 = ConvNorm(WIDTH, WIDTH, 1)
        self.cv2 = ConvNorm(WIDTH, WIDTH, 3, stride=2, groups=WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """Halves the map."""
        out: Tensor = self.cv2(self.cv1(x))
        return out


class HybridEncoder(nn.Module):
    """Three maps in, three maps of the same sizes out."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.ModuleList([AttentionStack()])
        self.lateral_convs = nn.ModuleList(ConvNorm(WIDTH, WIDTH, 1) for _ in range(2))
        self.fpn_blocks = nn.ModuleList(FusionBlock() for _ in range(2))
        self.downsample_convs = nn.ModuleList(nn.Sequential(Downsample()) for _ in range(2))
        self.pan_blocks = nn.ModuleList(FusionBlock() for _ in range(2))

    def forward(self, levels: list[Tensor]) -> list[Tensor]:
        """``(B, 256, ., .)`` maps, finest first."""
        fine, middle, coarse = levels
        coarse = self.lateral_convs[0](self.encoder[0](coarse))
        middle = self.fpn_blocks[0](F.interpolate(coarse, scale_factor=2.0, mode="nearest") + middle)
        middle = self.lateral_convs[1](middle)
        fine = self.fpn_blocks[1](F.interpolate(middle, scale_factor=2.0, mode="nearest") + fine)
        middle = self.pan_blocks[0](self.downsample_convs[0](fine) + middle)
        coarse = self.pan_blocks[1](self.downsample_convs[1](middle) + coarse)
        return [fine, middle, coarse]
