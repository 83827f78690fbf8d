# SPDX-License-Identifier: Apache-2.0
"""Found fields as if one hand had placed them: level, flush, off the print, and combs on their cells.

A detector places every field by itself, so two that stand side by side differ by a point or two, and one now
and then cuts into its caption. That costs nothing under any yardstick and is the first thing a person sees.
What is printed comes first: no field is levelled across a line, and boxes to tick stay on their squares.
`tools/neatness.py` counts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import FieldKind
from acromeld.form.describe.clearing import cleared, printed_words
from acromeld.form.describe.comb import fitted, over_cells
from acromeld.geometry import as_boxes
from acromeld.structure.marks import drawn_marks
from acromeld.structure.rules import page_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Field
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Primitives
    from acromeld.structure.rules import Rules

    Flags = npt.NDArray[np.bool_]

LEVEL, FLUSH, MARKS = 3.0, 1.5, 1.0
"""Points by which both ends of fields may differ to be made equal: top and bottom of what is written into,
left and right of the same, and either of boxes to tick."""

_ON_PRINT = 1.5
"""Points by which each side of a box to tick may differ from the square or circle it stands on."""

_ACROSS = 1.0
"""Points a line must lie inside a field to run across it."""

_UNMOVED = 0.01
_X, _Y = 0, 1


def tidied(fields: Sequence[Field], printed: Primitives) -> tuple[Field, ...]:
    """The fields of a page, as a detector found them, moved by the few points that make them even.

    Only for boxes nobody has drawn: whoever drew one meant it.
    """
    if not fields:
        return ()
    box = as_boxes([field.box for field in fields])
    mark = np.array([field.kind is FieldKind.CHOICE for field in fields])
    moved = tidied_boxes(box, mark, printed)
    return tuple(
        field.model_copy(update={"box": tuple(new)}) if np.abs(new - old).max() > _UNMOVED else field
        for field, old, new in zip(fields, box, moved.tolist(), strict=True)
    )


def tidied_boxes(box: Boxes, mark: Flags, printed: Primitives) -> Boxes:
    """The same for boxes ``(n, 4)``, of which those marked ``(n,)`` are to tick."""
    words, rules = printed_words(printed.words), page_rules(printed.shapes)
    squares, circles = drawn_marks(printed.shapes)
    loose = mark & ~_stands_on(box, np.concatenate([squares, circles]))
    comb = np.array(
        [not ticked and over_cells(each, rules, squares) for each, ticked in zip(box, mark, strict=True)]
    )
    prose = ~mark & ~comb.astype(np.bool_)
    moved = cleared(box, box, words, prose)
    moved = _not_across(rules.horizontal, moved, evened(moved, _Y, LEVEL, ~mark))
    moved = evened(moved, _X, FLUSH, ~mark)
    for axis in (_Y, _X):
        moved = evened(moved, axis, MARKS, loose)
    moved = cleared(moved, box, words, prose)
    for row in np.flatnonzero(comb):
        moved[row] = fitted(moved[row], rules, squares)
    return np.round(moved, 2)


def evened(box: Boxes, axis: int, reach: float, which: Flags) -> Boxes:
    """Boxes ``(n, 4)`` with equal ends along an axis where both ends are nearly equal; ``which`` is ``(n,)``.

    The middle of the group wins, so that of three or more the one that is off moves.
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
    within: list[tuple[float, float, float, list[int]]] = []
    for row in np.lexsort((high, low)).tolist():
        # Rows come by their low ends, so a group whose first is out of reach stays so.
        within = [group for group in within if low[row] - group[0] <= reach]
        for number, (first, least, most, rows) in enumerate(within):
            least, most = min(least, high[row]), max(most, high[row])
            if most - least <= reach:
                rows.append(row)
                within[number] = (first, least, most, rows)
                break
        else:
            groups.append([row])
            within.append((low[row], high[row], high[row], groups[-1]))
    return [group for group in groups if len(group) > 1]


def _not_across(lines: Rules, before: Boxes, after: Boxes) -> Boxes:
    """Boxes ``(n, 4)`` after, but as before where a line would run across one that it did not touch."""
    new = (_crossings(lines, after) & ~_crossings(lines, before)).any(axis=1, keepdims=True)
    return np.where(new, before, after)


def _crossings(lines: Rules, box: Boxes) -> Flags:
    """Which horizontal lines run across which boxes, ``(n, lines)``, over at least half of their width."""
    x0, y0, x1, y1 = (box[:, side, None] for side in range(4))
    inside = (lines.at > y0 + _ACROSS) & (lines.at < y1 - _ACROSS)
    along = np.minimum(lines.high, x1) - np.maximum(lines.low, x0) >= 0.5 * (x1 - x0)
    return np.asarray(inside & along)


def _stands_on(box: Boxes, printed: Boxes) -> Flags:
    """Which boxes ``(n, 4)`` are where a square or circle ``(m, 4)`` is printed."""
    apart = np.abs(box[:, None] - printed[None]).max(axis=2)
    return np.asarray((apart <= _ON_PRINT).any(axis=1))
