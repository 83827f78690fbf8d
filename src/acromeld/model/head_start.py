# SPDX-License-Identifier: Apache-2.0
"""FFGBT's opinion as a head start: the network learns what to correct in it instead of learning it again.

A query that was seeded by one of FFGBT's candidates begins with FFGBT's log-odds for its classes and its
expected fit, added to what the heads say; queries without an opinion begin with nothing. Heads start small,
so an untrained network answers about what FFGBT would, and training is about where FFGBT is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor, nn

from acromeld.detect.acromeld.opinions import FIT, JUDGEMENTS, ODDS, UNIT
from acromeld.structure.descriptor import SIZE

if TYPE_CHECKING:
    from acromeld.model.batch import TokenBatch


def opinions(tokens: TokenBatch) -> Tensor:
    """The judgement columns of every token, ``(B, T, JUDGEMENTS)``; all zero where there is no opinion."""
    return tokens.descriptor[..., SIZE : SIZE + JUDGEMENTS]


def known(opinion: Tensor) -> Tensor:
    """Which rows hold an opinion, ``(..., 1)``: FFGBT is never undecided in every column at once."""
    return (opinion != 0).any(-1, keepdim=True)


def belief(opinion: Tensor) -> Tensor:
    """Log-odds that a candidate is a field of any class, ``(...)``; zero without an opinion."""
    odds = torch.logsumexp(opinion[..., ODDS] * UNIT, dim=-1)
    return torch.where(known(opinion)[..., 0], odds, 0.0)


class HeadStart(nn.Module):
    """Class and quality logits to begin with, trusted as much as each layer learns to.

    Args:
        depth: Graph layers.
        no_object: What the class heads' bias says for "no object"; an opinion is about the class alone, so
            it is given back to the field classes.
    """

    def __init__(self, depth: int, no_object: float) -> None:
        super().__init__()
        self.no_object = no_object
        self.trust = nn.Parameter(torch.ones(depth, 2))

    def forward(self, opinion: Tensor, layer: int) -> tuple[Tensor, Tensor]:
        """Logits ``(B, Q, C + 1)`` and quality ``(B, Q)`` of a layer from opinions ``(B, Q, JUDGEMENTS)``."""
        trust = self.trust[layer]
        odds = opinion[..., ODDS] * UNIT * trust[0] + self.no_object
        classes = torch.where(known(opinion), odds, 0.0)
        return F.pad(classes, (0, 1)), opinion[..., FIT] * UNIT * trust[1]
