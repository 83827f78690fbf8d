# SPDX-License-Identifier: Apache-2.0
"""Found fields as if one hand had placed them: level, flush, off the print, and over all cells of a comb.

A detector places every field by itself, so two that stand side by side differ by a point or two, and one now
and then cuts into its caption. That costs nothing under any yardstick and is the first thing a person sees.
`tools/neatness.py` counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import FieldKind
from acromeld.form.describe.comb import fitted
from acromeld.geometry import as_boxes
from acromeld.structure.descriptor import BLANK
from acromeld.structure.marks import drawn_marks
from acromeld.structure.rules import page_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Field
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Primitives, Words

    Flags = npt.NDArray[np.bool_]

LEVEL, FLUSH, MARKS = 3.5, 1.5, 1.0
"""Points by which both ends of fields may differ to be made equal: top and bottom of what is written into,
left and right of the same, and either of boxes to tick."""

TOUCH = 0.7
"""Points two boxes must share both ways to collide; boxes of words are a little larger than their ink."""

_OFF = 0.3
_CUT = (0.1, 0.35)
"""Shares of a field's width and height that may be cut off to clear it of a word; deeper ones are meant."""

_LEAST = (10.0, 7.0)
"""Points of width and height that are left of a field."""

_UNMOVED = 0.01
_X, _Y = 0, 1


def tidied(fields: Sequence[Field], printed: Primitives) -> tuple[Field, ...]:
    """The fields of a page, as a detector found them, moved by the few points that make them even.

    Only for boxes nobody has drawn: whoever drew one meant it.
    """
    if not fields:
        return ()
    box = as_boxes([field.box for field in fields])
    kinds = [field.kind for field in fields]
    moved = tidied_boxes(box, np.array([kind is FieldKind.CHOICE for kind in kinds]), printed)
    return tuple(
        field.model_copy(update={"box": tuple(new)}) if np.abs(new - old).max() > _UNMOVED else field
        for field, old, new in zip(fields, box, moved.tolist(), strict=True)
    )


def tidied_boxes(box: Boxes, mark: Flags, printed: Primitives) -> Boxes:
    """The same for boxes ``(n, 4)``, of which those marked ``(n,)`` are to tick."""
    words = printed_words(printed.words)
    rules, squares = page_rules(printed.shapes).vertical, drawn_marks(printed.shapes)[0]
    moved = cleared(box, words, ~mark)
    for axis, reach in ((_Y, LEVEL), (_X, FLUSH)):
        moved = evened(moved, axis, reach, ~mark)
        moved = evened(moved, axis, MARKS, mark)
    moved = cleared(moved, words, ~mark)
    fit = [each if ticked else fitted(each, rules, squares) for each, ticked in zip(moved, mark, strict=True)]
    return np.round(as_boxes(fit), 3)


def evened(box: Boxes, axis: int, reach: float, which: Flags) -> Boxes:
    """Boxes ``(n, 4)`` with equal ends along an axis where both ends are nearly equal; ``which`` is ``(n,)``.

    The middle of the group wins, so one box that is badly off moves and the others stay.
    """
    even = box.copy()
    rows = np.flatnonzero(which)
    for group in _groups(box[rows, axis], box[rows, axis + 2], reach):
        for side in (axis, axis + 2):
            even[rows[group], side] = np.median(box[rows[group], side])
    return even


def _groups(low: Floats, high: Floats, reach: float) -> list[list[int]]:
    """Rows of which no two low ends and no two high ends are further apart than ``reach``."""
    groups: list[list[int]] = []
    for row in np.lexsort((high, low)).tolist():
        for group in reversed(groups):
            if np.ptp(low[[*group, row]]) <= reach and np.ptp(high[[*group, row]]) <= reach:
                group.append(row)
                break
        else:
            groups.append([row])
    return [group for group in groups if len(group) > 1]


def cleared(box: Boxes, words: Boxes, which: Flags) -> Boxes:
    """Boxes ``(n, 4)`` that do not cut into words at their edges; what lies deep inside a box stays there."""
    clear = box.copy()
    for row in np.flatnonzero(which):
        for word in words[_collides(clear[row], words)]:
            clear[row] = _cut(clear[row], word)
    return clear


def printed_words(words: Words) -> Boxes:
    """Boxes of the words that are not blanks to write on, ``(m, 4)``."""
    told = [row for row, text in enumerate(words.text) if words.upright[row] and not BLANK.issuperset(text)]
    return words.box[told]


def _collides(box: Floats, words: Boxes) -> Flags:
    """Which words ``(m, 4)`` share a visible patch with a box ``(4,)``."""
    shared = np.minimum(box[2:], words[:, 2:]) - np.maximum(box[:2], words[:, :2])
    return np.asarray((shared > TOUCH).all(axis=1))


def _cut(box: Floats, word: Floats) -> Floats:
    """The box without the side strip in which the word stands, if it is a narrow one."""
    size = box[2:] - box[:2]
    depth = np.concatenate([word[2:] - box[:2], box[2:] - word[:2]]) + _OFF
    share = depth / np.tile(size * _CUT, 2)
    side = int(share.argmin())
    if not _collides(box, word[None])[0] or share[side] > 1:
        return box
    narrowed = box.copy()
    narrowed[side] += depth[side] if side < 2 else -depth[side]
    return narrowed if (narrowed[2:] - narrowed[:2] >= _LEAST).all() else box
