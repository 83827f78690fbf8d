# SPDX-License-Identifier: Apache-2.0
"""The ECDet-L decoder: query selection on the maps, four refining layers, box sides as distributions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.boxes import inverse_sigmoid
from acromeld.model.visual.deformable import DeformableAttention
from acromeld.model.visual.denoising import DenoisingQueries, denoising_queries
from acromeld.model.visual.distribution import BINS, bin_values, expected_offsets, offset_boxes, side_logits
from acromeld.model.visual.interface import EcdetNative, HeadOutput
from acromeld.model.visual.layers import Mlp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets

WIDTH, HEADS, FEEDFORWARD, DEPTH = 256, 8, 1024, 4
_FAR = 1e4
"""Logit of cells too close to the border to be anchors; their sigmoid is exactly 1."""


class Gateway(nn.Module):
    """Two learned gates mix a query with what it attended to."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(2 * WIDTH, 2 * WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        nn.init.zeros_(self.gate.weight)
        nn.init.zeros_(self.gate.bias)

    def forward(self, query: Tensor, attended: Tensor) -> Tensor:
        """``(B, Q, 256)`` each, and the same out."""
        keep, take = self.gate(torch.cat([query, attended], dim=-1)).sigmoid().chunk(2, dim=-1)
        out: Tensor = self.norm(keep * query + take * attended)
        return out


class DecoderLayer(nn.Module):
    """Self-attention, deformable attention behind a gateway, feed-forward; post-norm."""

    def __init__(self) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.norm1 = nn.LayerNorm(WIDTH)
        self.cross_attn = DeformableAttention()
        self.gateway = Gateway()
        self.linear1 = nn.Linear(WIDTH, FEEDFORWARD)
        self.linear2 = nn.Linear(FEEDFORWARD, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH)

    def forward(
        self, x: Tensor, position: Tensor, reference: Tensor, levels: list[Tensor], mask: Tensor | None
    ) -> Tensor:
        """``(B, Q, 256)`` in and out; ``reference`` ``(B, Q, 4)``; ``mask`` true where forbidden."""
        placed = x + position
        attended = self.self_attn(placed, placed, x, attn_mask=mask, need_weights=False)[0]
        x = self.norm1(x + attended)
        x = self.gateway(x, self.cross_attn(x + position, reference, levels))
        x = x + self.linear2(F.silu(self.linear1(x)))
        out: Tensor = self.norm2(x.clamp(-65504, 65504))
        return out


class SideQuality(nn.Module):
    """A scalar for every query from how peaked its four side distributions are."""

    def __init__(self) -> None:
        super().__init__()
        self.reg_conf = Mlp(20, 64, 1)
        nn.init.zeros_(self.reg_conf.last.weight)
        nn.init.zeros_(self.reg_conf.last.bias)

    def forward(self, corners: Tensor) -> Tensor:
        """``(B, Q, 132)`` to ``(B, Q, 1)``."""
        top = side_logits(corners).softmax(-1).topk(4, dim=-1).values
        out: Tensor = self.reg_conf(torch.cat([top, top.mean(-1, keepdim=True)], dim=-1).flatten(-2))
        return out


class LayerStack(nn.Module):
    """The layers, their side-quality estimators, and the two frozen scalars of the bin function."""

    def __init__(self, up: nn.Parameter, scale: nn.Parameter) -> None:
        super().__init__()
        self.up, self.reg_scale = up, scale
        self.layers = nn.ModuleList(DecoderLayer() for _ in range(DEPTH))
        self.lqe_layers = nn.ModuleList(SideQuality() for _ in range(DEPTH))


class Decoder(nn.Module):
    """Query selection and refinement.

    The encoder's score head has one class-agnostic logit ("is there a field here"): the only reading of the
    published switches under which the parameter count of the paper comes out exactly.
    """

    def __init__(self, classes: int, queries: int, denoising: int) -> None:
        super().__init__()
        self.queries, self.denoising = queries, denoising
        self.up = nn.Parameter(torch.tensor([0.5]), requires_grad=False)
        self.reg_scale = nn.Parameter(torch.tensor([4.0]), requires_grad=False)
        self.decoder = LayerStack(self.up, self.reg_scale)
        self.denoising_class_embed = nn.Embedding(classes + 1, WIDTH, padding_idx=classes)
        self.enc_score_head = nn.Linear(WIDTH, 1)
        self.enc_bbox_head = Mlp(WIDTH, WIDTH, WIDTH, 4)
        self.query_pos_head = Mlp(4, WIDTH, WIDTH, WIDTH)
        self.pre_bbox_head = Mlp(WIDTH, WIDTH, WIDTH, 4)
        self.dec_score_head = nn.ModuleList(nn.Linear(WIDTH, classes) for _ in range(DEPTH))
        self.dec_bbox_head = nn.ModuleList(Mlp(WIDTH, WIDTH, WIDTH, 4 * BINS) for _ in range(DEPTH))
        self._reset()

    def _reset(self) -> None:
        """Rare positives, boxes that start at their reference."""
        for score in (self.enc_score_head, *self.dec_score_head):
            assert isinstance(score, nn.Linear)
            nn.init.constant_(score.bias, -math.log(99))
        for box in (self.enc_bbox_head, self.pre_bbox_head, *self.dec_bbox_head):
            assert isinstance(box, Mlp)
            nn.init.zeros_(box.last.weight)
            nn.init.zeros_(box.last.bias)
        for layer in self.query_pos_head.layers:
            assert isinstance(layer, nn.Linear)
            nn.init.xavier_uniform_(layer.weight)

    def forward(
        self, levels: list[Tensor], targets: Sequence[Targets] | None = None
    ) -> tuple[Tensor, HeadOutput, EcdetNative]:
        """Features ``(B, Q, 256)`` and predictions of the last layer, and what the criterion supervises.

        Denoising queries are added when ``targets`` are given.
        """
        content, reference, encoder = self._select(levels)
        noise = None
        if targets is not None:
            embedding = self.denoising_class_embed
            noise = denoising_queries(targets, embedding, self.queries, self.denoising)
        if noise is not None:
            content = torch.cat([noise.content, content], dim=1)
            reference = torch.cat([noise.reference, reference], dim=1)
        x, layers, preliminary = self._refine(content, reference.sigmoid(), levels, noise)
        return _split(x, layers, preliminary, encoder, noise)

    def _select(self, levels: list[Tensor]) -> tuple[Tensor, Tensor, HeadOutput]:
        """Content and reference logits (both detached) of the best cells, and the encoder's predictions."""
        memory = torch.cat([level.flatten(2).transpose(1, 2) for level in levels], dim=1)
        anchors, usable = cell_anchors([(level.shape[-2], level.shape[-1]) for level in levels], memory)
        if memory.shape[1] < self.queries:
            raise ValueError(f"The canvas has {memory.shape[1]} cells, fewer than {self.queries} queries.")
        memory = memory * usable[:, None]
        score: Tensor = self.enc_score_head(memory)
        rows = score[..., 0].topk(self.queries, dim=1).indices[..., None]
        content = memory.gather(1, rows.expand(-1, -1, WIDTH))
        logits = self.enc_bbox_head(content) + anchors[rows[..., 0]]
        encoder = HeadOutput(score.gather(1, rows), logits.sigmoid())
        return content.detach(), logits.detach(), encoder

    def _refine(
        self, x: Tensor, reference: Tensor, levels: list[Tensor], noise: DenoisingQueries | None
    ) -> tuple[Tensor, list[HeadOutput], HeadOutput]:
        """All layers over real and denoising queries together."""
        position = self.query_pos_head(reference).clamp(-10, 10)
        values = bin_values(self.up, self.reg_scale)
        mask = None if noise is None else noise.mask
        first = reference
        corners = x.new_zeros(1)
        previous = x.new_zeros(1)
        outputs: list[HeadOutput] = []
        preliminary = None
        for index, layer in enumerate(self.decoder.layers):
            x = layer(x, position, reference, levels, mask)
            if preliminary is None:
                box = (self.pre_bbox_head(x) + inverse_sigmoid(first)).sigmoid()
                preliminary = HeadOutput(self.dec_score_head[0](x), box)
                anchors = box.detach()
            corners = self.dec_bbox_head[index](x + previous) + corners
            boxes = offset_boxes(anchors, expected_offsets(corners, values), self.reg_scale)
            logits = self.dec_score_head[index](x) + self.decoder.lqe_layers[index](corners)
            outputs.append(HeadOutput(logits, boxes, corners, anchors))
            reference, previous = boxes.detach(), x.detach()
        assert preliminary is not None
        return x, outputs, preliminary


def cell_anchors(sizes: list[tuple[int, int]], like: Tensor) -> tuple[Tensor, Tensor]:
    """Anchor logits ``(N, 4)`` of every cell and ``(N,)`` whether the cell is usable (not at the border)."""
    boxes = []
    for level, (rows, columns) in enumerate(sizes):
        y = (torch.arange(rows, device=like.device) + 0.5) / rows
        x = (torch.arange(columns, device=like.device) + 0.5) / columns
        grid = torch.stack(torch.meshgrid(y, x, indexing="ij"), dim=-1).flip(-1).view(-1, 2)
        boxes.append(torch.cat([grid, torch.full_like(grid, 0.05 * 2**level)], dim=-1))
    anchors = torch.cat(boxes)
    usable = ((anchors > 0.01) & (anchors < 0.99)).all(-1)
    logits = torch.log(anchors / (1 - anchors))
    # Anchors stay in full precision: in half of it, neighbouring cells of a large canvas are one place.
    return torch.where(usable[:, None], logits, _FAR), usable.to(like.dtype)


def _split(
    x: Tensor,
    layers: list[HeadOutput],
    preliminary: HeadOutput,
    encoder: HeadOutput,
    noise: DenoisingQueries | None,
) -> tuple[Tensor, HeadOutput, EcdetNative]:
    """Separate denoising queries, which come first, from the real ones."""
    if noise is None:
        return x, layers[-1], EcdetNative(tuple(layers), preliminary, encoder)
    cut = noise.content.shape[1]
    real = tuple(_rows(output, slice(cut, None)) for output in layers)
    native = EcdetNative(
        layers=real,
        preliminary=_rows(preliminary, slice(cut, None)),
        encoder=encoder,
        denoising_layers=tuple(_rows(output, slice(cut)) for output in layers),
        denoising_preliminary=_rows(preliminary, slice(cut)),
        plan=noise.plan,
    )
    return x[:, cut:], real[-1], native


def _rows(output: HeadOutput, part: slice) -> HeadOutput:
    corners = None if output.corners is None else output.corners[:, part]
    anchors = None if output.anchors is None else output.anchors[:, part]
    return HeadOutput(output.logits[:, part], output.boxes[:, part], corners, anchors)
