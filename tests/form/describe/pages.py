# SPDX-License-Identifier: Apache-2.0
"""Made-up pages: words and rules put where a test wants them, without a PDF behind them."""

from collections.abc import Iterable, Sequence

import numpy as np

from acromeld.fields import Field, FieldKind, PageFields, PageRef
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, ShapeKind, Shapes, Words

TEXT, CHOICE, SIGNATURE = FieldKind.TEXT, FieldKind.CHOICE, FieldKind.SIGNATURE
SIZE = 10.0

Placed = tuple[str, float, float]


def words_at(placed: Iterable[Placed], *, size: float = SIZE) -> Words:
    """Texts at the left end of their baselines; each is cut into words half a size wide per letter."""
    boxes, texts = [], []
    for text, x, y in placed:
        for word in text.split():
            width = 0.5 * size * len(word)
            boxes.append((x, y - 0.7 * size, x + width, y))
            texts.append(word)
            x += width + 0.3 * size
    count = len(texts)
    yes, no = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    box = np.array(boxes).reshape(-1, 4)
    return Words(box, tuple(texts), np.full(count, size), np.full(count, 400.0), yes, no, yes)


def backward_at(placed: Iterable[Placed], *, size: float = SIZE) -> Words:
    """Like `words_at`, but from the right end leftward, as Arabic and Hebrew stand on a page."""
    boxes, texts = [], []
    for text, x, y in placed:
        for word in text.split():
            width = 0.5 * size * len(word)
            boxes.append((x - width, y - 0.7 * size, x, y))
            texts.append(word)
            x -= width + 0.3 * size
    count = len(texts)
    yes, no = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    box = np.array(boxes).reshape(-1, 4)
    return Words(box, tuple(texts), np.full(count, size), np.full(count, 400.0), yes, no, yes)


def lines_at(segments: Sequence[tuple[float, float, float, float]]) -> Shapes:
    """Thin black lines."""
    count = len(segments)
    no, zero = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.int32)
    return Shapes(
        kind=np.full(count, ShapeKind.LINE, dtype=np.int8),
        box=np.array(segments, dtype=np.float64).reshape(-1, 4),
        stroke=np.full(count, 0.5),
        filled=no,
        fill=np.ones(count),
        ink=np.zeros(count),
        segments=zero + 1,
        curves=zero,
        dashed=no,
    )


def page_of(words: Words, shapes: Shapes | None = None, *, rotation: int = 0) -> Page:
    """A US Letter page with these words and shapes."""
    frame = PageFrame((0.0, 0.0, 612.0, 792.0), rotation=rotation)
    return Page(0, frame, primitives=Primitives(words, shapes or Shapes.empty()))


def fields_of(*fields: Field) -> PageFields:
    return PageFields(page=PageRef(index=0, width=612.0, height=792.0), fields=fields)


def text(*box: float) -> Field:
    return Field(kind=TEXT, box=box)


def choice(*box: float) -> Field:
    return Field(kind=CHOICE, box=box)
