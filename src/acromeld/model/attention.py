# SPDX-License-Identifier: Apache-2.0
"""Parts shared by the structure encoder and the graph layers: attention, feed-forward, two-layer MLP."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from acromeld.model.visual.layers import attend

_NEVER = -1e4
"""Attention logit of padding; its exponential is zero in every precision."""


def two_layer(inputs: int, hidden: int, outputs: int) -> nn.Sequential:
    """MLP(inputs, hidden, outputs) of the paper's modules: Linear, GELU, Linear."""
    return nn.Sequential(nn.Linear(inputs, hidden), nn.GELU(), nn.Linear(hidden, outputs))


class FeedForward(nn.Sequential):
    """Linear, GELU, dropout, Linear."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__(nn.Linear(width, hidden), nn.GELU(), nn.Dropout(dropout), nn.Linear(hidden, width))


class Attention(nn.Module):
    """Multi-head attention of queries to a memory with padding."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.memory = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        """``(B, Q, d)`` queries, ``(B, T, d)`` memory, ``(B, T)`` mask true for real rows; ``(B, Q, d)``."""
        keys, values = self.memory(memory).chunk(2, dim=-1)
        bias = None
        if mask is not None:
            bias = torch.zeros_like(mask, dtype=x.dtype).masked_fill(~mask, _NEVER)[:, None, None]
        out: Tensor = self.out(attend(self.query(x), keys, values, self.heads, bias))
        return out
