# SPDX-License-Identifier: Apache-2.0
"""Word-like blobs: letters joined along a line where the gap is narrower than a space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import connected, group_boxes
from acromeld.structure.inferred_marks import neighbours

if TYPE_CHECKING:
    from acromeld.structure.components import Components
    from acromeld.structure.runs import Ints, Mask

_SPACE = 0.28
"""Gap as a share of the taller letter's height; a space is a quarter of the font size, capitals are 0.7."""
_SPECK = 1.3
_MIN_HEIGHT = 2.5
_MAX_LETTER = 44.0
_MAX_GLUED = 130.0
_MIN_ART = 18.0
_ART_INK = 0.1


def find_words(parts: Components, text: Mask, px: float) -> tuple[Ints, Ints]:
    """Word boxes ``(n, 4)`` and line-art boxes ``(m, 4)`` in pixels, from the components that may be text.

    Lone dots are left out, and so is what is larger than letters but mostly empty: remains of frames.
    """
    width, height = parts.width, parts.height
    large = (height > _MAX_LETTER * px) | (width > _MAX_GLUED * px)
    art = text & large & (np.minimum(width, height) >= _MIN_ART * px)
    drawing = parts.box[art & (parts.area >= _ART_INK * width * height)]
    box = parts.box[text & ~large & (np.maximum(width, height) >= _SPECK * px)]
    words = _joined(box, px)
    return words[~_contained(words, drawing)], drawing


def _joined(box: Ints, px: float) -> Ints:
    """Letter boxes joined into words."""
    owner, follower, _, gap = neighbours(box)
    height = box[:, 3] - box[:, 1]
    taller = np.maximum(height[owner], height[follower])
    joined = (follower >= 0) & (gap <= np.maximum(_SPACE * taller, 0.6 * px))
    label = connected(len(box), owner[joined], follower[joined])
    words = group_boxes(label, int(label.max(initial=-1)) + 1, box)
    return words[words[:, 3] - words[:, 1] >= _MIN_HEIGHT * px]


def _contained(boxes: Ints, areas: Ints) -> Mask:
    """Boxes whose centre lies in any of the areas, ``(n,)``."""
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    hit = np.zeros(len(boxes), dtype=np.bool_)
    for x0, y0, x1, y1 in areas.tolist():
        hit |= (x >= x0) & (x < x1) & (y >= y0) & (y < y1)
    return hit
