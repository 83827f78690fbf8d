# SPDX-License-Identifier: Apache-2.0
"""Small parts shared by the ECDet-L modules, named as the published checkpoint names them."""

from __future__ import annotations

from itertools import pairwise

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn


class ConvNorm(nn.Module):
    """Convolution without bias, batch norm, and an optional activation; keeps the map size at stride 1."""

    def __init__(
        self,
        inputs: int,
        outputs: int,
        kernel: int,
        stride: int = 1,
        groups: int = 1,
        activation: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False)
        self.norm = nn.BatchNorm2d(outputs)
        self.activation = activation if activation is not None else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        """``(B, inputs, H, W)`` to ``(B, outputs, H / stride, W / stride)``."""
        out: Tensor = self.activation(self.norm(self._convolved(x)))
        return out

    def _convolved(self, x: Tensor) -> Tensor:
        """Depthwise ones in full precision on CPUs, where they are five times slower in half of it."""
        if self.conv.groups == 1 or x.dtype != torch.bfloat16 or x.device.type != "cpu":
            plain: Tensor = self.conv(x)
            return plain
        with torch.autocast("cpu", enabled=False):
            full: Tensor = self.conv(x.float())
        return full


class Mlp(nn.Module):
    """Linear layers with an activation between them, at ``layers.{i}`` in the checkpoint."""

    def __init__(self, *widths: int, activation: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(widths))
        self.activation = activation if activation is not None else nn.SiLU()

    @property
    def last(self) -> nn.Linear:
        """The output layer, for initialisation."""
        layer = self.layers[-1]
        assert isinstance(layer, nn.Linear)
        return layer

    def forward(self, x: Tensor) -> Tensor:
        """``(..., widths[0])`` to ``(..., widths[-1])``."""
        for layer in self.layers[:-1]:
            x = self.activation(layer(x))
        out: Tensor = self.layers[-1](x)
        return out


def attend(q: Tensor, k: Tensor, v: Tensor, heads: int, bias: Tensor | None = None) -> Tensor:
    """Scaled dot-product attention of ``(B, n, d)`` tensors split into heads; ``bias`` joins the logits."""
    batch, n, width = q.shape
    q, k, v = (x.reshape(batch, -1, heads, width // heads).transpose(1, 2) for x in (q, k, v))
    out = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return out.transpose(1, 2).reshape(batch, n, width)
