# SPDX-License-Identifier: Apache-2.0
"""What goes into the model: images, padded tokens, and targets, as typed records of tensors."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from acromeld.structure.kinds import TokenKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.geometry import Letterbox
    from acromeld.structure.tokens import Tokens


@dataclass(frozen=True)
class TokenBatch:
    """Structure tokens of B pages, padded to the longest.

    Attributes:
        kind: ``(B, T)`` int64, `TokenKind` or derived kinds.
        box: ``(B, T, 4)`` float ``xyxy``, normalised to the *canvas* (the image's own letterbox applied).
        descriptor: ``(B, T, 32)`` float.
        text: ``(B, T, 48)`` uint8, zero after the end.
        available: ``(B, T)`` bool, false for the sentinel of a page without structure.
        mask: ``(B, T)`` bool, true for tokens, false for padding; every page has at least its page token.
    """

    kind: Tensor
    box: Tensor
    descriptor: Tensor
    text: Tensor
    available: Tensor
    mask: Tensor

    def to(self, device: torch.device | str) -> TokenBatch:
        """The same tokens on another device."""
        return TokenBatch(**{field.name: getattr(self, field.name).to(device) for field in fields(self)})


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


def canvas_boxes(
    boxes: npt.NDArray[np.float32], page: tuple[float, float], letterbox: Letterbox, canvas: tuple[int, int]
) -> npt.NDArray[np.float32]:
    """Boxes ``(n, 4)`` of a ``(width, height)`` page on a ``(height, width)`` canvas; both normalised."""
    points = boxes.astype(np.float64) * (page * 2)
    moved = letterbox.to_canvas(points) / (canvas[1], canvas[0], canvas[1], canvas[0])
    return np.clip(moved, 0.0, 1.0).astype(np.float32)


def pad_tokens(pages: Sequence[Tokens], boxes: Sequence[npt.NDArray[np.float32]]) -> TokenBatch:
    """Tokens of each page with their canvas boxes (see `canvas_boxes`), padded into one batch."""
    length = max(len(tokens) for tokens in pages)
    shape = (len(pages), length)
    kind = np.full(shape, TokenKind.PAGE, dtype=np.int64)
    box = np.zeros((*shape, 4), dtype=np.float32)
    descriptor = np.zeros((*shape, pages[0].descriptor.shape[1]), dtype=np.float32)
    text = np.zeros((*shape, pages[0].text.shape[1]), dtype=np.uint8)
    available = np.zeros(shape, dtype=np.bool_)
    mask = np.zeros(shape, dtype=np.bool_)
    for row, (tokens, moved) in enumerate(zip(pages, boxes, strict=True)):
        n = len(tokens)
        kind[row, :n], box[row, :n] = tokens.kind, moved
        descriptor[row, :n], text[row, :n] = tokens.descriptor, tokens.text
        available[row, :n], mask[row, :n] = tokens.available, True
    arrays = (kind, box, descriptor, text, available, mask)
    return TokenBatch(*(torch.from_numpy(array) for array in arrays))
