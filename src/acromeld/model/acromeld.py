# SPDX-License-Identifier: Apache-2.0
"""AcroMELD whole: raster branch, structure encoder, query set, graph layers, heads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.detect.acromeld.contract import SOURCES
from acromeld.model.contract import EcdetContract, ModelContract
from acromeld.model.graph import GraphLayer
from acromeld.model.heads import LayerOutput, OutputHeads
from acromeld.model.queries import Queries
from acromeld.model.structure import StructureEncoder
from acromeld.model.visual.dense import DenseDetector
from acromeld.model.visual.ecdet import EcdetL
from acromeld.model.visual.glimpse import ALL_OVER, glimpse

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from acromeld.model.batch import Targets, TokenBatch
    from acromeld.model.visual.interface import VisualOutput


@dataclass(frozen=True)
class Output:
    """Predictions for a batch.

    Attributes:
        layers: Of every graph layer, first to last; the last one is the answer.
        link: ``(B, Q, 32)`` unit vectors.
        fieldness: ``(B, T)`` token logits, and ``eligible`` ``(B, T)`` where they count.
        visual: What the raster branch proposed.
        asked: Rows ``(n,)`` of the queries that the Q above are; none if those are all there were.
    """

    layers: tuple[LayerOutput, ...]
    link: Tensor
    fieldness: Tensor
    eligible: Tensor
    visual: VisualOutput
    asked: Tensor | None = None

    @property
    def final(self) -> LayerOutput:
        """Predictions of the last graph layer."""
        return self.layers[-1]


def visual_branch(contract: ModelContract) -> EcdetL | DenseDetector:
    """The raster branch the contract asks for."""
    if isinstance(contract.visual, EcdetContract):
        return EcdetL(contract.classes, contract.visual_queries, contract.visual.denoising)
    return DenseDetector(contract)


class AcroMeld(nn.Module):
    """The detector of the paper at the sizes of a contract."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        self.contract = contract
        self.visual = visual_branch(contract)
        self.structure = StructureEncoder(contract)
        self.queries = Queries(contract)
        self.layers = nn.ModuleList(GraphLayer(contract) for _ in range(contract.graph_depth))
        self.heads = OutputHeads(contract)
        self.looks = nn.ModuleList(
            nn.Linear(contract.glimpse_width * len(ALL_OVER), contract.hidden)
            for _ in range(contract.graph_depth if contract.glimpse_width else 0)
        )

    def forward(self, images: Tensor, tokens: TokenBatch, targets: Sequence[Targets] | None = None) -> Output:
        """Images ``(B, C, H, W)`` in 0..1; targets only feed the raster branch's denoising in training."""
        return self.refine(self.visual(images, targets), tokens)

    def refine(
        self,
        visual: VisualOutput,
        tokens: TokenBatch,
        sources: Collection[str] = SOURCES,
        *,
        hopeful: bool = False,
    ) -> Output:
        """Everything after the raster branch; a trainer may call it with cached proposals.

        Only queries of the named sources enter the graph; the others are not there for anybody to attend to.
        With ``hopeful``, for one page, the same holds for queries below the contract's least hope: that is
        how the detector runs, and half of the queries of a page are not worth asking.

        A layer's references are the detached boxes of the layer before: each layer learns its own correction.
        With glimpses, each layer first looks at the picture where its references are.
        """
        memory = self.structure(tokens)
        start, asked = self.queries(visual, tokens, memory, sources), None
        if hopeful and self.contract.least_hope is not None:
            asked = torch.nonzero(start.hopeful[0])[:, 0]
            start = start.only(asked)
        x, boxes = start.values, start.boxes
        outputs: list[LayerOutput] = []
        for index, layer in enumerate(self.layers):
            if self.looks and visual.fine is not None:
                x = x + self.looks[index](glimpse(visual.fine, boxes, ALL_OVER))
            x = layer(x, boxes, memory, tokens.mask)
            outputs.append(self.heads(x, boxes, index, start.opinion))
            boxes = outputs[-1].boxes.detach()
        link = self.heads.link(x)
        return Output(tuple(outputs), link, start.fieldness, start.eligible, visual, asked)
