# SPDX-License-Identifier: Apache-2.0
"""The heterogeneous query set: visual proposals, structure seeds and free queries in one exclusive set."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.detect.acromeld.contract import SOURCES
from acromeld.model.attention import two_layer
from acromeld.model.boxes import inverse_sigmoid, valid_boxes, xyxy_to_cxcywh
from acromeld.model.head_start import belief, opinions
from acromeld.structure.kinds import TokenKind

if TYPE_CHECKING:
    from collections.abc import Collection

    from acromeld.model.batch import TokenBatch
    from acromeld.model.contract import ModelContract
    from acromeld.model.visual.interface import VisualOutput

SEED_SIDE = 2e-3
"""Shortest side of a seed box: a rule has no height, and an inverse sigmoid of zero could not be refined."""

_SHAPES = ((0.30, 0.018), (0.12, 0.018), (0.018, 0.013), (0.45, 0.06))
"""A long and a short line of text, a check box, a paragraph: plausible fields as shares of the canvas."""


@dataclass(frozen=True)
class QuerySet:
    """Q_0 and what it came from.

    Attributes:
        values: ``(B, Q, d)``.
        boxes: ``(B, Q, 4)`` reference boxes, valid ``cxcywh``.
        fieldness: ``(B, T)`` logits of the tokens.
        eligible: ``(B, T)`` bool, tokens that can seed a query.
        hopeful: ``(B, Q)`` bool, what is worth asking about: proposals by the raster branch's own logits,
            seeds by their fieldness, see `ModelContract.least_hope`. Fallbacks and free queries, which are
            not from the page and can become anything, always are.
        opinion: ``(B, Q, JUDGEMENTS)`` what FFGBT thinks of each query's seed, zero where there is none; only
            for contracts with a head start.
    """

    values: Tensor
    boxes: Tensor
    fieldness: Tensor
    eligible: Tensor
    hopeful: Tensor
    opinion: Tensor | None = None

    def only(self, rows: Tensor) -> QuerySet:
        """The set of the queries in ``(n,)`` rows."""
        opinion = None if self.opinion is None else self.opinion[:, rows]
        return replace(
            self,
            values=self.values[:, rows],
            boxes=self.boxes[:, rows],
            hopeful=self.hopeful[:, rows],
            opinion=opinion,
        )


def grid_boxes(count: int) -> Tensor:
    """``(count, 4)`` boxes on a regular grid, the plausible shapes repeating along it."""
    rows = max(1, round(math.sqrt(count * 1.4)))
    columns = math.ceil(count / rows)
    index = torch.arange(count)
    x = (index % columns + 0.5) / columns
    y = (torch.div(index, columns, rounding_mode="floor") + 0.5) / rows
    size = torch.tensor(_SHAPES)[(index + torch.div(index, columns, rounding_mode="floor")) % len(_SHAPES)]
    return valid_boxes(torch.cat([x[:, None], y[:, None].clamp(max=1.0), size], dim=-1))


class Queries(nn.Module):
    """Seeds, fallbacks, free queries, and the embeddings that bring the three sources together."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        width = contract.hidden
        self.structure_queries = contract.structure_queries
        self.least_hope = contract.least_hope or (-math.inf, -math.inf)
        self.fieldness = two_layer(width + 5, contract.fieldness_width, 1)
        self.fallback = nn.Parameter(torch.randn(contract.structure_queries, width) * 0.2)
        self.fallback_box = nn.Parameter(inverse_sigmoid(grid_boxes(contract.structure_queries)))
        self.free = nn.Parameter(torch.randn(contract.free_queries, width) * 0.2)
        self.free_box = nn.Parameter(inverse_sigmoid(grid_boxes(contract.free_queries)))
        self.box = two_layer(4, width, width)
        self.logits = nn.Linear(contract.classes, width)
        self.source = nn.Embedding(len(SOURCES), width)
        nn.init.normal_(self.source.weight, std=0.2)
        self.trust = nn.Parameter(torch.ones(1)) if contract.head_start else None

    def forward(
        self,
        visual: VisualOutput,
        tokens: TokenBatch,
        features: Tensor,
        sources: Collection[str] = SOURCES,
    ) -> QuerySet:
        """Q_0 = [Q^v; Q^s; Q^f] from the visual branch, the tokens and their ``(B, T, d)`` features.

        References of visual queries are detached, as ECDet detaches its own; features and logits are not, so
        the graph teaches the raster branch what to describe. Queries of sources that are not named have no
        row in the set: interventions on a trained model leave some out.
        """
        batch = len(features)
        scores = self.score(tokens, features)
        eligible = tokens.kind != TokenKind.PAGE
        if tokens.mask is not None:
            eligible = tokens.mask & eligible
        best, rows, found = self._ranked(scores, eligible)
        seeds, seed_boxes = self._seeds(tokens, features, rows, found)
        visual_boxes = visual.boxes.detach()
        free_boxes = valid_boxes(self.free_box.sigmoid()).expand(batch, -1, -1)
        visual_values = visual.features + self.logits(visual.logits)
        values = [visual_values, seeds, self.free.expand(batch, -1, -1)]
        boxes = [visual_boxes, seed_boxes, free_boxes]
        kept = [index for index, name in enumerate(SOURCES) if name in sources]
        mixed = [values[index] + self.box(boxes[index]) + self.source.weight[index] for index in kept]
        references = [boxes[index] for index in kept]
        hopeful = [
            visual.logits.amax(-1) >= self.least_hope[0],
            best >= self.least_hope[1],
            torch.ones_like(free_boxes[..., 0], dtype=torch.bool),
        ]
        opinion = self._opinion(tokens, rows, found, [boxes[index].shape[1] for index in kept], kept)
        return QuerySet(
            values=torch.cat(mixed, dim=1),
            boxes=torch.cat(references, dim=1),
            fieldness=scores,
            eligible=eligible,
            hopeful=torch.cat([hopeful[index] for index in kept], dim=1),
            opinion=opinion,
        )

    def score(self, tokens: TokenBatch, features: Tensor) -> Tensor:
        """Fieldness logit of each token from its feature, box and log aspect ratio; ``(B, T)``."""
        size = (tokens.box[..., 2:] - tokens.box[..., :2]).clamp(min=SEED_SIDE)
        aspect = torch.log(size[..., :1] / size[..., 1:])
        out: Tensor = self.fieldness(torch.cat([features, tokens.box, aspect], dim=-1))[..., 0]
        return out if self.trust is None else out + self.trust * belief(opinions(tokens))

    def _ranked(self, scores: Tensor, eligible: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The best fieldness ``(B, S)`` in order, rows of its tokens, which ranks found one ``(B, S, 1)``.

        Ranks past the last token find nothing, so the shapes, and an exported graph, do not depend on how
        many tokens a page has.
        """
        ranked = scores.detach().masked_fill(~eligible, -torch.inf)
        ranked = F.pad(ranked, (0, self.structure_queries), value=-torch.inf)
        best, rows = ranked.topk(self.structure_queries, dim=1)
        found = best > -torch.inf
        best = torch.where(found, best, torch.inf)
        return best, torch.where(found, rows, 0)[..., None], found[..., None]

    def _seeds(
        self, tokens: TokenBatch, features: Tensor, rows: Tensor, found: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Values and boxes of the structure queries: best tokens first, learned fallbacks in what is left."""
        seed = features.gather(1, rows.expand(-1, -1, features.shape[-1]))
        box = valid_boxes(xyxy_to_cxcywh(tokens.box.gather(1, rows.expand(-1, -1, 4))), SEED_SIDE)
        fallback_box = valid_boxes(self.fallback_box.sigmoid())
        return torch.where(found, seed, self.fallback), torch.where(found, box, fallback_box)

    def _opinion(
        self, tokens: TokenBatch, rows: Tensor, found: Tensor, counts: list[int], kept: list[int]
    ) -> Tensor | None:
        """Opinions about the structure queries, and none about the others, in the order of the set."""
        if self.trust is None:
            return None
        judged = opinions(tokens)
        width = judged.shape[-1]
        seeds = torch.where(found, judged.gather(1, rows.expand(-1, -1, width)), 0.0)
        parts = [
            seeds if SOURCES[index] == "structure" else judged.new_zeros(len(judged), count, width)
            for index, count in zip(kept, counts, strict=True)
        ]
        return torch.cat(parts, dim=1)
