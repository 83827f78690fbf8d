# SPDX-License-Identifier: Apache-2.0
"""How a chosen option looks: a dot in a printed circle, a cross where the form asks for one, else a tick."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import Mark
from acromeld.structure.marks import drawn_marks

if TYPE_CHECKING:
    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Page, Words

_SAME_PLACE = 4.0
_CIRCLES = frozenset("❍○◯◌●◉⚪⭕")
_CROSS = re.compile(
    r"""\b(?:an|with|place|mark|put|mit|un|una)\s+["“'‘(]*x["”'’)]*(?!\w)|\(x\)|["“]x["”]"""
    r"|ankreuzen|kreuzen sie|d.une croix|con una cruz|marcar con una x|barrare",
    re.IGNORECASE,
)


def mark_styles(page: Page, boxes: Boxes, words: Words) -> list[Mark]:
    """The mark of each box ``(n, 4)``; what the instructions say holds for the whole page."""
    usual = Mark.CROSS if _CROSS.search(" ".join(words.text)) else Mark.TICK
    rings = _circles(page, words)
    x, y = (rings[:, 0] + rings[:, 2]) / 2, (rings[:, 1] + rings[:, 3]) / 2
    near = np.abs(x - (boxes[:, None, 0] + boxes[:, None, 2]) / 2) < _SAME_PLACE
    near &= np.abs(y - (boxes[:, None, 1] + boxes[:, None, 3]) / 2) < _SAME_PLACE
    return [Mark.CIRCLE if near[row].any() else usual for row in range(len(boxes))]


def _circles(page: Page, words: Words) -> Boxes:
    """Drawn circles and circle characters."""
    drawn = drawn_marks(page.primitives.shapes)[1] if page.primitives is not None else np.zeros((0, 4))
    glyph = np.array([text[:1] in _CIRCLES for text in words.text], dtype=np.bool_)
    return np.concatenate([drawn, words.box[glyph]])
