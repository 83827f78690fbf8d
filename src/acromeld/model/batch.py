# SPDX-License-Identifier: Apache-2.0
"""What goes into the model: images, padded tokens, and targets, as typed records of tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from acromeld.detect.acromeld.inputs import as_float, pad_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.detect.acromeld.inputs import PageInputs, TokenArrays


@dataclass(frozen=True)
class TokenBatch:
    """Structure tokens of B pages, padded to the longest: `TokenArrays` as tensors.

    Attributes:
        kind: ``(B, T)`` int64, `TokenKind` or derived kinds.
        box: ``(B, T, 4)`` float ``xyxy``, normalised to the *canvas* (the image's own letterbox applied).
        descriptor: ``(B, T, 32)`` float.
        text: ``(B, T, 48)`` uint8, zero after the end.
        available: ``(B, T)`` bool, false for the sentinel of a page without structure.
        mask: ``(B, T)`` bool, true for tokens, false for padding; every page has at least its page token.
            None where nothing is padded, as when pages are read one by one.
    """

    kind: Tensor
    box: Tensor
    descriptor: Tensor
    text: Tensor
    available: Tensor
    mask: Tensor | None = None

    def to(self, device: torch.device | str) -> TokenBatch:
        """The same tokens on another device."""
        return TokenBatch(
            self.kind.to(device),
            self.box.to(device),
            self.descriptor.to(device),
            self.text.to(device),
            self.available.to(device),
            None if self.mask is None else self.mask.to(device),
        )


@dataclass(frozen=True)
class Targets:
    """Fields of one page: ``boxes`` ``(n, 4)`` ``cxcywh`` of the canvas, ``labels`` ``(n,)`` int64.

    ``page`` names the page in error messages.
    """

    page: str
    boxes: Tensor
    labels: Tensor

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Batch:
    """``images`` ``(B, C, H, W)`` float in 0..1 (1 is white), tokens, and targets of each page."""

    images: Tensor
    tokens: TokenBatch
    targets: tuple[Targets, ...]


def as_tensors(tokens: TokenArrays) -> TokenBatch:
    """Padded tokens (see `acromeld.detect.acromeld.inputs.pad_tokens`) as tensors, sharing their memory."""
    return TokenBatch(**{name: torch.from_numpy(array) for name, array in tokens.named().items()})


def page_batch(pages: Sequence[PageInputs], targets: tuple[Targets, ...] = ()) -> Batch:
    """Pages on canvases of one size, padded into one batch."""
    images = torch.from_numpy(np.stack([as_float(page.image) for page in pages]))
    tokens = pad_tokens([page.tokens for page in pages], [page.token_box for page in pages])
    return Batch(images, as_tensors(tokens), targets)
