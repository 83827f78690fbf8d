# SPDX-License-Identifier: Apache-2.0
"""The structure encoder: from label-free PDF primitives to contextual features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.model.attention import Attention, FeedForward, two_layer

if TYPE_CHECKING:
    from acromeld.model.batch import TokenBatch
    from acromeld.model.contract import ModelContract

_BYTES = 257
"""One row for padding and one for each byte value."""

_PRIME = 1_000_003
_MULTIPLIER = 257


class StructureLayer(nn.Module):
    """Pre-norm transformer layer over tokens."""

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        width = contract.hidden
        self.norm_attention = nn.LayerNorm(width)
        self.attention = Attention(width, contract.heads)
        self.norm_feedforward = nn.LayerNorm(width)
        self.feedforward = FeedForward(width, contract.feedforward, contract.dropout)
        self.dropout = nn.Dropout(contract.dropout)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        """``(B, T, d)`` in and out."""
        normed = self.norm_attention(x)
        x = x + self.dropout(self.attention(normed, normed, mask))
        out: Tensor = x + self.dropout(self.feedforward(self.norm_feedforward(x)))
        return out


class StructureEncoder(nn.Module):
    """Sum of what is known about each token, then contextualised.

    No position in the sequence is added: tokens are a set with boxes, and permuting them permutes the output.
    """

    def __init__(self, contract: ModelContract) -> None:
        super().__init__()
        width = contract.hidden
        self.kind = nn.Embedding(contract.token_kinds, width)
        self.available = nn.Embedding(2, width)
        self.byte = nn.Embedding(_BYTES, width, padding_idx=0)
        self.word = nn.Embedding(contract.word_buckets, width) if contract.word_buckets else None
        self.descriptor = two_layer(contract.descriptor, width, width)
        self.box = two_layer(4, width, width)
        self.layers = nn.ModuleList(StructureLayer(contract) for _ in range(contract.structure_depth))
        self.norm = nn.LayerNorm(width)
        for table in (self.kind, self.available, self.byte, self.word):
            if table is not None:
                nn.init.normal_(table.weight, std=0.2)
        nn.init.zeros_(self.byte.weight[0].data)

    def forward(self, tokens: TokenBatch) -> Tensor:
        """Features of every token, ``(B, T, d)``; rows of padding mean nothing."""
        x: Tensor = (
            self.kind(tokens.kind)
            + self.available(tokens.available.long())
            + self.descriptor(tokens.descriptor)
            + self.box(tokens.box)
            + self.mean_bytes(tokens.text)
        )
        if self.word is not None:
            x = x + self.word(word_bucket(tokens.text, self.word.num_embeddings))
        for layer in self.layers:
            x = layer(x, tokens.mask)
        out: Tensor = self.norm(x)
        return out

    def mean_bytes(self, text: Tensor) -> Tensor:
        """Mean embedding of the non-padding bytes, zero if there are none; ``(B, T, 48)`` to ``(B, T, d)``.

        Computed as a histogram times the table: the same mean without a ``(B, T, 48, d)`` intermediate.
        """
        rows = torch.where(text > 0, text.long() + 1, 0)
        counts = torch.zeros((*text.shape[:2], _BYTES), device=text.device)
        counts = counts.scatter_add(-1, rows, (text > 0).to(counts.dtype))
        total = counts.sum(-1, keepdim=True).clamp(min=1)
        return (counts / total).to(self.byte.weight.dtype) @ self.byte.weight


def word_bucket(text: Tensor, buckets: int) -> Tensor:
    """Bucket of each word, ``(B, T, 48)`` bytes to ``(B, T)``; bucket 0 has no letters at all.

    A mean of bytes cannot tell "date" from "tead"; a bucket of its own can. Letters count without their case
    and punctuation not at all, so that "Date:" and "date" are one word. Other scripts count byte by byte.
    """
    code = text.long()
    code = torch.where((code >= ord("A")) & (code <= ord("Z")), code + (ord("a") - ord("A")), code)
    letter = ((code >= ord("a")) & (code <= ord("z"))) | (code >= 128)
    powers = [pow(_MULTIPLIER, place, _PRIME) for place in range(text.shape[-1])]
    total = (torch.where(letter, code, 0) * code.new_tensor(powers)).sum(-1)
    return torch.where(total > 0, total % _PRIME % (buckets - 1) + 1, 0)
