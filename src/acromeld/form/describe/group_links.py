# SPDX-License-Identifier: Apache-2.0
"""Which boxes to tick might exclude each other: neighbours in a row or column, and what describes each pair.

Groups are chains of such links, so a link is asked about neighbours only: the next box to the right, the next
one below, and from the end of a row to the start of the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.group_words import PAIR, PLACES, BoxWords, PageText, pair_bucket
from acromeld.pdf.page import ShapeKind

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Primitives, Shapes

    Index = npt.NDArray[np.intp]
    Table = npt.NDArray[np.float32]

RIGHT, DOWN, WRAP = 0, 1, 2
_FARTHEST = {RIGHT: 420.0, DOWN: 130.0, WRAP: 40.0}
_ALIGNED = 5.0
_ROUND_CURVES = 4
_FIT = 5.0
_CIRCLES = frozenset("○◯●◉⚪⭕❍◌")
_NONE = -1.0
_MANY = 6
"""Repetitions beyond this say nothing more: the rows of a table are as many as its author had questions."""


@dataclass(frozen=True)
class Choices:
    """The boxes to tick of a page among all its fields.

    Attributes:
        box: ``(n, 4)`` boxes to tick.
        others: ``(k, 4)`` boxes of all other fields.
        text: The words of the page.
        words: The words around each box.
        round: ``(n,)`` 1 where a circle is printed, 0 a square, -1 nothing.
    """

    box: Boxes
    others: Boxes
    text: PageText
    words: list[BoxWords]
    round: Floats


def read_choices(box: Boxes, is_choice: npt.NDArray[np.bool_], primitives: Primitives) -> Choices:
    """Gather what the links of a page are described by; ``box`` ``(n, 4)`` has the fields of all kinds."""
    rows = np.flatnonzero(is_choice)
    text = PageText.of(primitives.words)
    return Choices(
        box[rows], box[~is_choice], text, text.around(box, rows), _roundness(box[rows], primitives)
    )


def find_links(box: Boxes) -> Index:
    """Candidate links of boxes ``(n, 4)``: rows ``(first, second, kind)``, shape ``(m, 3)``."""
    links = []
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    for first in range(len(box)):
        level = (y > box[first, 1]) & (y < box[first, 3]) & (x > x[first] + 1)
        below = (y > box[first, 3]) & (np.abs(x - x[first]) < np.maximum(_ALIGNED, box[first, 2] - x[first]))
        links += _nearest(first, RIGHT, np.flatnonzero(level), x)
        links += _nearest(first, DOWN, np.flatnonzero(below), y)
        if not level.any():
            links += _wrapped(first, box, x, y)
    return np.array(links, dtype=np.intp).reshape(-1, 3)


def _nearest(first: int, kind: int, rows: Index, along: Floats) -> list[tuple[int, int, int]]:
    if not len(rows):
        return []
    second = int(rows[along[rows].argmin()])
    near = along[second] - along[first] <= _FARTHEST[kind]
    return [(first, second, kind)] if near else []


def _wrapped(first: int, box: Boxes, x: Floats, y: Floats) -> list[tuple[int, int, int]]:
    """From the last box of a row to the first of the next row, which starts farther left."""
    below = np.flatnonzero((y > box[first, 3]) & (y - y[first] < _FARTHEST[WRAP]))
    if not len(below):
        return []
    row = below[y[below] < y[below].min() + 4.0]
    second = int(row[x[row].argmin()])
    return [(first, second, WRAP)] if x[second] < x[first] - _ALIGNED else []


def describe_links(choices: Choices, links: Index, table: Table) -> npt.NDArray[np.float32]:
    """Features ``(m, f)`` of links ``(m, 3)``, in the order of `FEATURES`."""
    if not len(links):
        return np.zeros((0, len(FEATURES)), dtype=np.float32)
    page = _PageView(choices, links, table)
    rows = [page.features(number) for number in range(len(links))]
    return np.array(rows, dtype=np.float32)


def link_bucket(choices: Choices, first: int, second: int) -> int:
    """Bucket of the first words of two labels; labels without words have one of their own."""
    heads = [choices.words[row].option[:1] for row in (first, second)]
    return pair_bucket(*("".join(choices.text.token[row] for row in head) for head in heads))


class _PageView:
    """What several links of a page share."""

    def __init__(self, choices: Choices, links: Index, table: Table) -> None:
        self.c = choices
        self.table = table
        self.links = links
        self.x = (choices.box[:, 0] + choices.box[:, 2]) / 2
        self.y = (choices.box[:, 1] + choices.box[:, 3]) / 2
        self.gap = np.hypot(
            self.x[links[:, 1]] - self.x[links[:, 0]], self.y[links[:, 1]] - self.y[links[:, 0]]
        )
        self.after = {(int(a), int(k)): n for n, (a, _, k) in enumerate(links)}
        self.before = {(int(b), int(k)): n for n, (_, b, k) in enumerate(links)}
        self.in_row = np.array([np.sum(np.abs(self.y - y) < 4.0) for y in self.y])
        self.in_column = np.array([np.sum(np.abs(self.x - x) < _ALIGNED) for x in self.x])
        self.said = [self._said(words, table) for words in choices.words]

    def features(self, number: int) -> list[float]:
        first, second, kind = (int(value) for value in self.links[number])
        a, b = self.c.box[first], self.c.box[second]
        size = float(np.median(self.c.box[:, 3] - self.c.box[:, 1]))
        return [
            float(kind),
            self.gap[number],
            self.gap[number] / max(size, 1.0),
            self._ratio(number, self.before.get((first, kind))),
            self._ratio(number, self.after.get((second, kind))),
            *self._other_way(first, second, kind),
            abs(self.x[second] - self.x[first]) if kind == DOWN else abs(self.y[second] - self.y[first]),
            min(a[2] - a[0], b[2] - b[0]) / max(a[2] - a[0], b[2] - b[0]),
            min(a[3] - a[1], b[3] - b[1]) / max(a[3] - a[1], b[3] - b[1]),
            *self._counts(first, second),
            *self._between(first, second),
            *self._labels(first, second),
            *self.said[first],
            *self.said[second],
            self.c.round[first],
            self.c.round[second],
            float(np.mean(self.c.round == 1)),
        ]

    def _ratio(self, number: int, other: int | None) -> float:
        """How the gap compares with that to the neighbour beyond; 0 at the end of a row or column."""
        return 0.0 if other is None else float(self.gap[number] / max(self.gap[other], 1.0))

    def _other_way(self, first: int, second: int, kind: int) -> list[float]:
        """Gaps across the link, which tell a table of rows from one of columns, and how often it recurs."""
        across = DOWN if kind == RIGHT else RIGHT
        one, two = self.after.get((first, across)), self.after.get((second, across))
        ends = [_NONE if link is None else float(self.gap[link]) for link in (one, two)]
        same = np.flatnonzero(self.links[:, 2] == kind)
        a, b = self.links[same, 0], self.links[same, 1]
        along = self.x if kind == RIGHT else self.y
        alike = (np.abs(along[a] - along[first]) < 4.0) & (np.abs(along[b] - along[second]) < 4.0)
        return [*ends, float(min(alike.sum(), _MANY))]

    def _counts(self, first: int, second: int) -> list[float]:
        rows = [float(min(self.in_row[row], _MANY)) for row in (first, second)]
        return [*rows, *(float(min(self.in_column[row], _MANY)) for row in (first, second))]

    def _between(self, first: int, second: int) -> list[float]:
        """Other fields and words in the space that both boxes span."""
        both = self.c.box[[first, second]]
        low, high = both[:, :2].min(axis=0), both[:, 2:].max(axis=0)
        other = self.c.others
        fields = (other[:, :2] < high).all(axis=1) & (other[:, 2:] > low).all(axis=1)
        words = self.c.text.box
        middle = (words[:, :2] + words[:, 2:]) / 2
        inside = ((middle > low - 2.0) & (middle < high + 2.0)).all(axis=1)
        own = set(self.c.words[first].right) | set(self.c.words[first].above)
        foreign = sum(row not in own for row in np.flatnonzero(inside))
        return [float(fields.sum()), float(inside.sum()), float(foreign)]

    def _labels(self, first: int, second: int) -> list[float]:
        """How many words the two labels have, on which side, and whether they are the same."""
        a, b = self.c.words[first], self.c.words[second]
        tokens = [[self.c.text.token[row] for row in item.option] for item in (a, b)]
        sides = [float(bool(part)) for part in (a.right, a.left, b.right, b.left)]
        same = float(tokens[0] == tokens[1] and bool(tokens[0]))
        shared = len({*tokens[0]} & {*tokens[1]}) / max(len({*tokens[0]} | {*tokens[1]}), 1)
        pair = float(self.table[PAIR, link_bucket(self.c, first, second)])
        return [float(len(tokens[0])), float(len(tokens[1])), *sides, same, shared, pair]

    def _said(self, words: BoxWords, table: Table) -> list[float]:
        """Evidence in the words around a box: the first two and the sum of its label, extremes elsewhere."""
        option = table[PLACES.index("right" if words.right else "above" if words.above else "left")]
        label = option[self.c.text.bucket[list(words.option)]] if words.option else np.zeros(1)
        left = table[1][self.c.text.bucket[list(words.left)]] if words.left else np.zeros(1)
        around = table[3][self.c.text.bucket[list(words.around)]] if words.around else np.zeros(1)
        return [
            float(label[0]),
            float(label[1]) if len(label) > 1 else 0.0,
            float(label.sum()),
            float(left[0]),
            float(left.sum()),
            float(around.max()),
            float(around.min()),
            float(around.mean()),
        ]


_SAID = ("word", "second_word", "label", "left_word", "left", "most", "least", "mean")
FEATURES = (
    *("kind", "gap", "gap_in_boxes", "gap_before", "gap_after", "across_first", "across_second", "recurs"),
    *("shift", "width_ratio", "height_ratio", "row_first", "row_second", "column_first", "column_second"),
    *("fields_between", "words_between", "foreign_between", "words_first", "words_second"),
    *("right_first", "left_first", "right_second", "left_second", "same_label", "shared_label", "pair"),
    *(f"{name}_{end}" for end in ("first", "second") for name in _SAID),
    *("round_first", "round_second", "round_share"),
)
"""Names of the columns of `describe_links`."""


def _roundness(box: Boxes, primitives: Primitives) -> Floats:
    """What is printed under each box: 1 a circle, 0 a square, -1 nothing that tells."""
    found = np.full(len(box), _NONE)
    shapes = primitives.shapes
    small = _like(box, shapes.box)
    curved, straight = _curved(shapes), ~_curved(shapes) & (shapes.kind != ShapeKind.IMAGE)
    glyphs = [row for row, text in enumerate(primitives.words.text) if text in _CIRCLES]
    circled = _like(box, primitives.words.box[glyphs]).any(axis=1)
    found[(small & straight).any(axis=1)] = 0.0
    found[(small & curved).any(axis=1) | circled] = 1.0
    return found


def _curved(shapes: Shapes) -> npt.NDArray[np.bool_]:
    return np.asarray((shapes.curves >= _ROUND_CURVES) & (shapes.curves * 2 >= shapes.segments))


def _like(box: Boxes, drawn: Boxes) -> npt.NDArray[np.bool_]:
    """``(n, m)``: whether something drawn has about the size and place of a box."""
    return np.asarray((np.abs(box[:, None, :] - drawn[None, :, :]) < _FIT).all(axis=2))
