# SPDX-License-Identifier: Apache-2.0
"""Structure tokens of a page, as the paper defines them.

A token is a word, line, rectangle, path, image or the page itself: a normalised box, a 32-dimensional
descriptor, at most 48 UTF-8 bytes and an availability flag. A page whose structure cannot be had is a single
unavailable page token. Widgets and field types have no way in: tokens are made from `Primitives` alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import ShapeKind
from acromeld.structure.descriptor import (
    BLANK,
    KIND_OF_SHAPE,
    SIZE,
    is_rule,
    page_descriptor,
    shape_descriptors,
    word_descriptors,
)
from acromeld.structure.kinds import TokenKind
from acromeld.structure.marks import mark_sized
from acromeld.structure.selection import MAX_TOKENS, select

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.pdf.page import Primitives, Shapes, Words

MAX_BYTES = 48


@dataclass(frozen=True)
class Tokens:
    """Tokens of one page, the page token first.

    Attributes:
        kind: ``(n,)`` of `TokenKind`.
        box: ``(n, 4)`` float32, normalised to the page.
        descriptor: ``(n, 32)`` float32, see `acromeld.structure.descriptor.DESCRIPTOR`.
        text: ``(n, 48)`` uint8, UTF-8 bytes, zero after the end.
        available: Whether structure could be had; false only for the lone sentinel.
    """

    kind: npt.NDArray[np.int8]
    box: npt.NDArray[np.float32]
    descriptor: npt.NDArray[np.float32]
    text: npt.NDArray[np.uint8]
    available: bool

    def __len__(self) -> int:
        return len(self.kind)

    def only(self, keep: npt.NDArray[np.bool_]) -> Tokens:
        """The tokens of a mask ``(n,)``, which must keep the page token."""
        return Tokens(self.kind[keep], self.box[keep], self.descriptor[keep], self.text[keep], self.available)


def unavailable() -> Tokens:
    """The sentinel: one page token that says there is nothing to read."""
    return Tokens(
        kind=np.array([TokenKind.PAGE], dtype=np.int8),
        box=np.array([[0, 0, 1, 1]], dtype=np.float32),
        descriptor=np.zeros((1, SIZE), dtype=np.float32),
        text=np.zeros((1, MAX_BYTES), dtype=np.uint8),
        available=False,
    )


def page_tokens(
    primitives: Primitives | None,
    width: float,
    height: float,
    *,
    inferred: bool = False,
    limit: int = MAX_TOKENS,
) -> Tokens:
    """At most ``limit`` tokens of a page of the given displayed size; the sentinel if it has none."""
    if primitives is None or len(primitives) == 0:
        return unavailable()
    words, shapes = primitives.words, primitives.shapes
    box = np.concatenate([words.box, shapes.box]) / [width, height, width, height]
    box = np.clip(box, 0.0, 1.0)
    kind = np.concatenate([np.full(len(words), TokenKind.WORD, np.int8), KIND_OF_SHAPE[shapes.kind]])
    form_like = np.concatenate([_form_like_words(words), _form_like_shapes(shapes)])
    rows = select(box, kind, form_like, limit - 1)
    word_rows, shape_rows = rows[rows < len(words)], rows[rows >= len(words)] - len(words)
    descriptor = np.concatenate(
        [
            page_descriptor(primitives, width, height, inferred=inferred),
            word_descriptors(words, word_rows, width, height),
            shape_descriptors(shapes, shape_rows, width, height),
        ]
    )
    descriptor[:, -1] = inferred
    text = np.zeros((len(rows) + 1, MAX_BYTES), dtype=np.uint8)
    for position, row in enumerate(word_rows, 1):
        cut = cut_utf8(words.text[row])
        text[position, : len(cut)] = np.frombuffer(cut, dtype=np.uint8)
    return Tokens(
        kind=np.concatenate([np.array([TokenKind.PAGE], dtype=np.int8), kind[rows]]),
        box=np.concatenate([[[0.0, 0.0, 1.0, 1.0]], box[rows]]).astype(np.float32),
        descriptor=descriptor,
        text=text,
        available=True,
    )


def cut_utf8(text: str, limit: int = MAX_BYTES) -> bytes:
    """At most ``limit`` UTF-8 bytes, cut at a character boundary."""
    encoded = text.encode("utf-8", "replace")
    return encoded if len(encoded) <= limit else encoded[:limit].decode("utf-8", "ignore").encode()


def _form_like_words(words: Words) -> npt.NDArray[np.bool_]:
    """Labels that end with a colon, blank runs, and symbols."""
    telling = [
        text.endswith((":", "：")) or (len(text) > 1 and BLANK.issuperset(text)) for text in words.text
    ]
    return np.array(telling, dtype=np.bool_) | words.symbolic


def _form_like_shapes(shapes: Shapes) -> npt.NDArray[np.bool_]:
    """Rules long enough to write on, boxes that can hold a line of writing, check boxes."""
    side = shapes.box[:, 2:] - shapes.box[:, :2]
    rule = is_rule(side[:, 0], side[:, 1]) & (side[:, 0] >= 12)
    roomy = (shapes.kind == ShapeKind.RECT) & (side[:, 0] >= 12) & (side[:, 1] >= 7) & (side[:, 1] <= 200)
    mark = mark_sized(side) & (shapes.kind != ShapeKind.IMAGE)
    form_like: npt.NDArray[np.bool_] = rule | roomy | mark
    return form_like
