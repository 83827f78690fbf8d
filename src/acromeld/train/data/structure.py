# SPDX-License-Identifier: Apache-2.0
"""Missing structure in training: pages without any, pages with what a scan shows, and lost tokens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from acromeld.detect.acromeld.opinions import widened
from acromeld.structure.tokens import Tokens, unavailable

if TYPE_CHECKING:
    import numpy as np

    from acromeld.train.data.record import PageRecord


class MissingStructure(BaseModel):
    """Shares of pages and tokens (paper, "Augmentation and missing structure").

    Attributes:
        pages: Share of pages that lose all structure.
        tokens: Share of tokens, the page token apart, that are lost one by one.
        inferred: Share of pages whose structure is what their picture shows; zero in the paper.
        synthetic: Whether synthetic pages bring structure; they do not in the paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pages: float = 0.12
    tokens: float = 0.05
    inferred: float = 0.0
    synthetic: bool = False


def training_tokens(record: PageRecord, how: MissingStructure, rng: np.random.Generator) -> Tokens:
    """The tokens of a page for one visit."""
    draw = rng.random()
    if draw < how.pages:
        return no_tokens(record)
    tokens = record.inferred if draw < how.pages + how.inferred else record.own
    return thinned(tokens, how.tokens, rng)


def no_tokens(record: PageRecord) -> Tokens:
    """The sentinel of a page without structure, its descriptor as wide as that of the page's tokens."""
    sentinel = unavailable()
    return replace(sentinel, descriptor=widened(sentinel.descriptor, record.own.descriptor.shape[1]))


def thinned(tokens: Tokens, share: float, rng: np.random.Generator) -> Tokens:
    """Each token but the first, the page token, is lost with the same probability."""
    keep = rng.random(len(tokens)) >= share
    keep[0] = True
    return tokens.only(keep)
