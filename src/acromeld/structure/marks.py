# SPDX-License-Identifier: Apache-2.0
"""Places to tick: small squares and circles, box glyphs of symbol fonts, and brackets with room between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import ShapeKind
from acromeld.pdf.words import BOX_CHARACTERS

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Shapes, Words

SIDE = (4.0, 26.0)
"""Smallest and largest side of a mark in points."""

_ASPECT = 1.6

_OPEN, _CLOSE = re.compile(r"[\[({]+$"), re.compile(r"^[\])}]+")
_PAIR = re.compile(r"^(\[[\s_xX]?\]|\(_{0,3}\)|\[_+\]|\{_?\})$")
_BRACKET_GAP = (2.0, 30.0)


def mark_sized(side: Floats) -> npt.NDArray[np.bool_]:
    """The size and proportion of something to tick; ``side`` is ``(n, 2)`` widths and heights."""
    square = side.max(1) <= _ASPECT * side.min(1)
    sized: npt.NDArray[np.bool_] = square & (side >= SIDE[0]).all(1) & (side <= SIDE[1]).all(1)
    return sized


def drawn_marks(shapes: Shapes) -> tuple[Boxes, Boxes]:
    """Small squares and small circles, each ``(n, 4)``.

    Dark squares count too: a frame is often filled around a hole instead of stroked.
    """
    box = shapes.box
    square = mark_sized(box[:, 2:] - box[:, :2])
    straight = (shapes.kind == ShapeKind.RECT) | ((shapes.kind == ShapeKind.PATH) & (shapes.curves == 0))
    rounded = (shapes.kind == ShapeKind.PATH) & (shapes.curves >= 2) & (shapes.segments <= 16)
    image = shapes.kind == ShapeKind.IMAGE
    return box[square & (straight | image)], box[square & rounded]


def glyph_marks(words: Words) -> Boxes:
    """Box and circle characters ``(n, 4)``, of Unicode or of a symbol font.

    Symbol fonts name their boxes differently and often without a Unicode map, so any lone, near-square
    character of such a font counts; bullets are too small for it.
    """
    square = mark_sized(words.box[:, 2:] - words.box[:, :2])
    boxes = frozenset(BOX_CHARACTERS)
    picked = [
        index
        for index in np.flatnonzero(square)
        if len(text := words.text[index]) <= 2 and (words.symbolic[index] or boxes.intersection(text[:1]))
    ]
    return words.box[np.array(picked, dtype=np.intp)]


def bracket_marks(words: Words) -> Boxes:
    """The room inside ``[ ]``, ``( )`` and ``[_]`` on one line, brackets included; ``(n, 4)``."""
    pairs = [words.box[index] for index, text in enumerate(words.text) if _PAIR.match(text)]
    for index in range(len(words) - 1):
        if not _OPEN.search(words.text[index]) or not _CLOSE.search(words.text[index + 1]):
            continue
        left, right = words.box[index], words.box[index + 1]
        distance = right[0] - left[2]
        if abs(left[3] - right[3]) < 4 and _BRACKET_GAP[0] <= distance <= _BRACKET_GAP[1]:
            pairs.append(_between(words, index))
    return np.array(pairs).reshape(-1, 4)


def _between(words: Words, index: int) -> Boxes:
    """From the opening bracket at the end of a word to the closing one at the start of the next."""
    left, right = words.box[index], words.box[index + 1]
    bracket = (left[2] - left[0]) / max(len(words.text[index]), 1)
    close = (right[2] - right[0]) / max(len(words.text[index + 1]), 1)
    return np.array([left[2] - bracket, min(left[1], right[1]), right[0] + close, max(left[3], right[3])])
