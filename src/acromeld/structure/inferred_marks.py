# SPDX-License-Identifier: Apache-2.0
"""What the separate pieces of ink of a scan are: boxes to tick, circles, short strokes, dashes, or text.

Everything is read off the runs of a component. The rows of a hollow square all begin at its left side and
end at its right side; those of a circle follow its arc; neither is true of a letter, except that an O is a
circle, and an O has neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import connected, group_boxes
from acromeld.structure.inferred_rules import Rules

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.components import Components
    from acromeld.structure.runs import Ints, Mask

    Floats = npt.NDArray[np.float64]

_SIDES = (4.5, 22.0)
"""Points: how small and how large a box to tick can be."""
_MIN_CIRCLE = 6.0
_ASPECT = 2.5
_HOLLOW = 0.65
"""Share of ink above which a mark is not hollow; a 5 pt box with a 1 pt frame has 0.64."""
_MAX_STROKE = 1.6
_MIN_STROKE = 4.0
_LETTER_GAP, _SPACE = 0.2, 0.4
"""Gaps as a share of a component's longer side: nearer than the first are letters of one word, nearer than
the second may be."""
_AS_TEXT, _ROUND_TEXT, _TALLER = 6.0, 7.5, 9.0
"""Heights in points of small letters, of an O, and of all body text; what is lower must stand clear."""
_MIN_ALONE = 11.0
_MAX_DASH = 9.0
_DASHES = 5


@dataclass(frozen=True)
class Marks:
    """Which components are what, ``(n,)`` each, and the dashed rules that some of them make up."""

    square: Mask
    circle: Mask
    upright: Mask
    level: Mask
    text: Mask
    dashes: Rules
    dashes_upright: Rules


def classify(parts: Components, ruled: Mask, px: float) -> Marks:
    """Squares, circles, strokes and dashes among the components; ``ruled`` is where rules were erased."""
    width, height = parts.width, parts.height
    low, high = _SIDES[0] * px - 1, _SIDES[1] * px + 1
    sized = (np.minimum(width, height) >= low) & (np.maximum(width, height) <= high)
    sized &= (width <= _ASPECT * height) & (height <= _ASPECT * width)
    sized &= parts.area <= _HOLLOW * width * height
    touch_left, touch_right = _crowded(parts.box, _LETTER_GAP)
    crowd_left, crowd_right = _crowded(parts.box, _SPACE)
    lone = ~(crowd_left | crowd_right)
    apart = ~(touch_left | touch_right)
    tall = ~(touch_left & touch_right) & (height >= _TALLER * px)
    square = sized & (lone | tall | (apart & (height >= _AS_TEXT * px)))
    square[square] = _is_square(parts.only(square))
    circle = sized & ~square & (lone | tall | (apart & (height >= _ROUND_TEXT * px)))
    circle &= height >= _MIN_CIRCLE * px - 1
    circle[circle] = _is_circle(parts.only(circle))
    upright = _uprights(parts, ruled, crowd_left, crowd_right, px)
    level = _levels(parts, ruled, lone, px)
    free = ~(square | circle)
    rows, in_row = _dashes(parts.box, free, px)
    columns, in_column = _dashes(parts.box[:, [1, 0, 3, 2]], free & ~in_row, px)
    level &= ~in_row
    text = free & ~(level | upright | in_row | in_column)
    return Marks(square, circle, upright & ~in_column, level, text, rows, columns)


def _uprights(parts: Components, ruled: Mask, left: Mask, right: Mask, px: float) -> Mask:
    """Short vertical rules. An I is one too, so the more a stroke looks like text, the more must hold it.

    Between two rules it is the side of a cell; on one rule it may be the tick of a comb if it does not stand
    amid letters; alone it must be taller than letters are.
    """
    box, height, width = parts.box, parts.height, parts.width
    thin = (width <= _MAX_STROKE * px + 1) & (height >= np.maximum(_MIN_STROKE * px, 4 * width))
    thin &= parts.area >= 0.7 * width * height
    x = (box[:, 0] + box[:, 2]) // 2
    above = ruled[np.maximum(box[:, 1] - 2, 0), x]
    below = ruled[np.minimum(box[:, 3] + 1, len(ruled) - 1), x]
    alone = (height >= _MIN_ALONE * px) & ~left & ~right
    result: Mask = thin & ((above & below) | ((above | below) & ~(left & right)) | alone)
    return result


def _levels(parts: Components, ruled: Mask, lone: Mask, px: float) -> Mask:
    """Short horizontal rules: between two vertical ones, or wide and clear of text."""
    box, height, width = parts.box, parts.height, parts.width
    thin = (height <= _MAX_STROKE * px + 1) & (width >= np.maximum(_MIN_STROKE * px, 4 * height))
    thin &= parts.area >= 0.7 * width * height
    y = (box[:, 1] + box[:, 3]) // 2
    left = ruled[y, np.maximum(box[:, 0] - 2, 0)]
    right = ruled[y, np.minimum(box[:, 2] + 1, ruled.shape[1] - 1)]
    result: Mask = thin & ((left & right) | (lone & (width >= 2 * _MIN_STROKE * px)))
    return result


def _is_square(parts: Components) -> Mask:
    """Components whose four sides are straight and whose middle is empty."""
    runs, label = parts.runs, parts.label
    box = parts.box[label]
    slack = 1 + (parts.width[label] + 10) // 20
    at_left = runs.start - box[:, 0] <= slack
    at_right = box[:, 2] - runs.stop <= slack
    full = runs.length >= parts.width[label] - 1 - parts.width[label] // 12  # a D has round corners
    fringe = np.maximum(parts.height[label] // 10, 1)
    top = full & (runs.row - box[:, 1] <= fringe)
    bottom = full & (box[:, 3] - 1 - runs.row <= fringe)
    left, right = parts.total(at_left), parts.total(at_right)
    closed = (parts.total(top) > 0) & (parts.total(bottom) > 0)
    straight = np.minimum(left, right) >= 0.85 * parts.height
    result: Mask = closed & straight & (parts.total(_in_middle(parts)) == 0)
    return result


def _in_middle(parts: Components) -> Mask:
    """Runs with ink in the middle third of their component's box."""
    box, runs = parts.box[parts.label], parts.runs
    third_x, third_y = (box[:, 2] - box[:, 0]) // 3, (box[:, 3] - box[:, 1]) // 3
    row = (runs.row >= box[:, 1] + third_y) & (runs.row < box[:, 3] - third_y)
    return row & (runs.stop > box[:, 0] + third_x) & (runs.start < box[:, 2] - third_x)


def _is_circle(parts: Components) -> Mask:
    """Components whose outline follows the ellipse in their box, and whose middle is empty."""
    runs, label = parts.runs, parts.label
    box = parts.box[label].astype(np.float64)
    radius_x, radius_y = (box[:, 2] - box[:, 0]) / 2, (box[:, 3] - box[:, 1]) / 2
    rise = (runs.row + 0.5 - (box[:, 1] + box[:, 3]) / 2) / radius_y
    arc = radius_x * np.sqrt(np.maximum(1 - rise**2, 0))
    middle = (box[:, 0] + box[:, 2]) / 2
    slack = 1.0 + 0.06 * radius_x
    steep = np.abs(rise) < 0.85
    on_left = steep & (np.abs(runs.start - (middle - arc)) <= slack)
    on_right = steep & (np.abs(runs.stop - (middle + arc)) <= slack)
    rows = 0.85 * parts.height
    round_sides = np.minimum(parts.total(on_left), parts.total(on_right)) >= 0.88 * rows
    even = np.abs(parts.width - parts.height) <= np.maximum(2, 0.12 * parts.height)
    result: Mask = round_sides & even & (parts.total(_in_middle(parts)) == 0)
    return result


def _crowded(box: Ints, share: float) -> tuple[Mask, Mask]:
    """Components with a neighbour to the left, and to the right, within a share of their longer side."""
    owner, _, gap_left, gap_right = neighbours(box)
    reach = share * np.maximum(box[:, 2] - box[:, 0], box[:, 3] - box[:, 1])[owner]
    sides = []
    for gap in (gap_left, gap_right):
        crowded = np.zeros(len(box), dtype=np.bool_)
        crowded[owner[gap < reach]] = True
        sides.append(crowded)
    return sides[0], sides[1]


_BAND = 4
_FAR = 1 << 20


def neighbours(box: Ints) -> tuple[Ints, Ints, Ints, Ints]:
    """Horizontal neighbours of boxes that share a line of text.

    Each box is entered in the 4-pixel bands that its middle half covers; neighbours are consecutive entries
    of a band. Returns per entry: box, next box (-1 at the end of a band), gap to the left and to the right.
    """
    trim = (box[:, 3] - box[:, 1]) // 4
    first = (box[:, 1] + trim) // _BAND
    count = (box[:, 3] - 1 - trim) // _BAND - first + 1
    owner = np.repeat(np.arange(len(box)), count)
    band = np.repeat(first - np.cumsum(count) + count, count) + np.arange(len(owner))
    order = np.lexsort((box[owner, 0], band))
    owner, band = owner[order], band[order]
    same = band[1:] == band[:-1]
    gap = np.where(same, box[owner[1:], 0] - box[owner[:-1], 2], _FAR)
    edge = np.full(min(len(owner), 1), _FAR)
    follower = np.concatenate((np.where(same, owner[1:], -1), -edge // _FAR))
    return owner, follower, np.concatenate((edge, gap)), np.concatenate((gap, edge))


def _dashes(box: Ints, free: Mask, px: float) -> tuple[Rules, Mask]:
    """Dashed and dotted rules among the free components, and which components they are made of.

    A chain is at least five small flat pieces of ink of like width on one level, at small distances.
    """
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    small = (height <= _MAX_STROKE * px + 1) & (width <= _MAX_DASH * px) & (width * 2 >= height)
    piece = np.flatnonzero(free & small)
    group = connected(len(piece), *_links(box[piece], px))
    size = np.bincount(group)
    chained = piece[size[group] >= _DASHES]
    label = np.unique(group[size[group] >= _DASHES], return_inverse=True)[1]
    used = np.zeros(len(box), dtype=np.bool_)
    used[chained] = True
    outer = group_boxes(label, int(label.max(initial=-1)) + 1, box[chained]).astype(np.float64)
    centre, thickness = (outer[:, 1] + outer[:, 3]) / 2, outer[:, 3] - outer[:, 1]
    dashed = np.ones(len(outer), dtype=np.bool_)
    return Rules(outer[:, 0], outer[:, 2], centre, thickness, dashed), used


def _links(box: Ints, px: float) -> tuple[Ints, Ints]:
    """Consecutive pieces on a level that are alike and near each other."""
    level, width = (box[:, 1] + box[:, 3]) / 2, box[:, 2] - box[:, 0]
    pairs = []
    for shift in (0, 2):  # two rulings of the page, so that no level falls on a border of both
        order = np.lexsort((box[:, 0], (level + shift) // 4))
        a, b = order[:-1], order[1:]
        gap = box[b, 0] - box[a, 2]
        near = (np.abs(level[a] - level[b]) <= 1.5) & (gap > 0) & (gap <= _MAX_DASH * px)
        alike = np.abs(width[a] - width[b]) <= 0.35 * np.maximum(width[a], width[b]) + 1
        pairs.append((a[near & alike], b[near & alike]))
    return np.concatenate([p[0] for p in pairs]), np.concatenate([p[1] for p in pairs])
