# SPDX-License-Identifier: Apache-2.0
"""Words of a page put together to pieces of line, and these to paragraphs.

A piece ends where the eye stops: at a wide gap, at a blank to fill in, at a box to tick, at a rule, at a
field. A paragraph is a run of pieces below each other in the same size without anything drawn between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.texts import right_to_left
from acromeld.pdf.words import BOX_CHARACTERS
from acromeld.structure.intervals import blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words
    from acromeld.structure.rules import PageRules, Rules

    Index = npt.NDArray[np.intp]
    Flags = npt.NDArray[np.bool_]

MAX_PIECES = 2_500
"""More than a page of fine print; bounds the pairs that are compared."""

_GAP = 0.9
_JOIN_GAP = 0.6
_LINE_GAP = 0.75
_EVEN = 0.35
"""How much the gaps between the lines of a paragraph may differ, in font sizes."""

_FILL = set("_.·…-–—")
_ITEM = re.compile(r"^\(?(\d{1,3}|[A-Za-z]|[ivxIVX]{1,4}|\d{1,2}[a-z])[.):]\)?\s|^[•●▪–*]\s")
_BARE_ITEM = re.compile(r"^\(?(\d{1,3}[a-z]?|[a-zA-Z])[.)]?$")


@dataclass(frozen=True)
class Pieces:
    """Pieces of line, one row each, in content order of their first word.

    Attributes:
        box: ``(m, 4)`` displayed points.
        text: As printed, in reading direction.
        size: ``(m,)`` font size.
        weight: ``(m,)`` mean font weight.
        paragraph: ``(m,)`` number of the paragraph each belongs to.
        line: ``(m,)`` place within its paragraph, from the top.
    """

    box: Boxes
    text: tuple[str, ...]
    size: Floats
    weight: Floats
    paragraph: Index
    line: Index

    def __len__(self) -> int:
        return len(self.text)


@dataclass(frozen=True)
class Paragraphs:
    """Paragraphs: ``box`` ``(p, 4)``, ``text`` and number of ``lines`` ``(p,)``."""

    box: Boxes
    text: tuple[str, ...]
    lines: Index


def read_pieces(words: Words, rules: PageRules, fields: Boxes) -> Pieces:
    """The pieces of line of a page, given its rules and the boxes ``(n, 4)`` of its fields."""
    filled = _fills(words)
    members = _runs(words, rules.vertical, fields)[:MAX_PIECES]
    members = _joined(members, words, rules.vertical, fields)
    if not members:
        none = np.zeros(0)
        return Pieces(np.zeros((0, 4)), (), none, none, none.astype(np.intp), none.astype(np.intp))
    box, size = _extents(words.box, members), _means(_sizes(words), members)
    weight = _means(words.weight, members)
    text = _texts(words, members)
    ends = np.array([filled[min(part[-1] + 1, len(words) - 1)] for part in members])
    paragraph, line = _paragraphs(box, size, _may_follow(box, size, text, ends), rules.horizontal, fields)
    return Pieces(box, text, size, weight, paragraph, line)


def read_paragraphs(pieces: Pieces) -> Paragraphs:
    """The paragraphs of the pieces, in the order of their numbers."""
    count = int(pieces.paragraph.max(initial=-1)) + 1
    parts: list[list[int]] = [[] for _ in range(count)]
    for row in np.lexsort((pieces.line, pieces.paragraph)):
        parts[pieces.paragraph[row]].append(int(row))
    box = _extents(pieces.box, parts)
    text = tuple(" ".join(pieces.text[row] for row in part) for part in parts)
    return Paragraphs(box, text, np.array([len(part) for part in parts], dtype=np.intp))


def readable(words: Words) -> Flags:
    """Which words can be part of a label ``(n,)``: not boxes to tick, not leaders, not hidden ones.

    The words of an OCR layer are all hidden; where nothing else is there, they are what there is to read.
    """
    shown = words.visible if words.visible.any() else np.ones(len(words), dtype=np.bool_)
    spelled = np.array([_spelled(text) for text in words.text], dtype=np.bool_)
    return np.asarray(shown & words.upright & ~words.symbolic & spelled)


def _spelled(text: str) -> bool:
    return not set(text) <= _FILL and text not in BOX_CHARACTERS


def _fills(words: Words) -> Flags:
    """Leaders, underscores and boxes to tick ``(n,)``: the piece before them is complete."""
    return np.array([not _spelled(text) for text in words.text], dtype=np.bool_) | words.symbolic


def _runs(words: Words, walls: Rules, fields: Boxes) -> list[list[int]]:
    """Neighbours in content order that also stand beside each other."""
    usable = readable(words)
    row = np.flatnonzero(usable)
    if not len(row):
        return []
    first, second = row[:-1], row[1:]
    linked = (second == first + 1) & _adjacent(words, first, second)
    linked[linked] = ~_divided(words.box[first[linked]], words.box[second[linked]], walls, fields)
    return [part.tolist() for part in np.split(row, np.flatnonzero(~linked) + 1)]


def _adjacent(words: Words, first: Index, second: Index) -> Flags:
    a, b = words.box[first], words.box[second]
    gap = np.maximum(a[:, 0], b[:, 0]) - np.minimum(a[:, 2], b[:, 2])
    shared = np.minimum(a[:, 3], b[:, 3]) - np.maximum(a[:, 1], b[:, 1])
    level = shared > 0.35 * np.minimum(a[:, 3] - a[:, 1], b[:, 3] - b[:, 1])
    size = np.maximum(_sizes(words)[first], _sizes(words)[second])
    return np.asarray(level & (gap > -size) & (gap < _GAP * size))


def _sizes(words: Words) -> Floats:
    """Font size of each word ``(n,)``, guessed from its height where the file does not say."""
    return np.where(words.size > 0, words.size, 1.2 * (words.box[:, 3] - words.box[:, 1]))


def _divided(a: Boxes, b: Boxes, walls: Rules, fields: Boxes) -> Flags:
    """Whether a rule or a field stands between the two boxes of each pair ``(k, 4)`` of a line."""
    left = np.minimum(a[:, 2], b[:, 2])[:, None] - 0.5
    right = np.maximum(a[:, 0], b[:, 0])[:, None] + 0.5
    y = (np.maximum(a[:, 1], b[:, 1]) + np.minimum(a[:, 3], b[:, 3]))[:, None] / 2
    middle = (fields[:, 0] + fields[:, 2]) / 2
    out = np.zeros(len(a), dtype=np.bool_)
    for part in blocks(len(a), len(walls) + len(fields)):
        x0, x1, at = left[part], right[part], y[part]
        wall = (walls.at > x0) & (walls.at < x1) & (walls.low < at) & (walls.high > at)
        field = (middle > x0) & (middle < x1) & (fields[:, 1] < at) & (fields[:, 3] > at)
        out[part] = wall.any(1) | field.any(1)
    return out


def _pairs(rows: int, test: Callable[[slice], Flags]) -> tuple[Index, Index]:
    """Indices of the true entries of a ``(rows, rows)`` comparison that is made in blocks of rows."""
    found = []
    for part in blocks(rows, rows):
        first, second = np.nonzero(test(part))
        found.append((first + part.start, second))
    first, second = (np.concatenate(column) for column in zip(*found, strict=True))
    return first, second


def _joined(runs: list[list[int]], words: Words, walls: Rules, fields: Boxes) -> list[list[int]]:
    """Runs of one line that the content order had torn apart, joined where their ends are adjacent."""
    if len(runs) < 2:
        return runs
    box, size = _extents(words.box, runs), _means(_sizes(words), runs)
    left, right = _pairs(len(runs), lambda part: _meeting(box[part], size[part], box, size))
    apart = _divided(box[left], box[right], walls, fields)
    owner = list(range(len(runs)))
    for first, second in zip(left[~apart].tolist(), right[~apart].tolist(), strict=True):
        owner[_root(owner, second)] = _root(owner, first)
    joined: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        joined.setdefault(_root(owner, number), []).extend(run)
    return list(joined.values())


def _meeting(a: Boxes, a_size: Floats, b: Boxes, b_size: Floats) -> Flags:
    """``(len(a), len(b))``: whether the second box goes on where the first ends."""
    size = np.minimum(a_size[:, None], b_size)
    gap = b[:, 0] - a[:, None, 2]
    shared = np.minimum(a[:, None, 3], b[:, 3]) - np.maximum(a[:, None, 1], b[:, 1])
    level = shared > 0.5 * np.minimum((a[:, 3] - a[:, 1])[:, None], b[:, 3] - b[:, 1])
    return np.asarray(level & (gap > -0.3 * size) & (gap < _JOIN_GAP * size))


def _root(owner: list[int], node: int) -> int:
    while owner[node] != node:
        owner[node] = owner[owner[node]]
        node = owner[node]
    return node


def _extents(box: Boxes, parts: list[list[int]]) -> Boxes:
    """The box around each list of rows, ``(len(parts), 4)``."""
    if not parts:
        return np.zeros((0, 4))
    rows, start = _flat(parts)
    low, high = np.minimum.reduceat(box[rows, :2], start), np.maximum.reduceat(box[rows, 2:], start)
    return np.hstack([low, high])


def _means(column: Floats, parts: list[list[int]]) -> Floats:
    """The mean over each list of rows, ``(len(parts),)``."""
    rows, start = _flat(parts)
    mean: Floats = np.add.reduceat(column[rows], start) / np.diff(np.append(start, len(rows)))
    return mean


def _flat(parts: list[list[int]]) -> tuple[Index, Index]:
    """All rows one after the other, and where each list starts; no list is empty."""
    length = [len(part) for part in parts]
    return np.array(list(chain.from_iterable(parts)), dtype=np.intp), np.cumsum([0, *length[:-1]])


def _texts(words: Words, members: list[list[int]]) -> tuple[str, ...]:
    """The words of each piece in reading direction; touching ones are one word in two fonts."""
    left, right, size = words.box[:, 0].tolist(), words.box[:, 2].tolist(), _sizes(words).tolist()
    texts = []
    for part in members:
        backward = right_to_left("".join(words.text[row] for row in part))
        ordered = sorted(part, key=left.__getitem__, reverse=backward)
        text = words.text[ordered[0]]
        for a, b in pairwise(ordered):
            touching = max(left[a], left[b]) - min(right[a], right[b]) < 0.05 * size[b]
            text += ("" if touching else " ") + words.text[b]
        texts.append(text)
    return tuple(texts)


def _may_follow(box: Boxes, size: Floats, text: tuple[str, ...], ends: Flags) -> tuple[Flags, Flags]:
    """Which pieces may have a next line, and which may be one ``(m,)``.

    A piece that runs into a leader or a blank is complete. One that starts with an item number, or has one
    to its left, starts something new.
    """
    item = np.array([_ITEM.match(words) is not None for words in text])
    bare = np.array([_BARE_ITEM.match(words) is not None for words in text])
    numbers, number_size = box[bare], size[bare]
    gap = box[:, None, 0] - numbers[:, 2]
    level = np.abs(box[:, None, 1] - numbers[:, 1]) < 0.5 * number_size
    numbered = (level & (gap > -1) & (gap < 4.0 * number_size)).any(1)
    return ~ends & ~bare, ~item & ~numbered & ~bare


def _paragraphs(
    box: Boxes, size: Floats, may: tuple[Flags, Flags], rules: Rules, fields: Boxes
) -> tuple[Index, Index]:
    """Paragraph number and line of each piece; a piece continues the nearest fitting one above it."""
    upper, lower = _pairs(len(box), lambda part: _continues(box[part], size[part], box, size))
    wanted = may[0][upper] & may[1][lower]
    upper, lower = upper[wanted], lower[wanted]
    free = ~_separated(box[upper], box[lower], rules, fields)
    above: dict[int, list[int]] = {}
    for first, second in zip(upper[free].tolist(), lower[free].tolist(), strict=True):
        above.setdefault(second, []).append(first)
    paragraph, line, gap = np.full(len(box), -1, np.intp), np.zeros(len(box), np.intp), np.zeros(len(box))
    taken: set[int] = set()
    count = 0
    for row in np.argsort(box[:, 1], kind="stable").tolist():
        best = max(set(above.get(row, ())) - taken, key=lambda other: float(box[other, 3]), default=-1)
        gap[row] = box[row, 1] - box[best, 1]
        if best >= 0 and (line[best] == 0 or abs(gap[row] - gap[best]) < _EVEN * size[row]):
            taken.add(best)
            paragraph[row], line[row] = paragraph[best], line[best] + 1
        else:
            paragraph[row], count = count, count + 1
    return paragraph, line


def _continues(a: Boxes, a_size: Floats, b: Boxes, b_size: Floats) -> Flags:
    """``(len(a), len(b))``: whether the second piece could be the next line of the first."""
    both = np.minimum(a_size[:, None], b_size)
    alike = np.maximum(a_size[:, None], b_size) < 1.16 * both
    gap = b[:, 1] - a[:, None, 3]
    shared = np.minimum(a[:, None, 2], b[:, 2]) - np.maximum(a[:, None, 0], b[:, 0])
    over = shared > 0.5 * np.minimum((a[:, 2] - a[:, 0])[:, None], b[:, 2] - b[:, 0])
    flush = np.abs(a[:, None, 0] - b[:, 0]) < 2.5 * both
    flush |= np.abs(a[:, None, 2] - b[:, 2]) < 1.5 * both
    flush |= np.abs((a[:, 0] + a[:, 2])[:, None] - (b[:, 0] + b[:, 2])) < 2.0 * both
    below = b[:, 1] > a[:, None, 1] + 0.5 * both
    return np.asarray(alike & over & flush & below & (gap < _LINE_GAP * both) & (gap > -0.5 * both))


def _separated(upper: Boxes, lower: Boxes, rules: Rules, fields: Boxes) -> Flags:
    """Whether a rule or a field lies between the two lines of each pair ``(k, 4)``."""
    top, bottom = (upper[:, 1] + upper[:, 3])[:, None] / 2, (lower[:, 1] + lower[:, 3])[:, None] / 2
    left = np.maximum(upper[:, 0], lower[:, 0])[:, None] + 1
    right = np.minimum(upper[:, 2], lower[:, 2])[:, None] - 1
    middle = (fields[:, 1] + fields[:, 3]) / 2
    out = np.zeros(len(upper), dtype=np.bool_)
    for part in blocks(len(upper), len(rules) + len(fields)):
        y0, y1, x0, x1 = top[part], bottom[part], left[part], right[part]
        rule = (rules.at > y0) & (rules.at < y1) & (rules.low < x1) & (rules.high > x0)
        field = (middle > y0) & (middle < y1) & (fields[:, 0] < x1) & (fields[:, 2] > x0)
        out[part] = rule.any(1) | field.any(1)
    return out
