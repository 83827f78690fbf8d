# SPDX-License-Identifier: Apache-2.0
"""The ECDet-L backbone: a compact ViT at stride 16 whose last two blocks feed three maps."""

from __future__ import annotations

import math
from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.visual.layers import ConvNorm, attend

WIDTH, HEADS, DEPTH, OUTPUT = 384, 6, 12, 256
_MEAN, _STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


class RotaryPositions(nn.Module):
    """Rotary position angles of a map of patches.

    Cell centres are mapped to -1..1 along each axis by that axis' own length, so a canvas of any size uses
    the same table of 16 periods.
    """

    periods: Tensor

    def __init__(self, head_width: int = WIDTH // HEADS, base: float = 100.0) -> None:
        super().__init__()
        count = head_width // 4
        exponent = 2 * torch.arange(count, dtype=torch.float32) / (head_width // 2)
        self.register_buffer("periods", base**exponent)

    def forward(self, rows: int, columns: int) -> tuple[Tensor, Tensor]:
        """Cosines and sines, ``(rows * columns, head_width)`` each, cells row by row."""
        device = self.periods.device
        y = (torch.arange(rows, device=device) + 0.5) / rows * 2 - 1
        x = (torch.arange(columns, device=device) + 0.5) / columns * 2 - 1
        grid = torch.stack(torch.meshgrid(y, x, indexing="ij"), dim=-1).view(-1, 2)
        angle = (2 * math.pi * grid[:, :, None] / self.periods).flatten(1).repeat(1, 2)
        return angle.cos(), angle.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate channel c against channel c + half of it; ``x`` is ``(B, heads, n, width)``."""
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat([-second, first], dim=-1) * sin


class Attention(nn.Module):
    """Global self-attention; the register token in front has no position."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.proj = nn.Linear(WIDTH, WIDTH)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """``(B, 1 + n, 384)`` in and out; angles are of the n patches."""
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        out: Tensor = self.proj(attend(self._turn(q, cos, sin), self._turn(k, cos, sin), v, HEADS))
        return out

    @staticmethod
    def _turn(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        register, patches = x[:, :1], x[:, 1:]
        split = patches.reshape(*patches.shape[:2], HEADS, -1).transpose(1, 2)
        turned = rotate(split, cos, sin).transpose(1, 2).flatten(2)
        return torch.cat([register, turned], dim=1)


class FeedForward(nn.Module):
    """384-1536-384 with exact GELU."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(WIDTH, 4 * WIDTH)
        self.fc2 = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: Tensor) -> Tensor:
        """Same shape in and out."""
        out: Tensor = self.fc2(F.gelu(self.fc1(x)))
        return out


class Block(nn.Module):
    """Pre-norm transformer block."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.attn = Attention()
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-6)
        self.mlp = FeedForward()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """``(B, 1 + n, 384)`` in and out."""
        x = x + self.attn(self.norm1(x), cos, sin)
        out: Tensor = x + self.mlp(self.norm2(x))
        return out


class PatchEmbed(nn.Module):
    """Four stride-2 convolutions, 3-48-96-192-384."""

    def __init__(self) -> None:
        super().__init__()
        widths = (3, 48, 96, 192)
        self.convs = nn.Sequential(
            *(ConvNorm(a, b, 3, stride=2, activation=nn.ReLU()) for a, b in pairwise(widths))
        )
        self.proj = nn.Conv2d(192, WIDTH, 3, 2, 1)

    def forward(self, images: Tensor) -> Tensor:
        """``(B, 3, H, W)`` to ``(B, 384, H / 16, W / 16)``."""
        out: Tensor = self.proj(self.convs(images))
        return out


class CompactViT(nn.Module):
    """Twelve blocks over patches and one register token."""

    def __init__(self) -> None:
        super().__init__()
        self.register_token = nn.Parameter(torch.randn(1, 1, WIDTH) * 0.02)
        self.patch_embed = PatchEmbed()
        self.blocks = nn.ModuleList(Block() for _ in range(DEPTH))
        self.rope_embed = RotaryPositions()

    def forward(self, images: Tensor) -> Tensor:
        """Mean of the last two blocks as a map, ``(B, 384, H / 16, W / 16)``."""
        patches = self.patch_embed(images)
        batch, _, rows, columns = patches.shape
        x = torch.cat([self.register_token.expand(batch, -1, -1), patches.flatten(2).transpose(1, 2)], dim=1)
        cos, sin = self.rope_embed(rows, columns)
        before = x
        for block in self.blocks:
            before, x = x, block(x, cos, sin)
        mean = (before + x)[:, 1:] / 2
        return mean.transpose(1, 2).reshape(batch, WIDTH, rows, columns)


class Backbone(nn.Module):
    """The ViT and a projector for each of the three levels."""

    def __init__(self) -> None:
        super().__init__()
        self.backbone = CompactViT()
        self.projector = nn.ModuleList(ConvNorm(WIDTH, OUTPUT, 1) for _ in range(3))

    def forward(self, images: Tensor) -> list[Tensor]:
        """RGB in 0..1, sides multiples of 32; maps ``(B, 256, ., .)`` at strides 8, 16 and 32."""
        mean, std = (images.new_tensor(v).view(1, 3, 1, 1) for v in (_MEAN, _STD))
        level = self.backbone((images - mean) / std)
        rows, columns = level.shape[-2:]
        sizes = ((rows * 2, columns * 2), (rows, columns), (rows // 2, columns // 2))
        return [
            projector(F.interpolate(level, size=size, mode="bilinear", align_corners=False))
            for projector, size in zip(self.projector, sizes, strict=True)
        ]
