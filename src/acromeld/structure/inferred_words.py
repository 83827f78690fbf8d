# SPDX-License-Identifier: Apache-2.0
"""Word-like blobs: letters joined along a line where the gap is narrower than a space."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import connected, group_boxes
from acromeld.structure.inferred_marks import neighbours

if TYPE_CHECKING:
    from acromeld.structure.runs import Ints

_SPACE = 0.28
"""Gap as a share of the taller letter's height; a space is a quarter of the font size, a capital 0.7 of it."""
_SPECK = 1.3
_MIN_HEIGHT = 2.5


def find_words(box: Ints, px: float) -> Ints:
    """Boxes ``(n, 4)`` in pixels of words made of the letter boxes ``(m, 4)``; lone dots are left out."""
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    box = box[np.maximum(width, height) >= _SPECK * px]
    if not len(box):
        return box
    owner, follower, _, gap = neighbours(box)
    height = box[:, 3] - box[:, 1]
    taller = np.maximum(height[owner], height[follower])
    joined = (follower >= 0) & (gap <= np.maximum(_SPACE * taller, 0.6 * px)) & (gap < 12 * px)
    label = connected(len(box), owner[joined], follower[joined])
    words = group_boxes(label, int(label.max()) + 1, box)
    return words[words[:, 3] - words[:, 1] >= _MIN_HEIGHT * px]
