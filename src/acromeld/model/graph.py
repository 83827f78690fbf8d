# SPDX-License-Identifier: Apache-2.0
"""Geometry-aware graph layers: sparse attention over nearest queries, then attention to all structure."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.model.attention import Attention, FeedForward, two_layer
from acromeld.model.boxes import cxcywh_to_xyxy, iou

if TYPE_CHECKING:
    from acromeld.model.contract import ModelContract

EDGE_FEATURES = 7
EDGE_LIMIT = 32.0
"""Relative offsets are cut here: a distance of hundreds of heights says no more than one of dozens, and
unbounded inputs to the bias MLP would dominate it."""

_TIE, _NO_DISTANCE = 2.0**-45, 2.0**-120
"""Share of a squared distance that each row adds to it, and what stands for a distance of nothing: in double
precision they tell equal single-precision distances apart, and for a thousand rows no others."""


def nearest(boxes: Tensor, count: int) -> Tensor:
    """Rows of the ``count`` query centres nearest to each query's own, itself among them; ``(B, Q, k)``.

    Distances are in canvas coordinates; of equally near ones the earlier row is taken, and the rows of one
    query are in no particular order. Forms are grids and ties are common. ONNX settles them by row itself;
    torch sorts equal keys as it likes, so there no two keys may be equal: in double precision the last bits
    carry the row. Coarser steps would hide rounding in the boxes, but every edge of a step is a new place to
    differ at; measured, they make torch and an exported graph disagree more often, not less.

    The exact search holds a ``(B, Q, Q)`` matrix for a moment; nothing of that size is kept for the backward
    pass.
    """
    with torch.no_grad():
        (x, y), queries = boxes[..., :2].unbind(-1), boxes.shape[1]
        across, down = x[:, :, None] - x[:, None], y[:, :, None] - y[:, None]
        key = across * across + down * down
        if not torch.onnx.is_in_onnx_export():
            row = torch.arange(queries, device=boxes.device, dtype=torch.float64)
            key = (key.double() + _NO_DISTANCE) * (1 + row * _TIE)
        return key.topk(min(count, queries), dim=-1, largest=False, sorted=False).indices


def gather_rows(x: Tensor, rows: Tensor) -> Tensor:
    """Rows ``(B, Q, k)`` of ``x`` ``(B, Q, d)``: ``(B, Q, k, d)``."""
    batch, length, width = x.shape
    offset = torch.arange(batch, device=x.device)[:, None, None] * length
    flat = x.reshape(-1, width).index_select(0, (rows + offset).flatten())
    return flat.view(*rows.shape, width)


def edge_features(boxes: Tensor, rows: Tensor) -> Tensor:
    """Equation (edge) of boxes ``(B, Q, 4)`` i and their neighbours ``(B, Q, k)`` j; ``(B, Q, k, 7)``."""
    mine, other = boxes[:, :, None], gather_rows(boxes, rows)
    offset = (other[..., :2] - mine[..., :2]) / mine[..., 2:]
    size = torch.log(other[..., 2:] / mine[..., 2:])
    shared = iou(cxcywh_to_xyxy(mine), cxcywh_to_xyxy(other))[..., None]
    near = torch.exp(-offset.abs()).flip(-1)
    return torch.cat([offset.clamp(-EDGE_LIMIT, EDGE_LIMIT), size, shared, near], dim=-1)


class SparseAttention(nn.Module):
    """Eight-head self-attention over k neighbours with a bias from edge features; stores O(Qk) edges."""

    def __init__(self, width: int, heads: int, edge_width: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.out = nn.Linear(width, width)
        self.edge = two_layer(EDGE_FEATURES, edge_width, heads)

    def forward(self, x: Tensor, rows: Tensor, edges: Tensor) -> Tensor:
        """``(B, Q, d)`` queries, ``(B, Q, k)`` neighbours, ``(B, Q, k, 7)`` edges; ``(B, Q, d)``."""
        width = x.shape[-1] // self.heads
        # Gathered one after the other, and mixed without einsum: exported, both halves would be copied again.
        keys, values = (gather_rows(table, rows) for table in self.key_value(x).chunk(2, dim=-1))
        # Sums over a head, and its weight for each of its columns, as products with a matrix of ones:
        # runtimes are faster at those than at reducing and spreading short rows.
        columns = torch.eye(self.heads, dtype=x.dtype, device=x.device).repeat_interleave(width, dim=0)
        score = (self.query(x)[:, :, None] * keys) @ (columns * width**-0.5) + self.edge(edges)
        mixed = ((score.softmax(dim=2) @ columns.T) * values).sum(dim=2)
        out: Tensor = self.out(mixed)
        return out


class GraphLayer(nn.Module):
    """Sparse self-attention, cross-attention to every structure token, feed-forward; pre-norm residuals."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        width = contract.hidden
        self.neighbours = contract.neighbours
        self.norm_self = nn.LayerNorm(width)
        self.self_attention = SparseAttention(width, contract.heads, contract.edge_width)
        self.norm_cross = nn.LayerNorm(width)
        self.cross_attention = Attention(width, contract.heads)
        self.norm_feedforward = nn.LayerNorm(width)
        self.feedforward = FeedForward(width, contract.feedforward, contract.dropout)
        self.dropout = nn.Dropout(contract.dropout)

    def forward(self, x: Tensor, boxes: Tensor, memory: Tensor, mask: Tensor | None) -> Tensor:
        """``(B, Q, d)`` queries at ``(B, Q, 4)`` boxes, ``(B, T, d)`` structure with its ``(B, T)`` mask."""
        boxes = boxes.detach()
        rows = nearest(boxes, self.neighbours)
        edges = edge_features(boxes, rows)
        x = x + self.dropout(self.self_attention(self.norm_self(x), rows, edges))
        x = x + self.dropout(self.cross_attention(self.norm_cross(x), memory, mask))
        out: Tensor = x + self.dropout(self.feedforward(self.norm_feedforward(x)))
        return out
