# SPDX-License-Identifier: Apache-2.0
"""How big the text in a field is, and whether it may break into lines.

A fixed size that matches the print around the field looks right and behaves the same in every viewer; the
"auto" size of PDF makes each field of a form a different size.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from acromeld.fields import Box, Field
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Words

DEFAULT_SIZE = 10.0
"""Points, where there is no text to go by."""

_SMALLEST, _LARGEST = 9.0, 14.0
"""Bounds on the size taken from the page: fine-print labels and headings say nothing about the answer."""

LINE_HEIGHT = 1.16
"""Helvetica from the top of its tallest to the bottom of its deepest glyph, in font sizes."""

_INSET = 1.0
_WIDEST_DIGIT = 0.72
_NEAR = 72.0
_ENOUGH_WORDS = 3
_MANY_LINES = 2.8


@dataclass(frozen=True)
class TextStyle:
    """Font size in displayed points, and whether the field has several lines."""

    size: float
    multiline: bool


def text_style(field: Field, words: Words | None) -> TextStyle:
    """The style of a text field among the words of its page."""
    wanted = field.font_size or body_size(field.box, words)
    height = field.box[3] - field.box[1]
    multiline = field.multiline
    if multiline is None:
        multiline = field.comb is None and height >= _MANY_LINES * LINE_HEIGHT * wanted
    # A comb field spreads its characters over cells, which the standard allows on a single line only.
    return TextStyle(_fitting(wanted, field), multiline and field.comb is None)


def body_size(box: Box, words: Words | None) -> float:
    """Median size of the visible words near a box, of the page where there are few, else the default."""
    if words is None:
        return DEFAULT_SIZE
    useful = words.visible & ~words.symbolic & words.upright & (words.size > 0)
    near = useful & (_distance(box, words.box) <= _NEAR)
    chosen = near if near.sum() >= _ENOUGH_WORDS else useful
    if not chosen.any():
        return DEFAULT_SIZE
    return float(np.clip(np.median(words.size[chosen]), _SMALLEST, _LARGEST))


def _distance(box: Box, boxes: Floats) -> Floats:
    """Gap between a box and each of ``(n, 4)`` boxes, shape ``(n,)``; 0 where they touch."""
    across = np.maximum(np.maximum(boxes[:, 0] - box[2], box[0] - boxes[:, 2]), 0.0)
    down = np.maximum(np.maximum(boxes[:, 1] - box[3], box[1] - boxes[:, 3]), 0.0)
    gap: Floats = np.hypot(across, down)
    return gap


def _fitting(size: float, field: Field) -> float:
    """The size, or the largest smaller one at which a line fits the box (and a digit its comb cell)."""
    x0, y0, x1, y1 = field.box
    room = max(y1 - y0 - 2 * _INSET, (y1 - y0) / 2) / LINE_HEIGHT
    if field.comb is not None:
        room = min(room, (x1 - x0) / field.comb / _WIDEST_DIGIT)
    # Quarter points: a size that differs in the third decimal from its neighbours is noise.
    return max(float(np.floor(min(size, room) * 4)) / 4, 1.0)
