# SPDX-License-Identifier: Apache-2.0
"""Fields that cut into what is printed at their edges give way; what lies deep inside a field is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.descriptor import BLANK

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words

    Flags = npt.NDArray[np.bool_]

TOUCH = 0.7
"""Points two boxes must share both ways to collide; boxes of words are a little larger than their ink."""

_OFF = 0.3
"""Points left between a field and the print it gave way to."""

_SHARE = (0.1, 0.35)
"""Shares of a field's width and height that may be cut off to clear it; what stands deeper is meant."""

_WIDEST = 15.0
"""Points of width that may be cut off, however wide the field."""

_LEAST = (10.0, 7.0)
"""Points of width and height that are left of a field."""

_TALL = 1.6
"""Boxes of words that are higher than so many font sizes hold more than one line; they tell nothing."""


def printed_words(words: Words) -> Boxes:
    """Boxes of the words that can be in the way, ``(m, 4)``: not blanks to write on, nor turned ones."""
    told = np.array([not BLANK.issuperset(text) for text in words.text], dtype=np.bool_)
    one_line = words.box[:, 3] - words.box[:, 1] <= _TALL * np.maximum(words.size, 1.0)
    return words.box[told & words.upright & one_line]


def cleared(box: Boxes, found: Boxes, words: Boxes, which: Flags) -> Boxes:
    """Boxes ``(n, 4)`` that do not cut into words at their edges; those of ``which`` ``(n,)`` may be cut.

    How much of a box may go is measured against where it was ``found`` ``(n, 4)``, so that cuts do not add
    up. Words of one line give way together or not at all: a placeholder such as "MM - YYYY" is not an edge.
    """
    clear = box.copy()
    for row in np.flatnonzero(which):
        for line in _lines(words[_collides(clear[row], words)]):
            clear[row] = _cut(clear[row], found[row], line)
    return clear


def _collides(box: Floats, words: Boxes) -> Flags:
    """Which words ``(m, 4)`` share a visible patch with a box ``(4,)``."""
    shared = np.minimum(box[2:], words[:, 2:]) - np.maximum(box[:2], words[:, :2])
    return np.asarray((shared > TOUCH).all(axis=1))


def _lines(words: Boxes) -> list[Floats]:
    """Boxes around the words ``(m, 4)`` that stand on a line, from the top."""
    lines: list[Floats] = []
    for word in words[np.argsort(words[:, 1], kind="stable")]:
        middle = (word[1] + word[3]) / 2
        if lines and lines[-1][1] <= middle <= lines[-1][3]:
            lines[-1] = np.concatenate(
                [np.minimum(lines[-1][:2], word[:2]), np.maximum(lines[-1][2:], word[2:])]
            )
        else:
            lines.append(word)
    return lines


def _cut(box: Floats, found: Floats, line: Floats) -> Floats:
    """The box without the strip at one side in which the line stands, if that is a narrow one."""
    if not _collides(box, line[None])[0]:
        return box
    edge = np.concatenate([line[2:] + _OFF, line[:2] - _OFF])
    size = found[2:] - found[:2]
    limit = np.minimum(size * _SHARE, (_WIDEST, np.inf))
    share = np.abs(edge - found) / np.tile(limit, 2)
    inwards = np.array([1.0, 1.0, -1.0, -1.0]) * (edge - found) > 0
    side = int(np.where(inwards, share, np.inf).argmin())
    if not inwards[side] or share[side] > 1:
        return box
    narrowed = box.copy()
    narrowed[side] = edge[side]
    return narrowed if (narrowed[2:] - narrowed[:2] >= _LEAST).all() else box
