# SPDX-License-Identifier: Apache-2.0
"""Missing structure in training: pages without any, pages with what a scan shows, lost tokens, lost words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from acromeld.detect.acromeld.opinions import widened
from acromeld.structure.tokens import Tokens, unavailable

if TYPE_CHECKING:
    from acromeld.train.data.record import PageRecord


class MissingStructure(BaseModel):
    """Shares of pages and tokens (paper, "Augmentation and missing structure").

    Attributes:
        pages: Share of pages that lose all structure.
        tokens: Share of tokens, the page token apart, that are lost one by one.
        inferred: Share of pages whose structure is what their picture shows; zero in the paper.
        synthetic: Whether synthetic pages bring structure; they do not in the paper.
        words: Share of the remaining tokens whose text cannot be read: a model that could read every word
            learns pages by heart. Left out of the JSON where it is zero, as in the paper.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    pages: float = 0.12
    tokens: float = 0.05
    inferred: float = 0.0
    synthetic: bool = False
    words: float = Field(default=0.0, exclude_if=lambda share: not share)


def training_tokens(record: PageRecord, how: MissingStructure, rng: np.random.Generator) -> Tokens:
    """The tokens of a page for one visit."""
    draw = rng.random()
    if draw < how.pages:
        return no_tokens(record)
    tokens = record.inferred if draw < how.pages + how.inferred else record.own
    return unread(thinned(tokens, how.tokens, rng), how.words, rng)


def no_tokens(record: PageRecord) -> Tokens:
    """The sentinel of a page without structure, its descriptor as wide as that of the page's tokens."""
    sentinel = unavailable()
    return replace(sentinel, descriptor=widened(sentinel.descriptor, record.own.descriptor.shape[1]))


def thinned(tokens: Tokens, share: float, rng: np.random.Generator) -> Tokens:
    """Each token but the first, the page token, is lost with the same probability."""
    keep = rng.random(len(tokens)) >= share
    keep[0] = True
    return tokens.only(keep)


def unread(tokens: Tokens, share: float, rng: np.random.Generator) -> Tokens:
    """Each token loses its text with the same probability; nothing is drawn where none does."""
    if not share:
        return tokens
    lost = rng.random(len(tokens)) < share
    return replace(tokens, text=np.where(lost[:, None], 0, tokens.text).astype(np.uint8))
