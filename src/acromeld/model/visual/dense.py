# SPDX-License-Identifier: Apache-2.0
"""The compact raster branch: a small convolutional detector that proposes at every cell of two maps.

Dense supervision converges in CPU hours where a set decoder from scratch does not. The branch speaks the same
language as ECDet-L: features, boxes and logits of a fixed number of proposals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.boxes import valid_boxes
from acromeld.model.contract import DenseContract
from acromeld.model.visual.glimpse import SIDES, glimpse
from acromeld.model.visual.interface import DenseNative, VisualOutput
from acromeld.model.visual.pyramid import ConvBackbone, Neck, separable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.batch import Targets
    from acromeld.model.contract import ModelContract

STRIDES = (8, 16)
_USUAL = (8.0, 2.0)
"""Initial width and height of a box in strides: fields are wide and low."""

_SIZE_LIMIT = 5.0
"""Largest log size in strides: e^5 strides of 8 pixels are wider than any canvas."""

_NOT_A_PEAK = 8.0
"""Taken off the ranking logit of a cell beside a better one, lest one field take many proposals."""


class CellHead(nn.Module):
    """Class logits and a box at every cell of one map."""

    def __init__(self, width: int, classes: int) -> None:
        super().__init__()
        self.tower = nn.Sequential(separable(width, 5), separable(width, 5))
        self.score = nn.Conv2d(width, classes, 1)
        self.box = nn.Conv2d(width, 4, 1)
        nn.init.constant_(self.score.bias, -math.log(99))  # type: ignore[arg-type]
        nn.init.normal_(self.box.weight, std=0.01)
        assert self.box.bias is not None
        self.box.bias.data = torch.tensor([0.0, 0.0, *map(math.log, _USUAL)])

    def forward(self, level: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Features, logits and ``cxcywh`` boxes of the cells, row by row: ``(B, H * W, .)`` each."""
        x = self.tower(level)
        rows, columns = level.shape[-2:]
        features, score, raw = (m.flatten(2).transpose(1, 2) for m in (x, self.score(x), self.box(x)))
        # Half precision cannot tell neighbouring pixels of a canvas apart.
        return features, score.float(), cell_boxes(raw.float(), rows, columns)


def cell_boxes(raw: Tensor, rows: int, columns: int) -> Tensor:
    """Boxes ``(B, N, 4)`` from offsets from the cell centre and log sizes, both in cells."""
    y = torch.arange(rows, device=raw.device, dtype=raw.dtype) + 0.5
    x = torch.arange(columns, device=raw.device, dtype=raw.dtype) + 0.5
    y, x = (grid.flatten() for grid in torch.meshgrid(y, x, indexing="ij"))
    width, height = raw[..., 2:].clamp(-_SIZE_LIMIT, _SIZE_LIMIT).exp().unbind(-1)
    parts = ((x + raw[..., 0]) / columns, (y + raw[..., 1]) / rows, width / columns, height / rows)
    return torch.stack(parts, dim=-1)


class DenseDetector(nn.Module):
    """Backbone, neck, cell heads, and the choice of proposals."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        sizes = contract.visual
        assert isinstance(sizes, DenseContract)
        self.proposals = contract.visual_queries
        self.backbone = ConvBackbone(contract.channels, sizes)
        self.neck = Neck(sizes)
        self.cells = nn.ModuleList(CellHead(sizes.neck, contract.classes) for _ in STRIDES)
        self.project = nn.Linear(sizes.neck * (1 + len(SIDES)), contract.hidden)

    def forward(self, images: Tensor, targets: Sequence[Targets] | None = None) -> VisualOutput:
        """Images ``(B, C, H, W)`` in 0..1, white is 1; targets are there for the interface and unused."""
        levels, features, native = self.cells_of(images)
        seen, boxes, logits = self.propose(levels, features, native)
        return VisualOutput(self.project(seen), boxes, logits, native, levels[0])

    def cells_of(self, images: Tensor) -> tuple[list[Tensor], Tensor, DenseNative]:
        """Both maps, features of all their cells ``(B, N, neck)``, and what the criterion supervises."""
        levels = self.neck(self.backbone(1.0 - images))
        found = [cell(level) for cell, level in zip(self.cells, levels, strict=True)]
        features, logits, boxes = (torch.cat(parts, dim=1) for parts in zip(*found, strict=True))
        grids = tuple((level.shape[-2], level.shape[-1]) for level in levels)
        return levels, features, DenseNative(logits, boxes, grids)

    def propose(
        self, levels: list[Tensor], features: Tensor, native: DenseNative
    ) -> tuple[Tensor, Tensor, Tensor]:
        """What is seen at the best cells before it is projected, their valid boxes, and their logits."""
        rows = self._choose(native.logits, native.grids)
        picked = [
            x.gather(1, rows[..., None].expand(-1, -1, x.shape[-1]))
            for x in (features, native.boxes, native.logits)
        ]
        proposals = valid_boxes(picked[1])
        seen = torch.cat([picked[0], glimpse(levels[0], proposals.detach(), SIDES)], dim=-1)
        return seen, proposals, picked[2]

    def _choose(self, logits: Tensor, grids: tuple[tuple[int, int], ...]) -> Tensor:
        """Rows of the best cells, local peaks before their neighbours; ``(B, proposals)``."""
        best = logits.detach().amax(-1)
        ranked = []
        parts = torch.split(best, [rows * columns for rows, columns in grids], dim=1)
        for part, (rows, columns) in zip(parts, grids, strict=True):
            level = part.reshape(-1, 1, rows, columns)
            peak = F.max_pool2d(level, 3, 1, 1) == level
            ranked.append((level - _NOT_A_PEAK * (~peak).to(level.dtype)).flatten(1))
        return torch.cat(ranked, dim=1).topk(self.proposals, dim=1).indices
