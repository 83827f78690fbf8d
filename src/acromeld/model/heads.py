# SPDX-License-Identifier: Apache-2.0
"""What each query says: class, box, quality after every layer, and a link vector at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.model.attention import two_layer
from acromeld.model.boxes import inverse_sigmoid, valid_boxes
from acromeld.model.head_start import HeadStart

if TYPE_CHECKING:
    from acromeld.model.contract import ModelContract

LINK_TEMPERATURE = 0.1
_FIELD_PRIOR = 0.05
"""Initial probability that a query is a field of any class."""
_SMALL = 0.01
"""Initial weights of heads that correct opinions."""


@dataclass(frozen=True)
class LayerOutput:
    """Predictions after one graph layer.

    Attributes:
        logits: ``(B, Q, C + 1)``, the last class is "no object".
        boxes: ``(B, Q, 4)`` valid ``cxcywh``.
        quality: ``(B, Q)`` logits of the expected overlap.
    """

    logits: Tensor
    boxes: Tensor
    quality: Tensor


class OutputHeads(nn.Module):
    """Class, box and quality heads of each layer behind one shared norm, and the link head behind its own."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        width, depth = contract.hidden, contract.graph_depth
        self.norm = nn.LayerNorm(width)
        self.classes = nn.ModuleList(nn.Linear(width, contract.classes + 1) for _ in range(depth))
        self.boxes = nn.ModuleList(two_layer(width, width, 4) for _ in range(depth))
        self.quality = nn.ModuleList(nn.Linear(width, 1) for _ in range(depth))
        self.link_norm = nn.LayerNorm(width)
        self.link_head = nn.Linear(width, contract.link_width)
        no_object = math.log(contract.classes * (1 - _FIELD_PRIOR) / _FIELD_PRIOR)
        self.head_start = HeadStart(depth, no_object) if contract.head_start else None
        self._reset(no_object)

    def _reset(self, no_object: float) -> None:
        """Few queries are fields; boxes start at their references, classes at opinions if there are any."""
        for head in self.classes:
            assert isinstance(head, nn.Linear)
            nn.init.zeros_(head.bias)
            nn.init.constant_(head.bias[-1:].data, no_object)
        for head in (*self.classes, *self.quality) if self.head_start is not None else ():
            assert isinstance(head, nn.Linear)
            nn.init.normal_(head.weight, std=_SMALL)
        for mlp in self.boxes:
            assert isinstance(mlp, nn.Sequential)
            last = mlp[-1]
            assert isinstance(last, nn.Linear)
            nn.init.zeros_(last.weight)
            nn.init.zeros_(last.bias)

    def forward(self, x: Tensor, boxes: Tensor, layer: int, opinion: Tensor | None = None) -> LayerOutput:
        """Predictions of a layer from its ``(B, Q, d)`` output and the ``(B, Q, 4)`` boxes it began with."""
        x = self.norm(x)
        moved = (inverse_sigmoid(boxes) + self.boxes[layer](x)).sigmoid()
        logits, quality = self.classes[layer](x), self.quality[layer](x)[..., 0]
        if self.head_start is not None and opinion is not None:
            classes, fit = self.head_start(opinion, layer)
            logits, quality = logits + classes, quality + fit
        return LayerOutput(logits, valid_boxes(moved), quality)

    def link(self, x: Tensor) -> Tensor:
        """Unit vectors z of the final queries, ``(B, Q, 32)``."""
        return F.normalize(self.link_head(self.link_norm(x)), dim=-1)


def scores(output: LayerOutput) -> tuple[Tensor, Tensor]:
    """Equation (score): ``sqrt(max_c p_c * sigmoid(r))`` of the best field class, and which; ``(B, Q)``."""
    best, kind = output.logits.softmax(-1)[..., :-1].max(-1)
    return torch.sqrt(best * output.quality.sigmoid()), kind


def link_logits(link: Tensor) -> Tensor:
    """``z_i . z_j / 0.1`` of every pair, ``(..., Q, 32)`` to ``(..., Q, Q)``; its sigmoid is "same field"."""
    return link @ link.transpose(-1, -2) / LINK_TEMPERATURE
