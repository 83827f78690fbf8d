# SPDX-License-Identifier: Apache-2.0
"""The order in which the fields of a page are read: blocks from the top, columns in blocks, rows in those.

The page is cut recursively, as in the XY cut of page segmentation. A block is cut into columns only at a
clear gutter whose two sides do not share their rows; sides that do are a table, or a form of two fields a
line, and are read row by row. Otherwise it is cut at its widest empty band. Cuts into columns are rare on
purpose: authors of real forms read most pages in rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.texts import right_to_left as reads_backward
from acromeld.form.order import row_order
from acromeld.geometry import as_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Field
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Primitives, Words

    Index = npt.NDArray[np.intp]

_GUTTER = 18.0
_BAND = 1.2
_FEWEST = 4
"""Fields, and lines of fields, that each side of a gutter has at least."""

_SAME_LINE = 4.0
_SHARED_ROWS = 0.3
_DEEPEST = 40


def reading_order(
    fields: Sequence[Field], primitives: Primitives | None = None, *, right_to_left: bool | None = None
) -> list[int]:
    """Rows of the fields in reading order; the direction is that of most words unless it is given."""
    words = None if primitives is None else primitives.words
    backward = page_reads_backward(words) if right_to_left is None else right_to_left
    box = as_boxes([field.box for field in fields])
    if words is None or not len(box):
        return row_order(box, right_to_left=backward)
    # The text is the same seen in a mirror, so only one direction needs thinking about.
    printed = words.box[words.upright & (words.visible | ~words.visible.any())]
    page = _Page(_mirrored(box), _mirrored(printed)) if backward else _Page(box, printed)
    return page.read(np.arange(len(box)), np.arange(len(printed)), _DEEPEST)


def page_reads_backward(words: Words | None) -> bool:
    """Whether most words that have a direction are written from right to left."""
    if words is None:
        return False
    spelled = [text for text in words.text if any(char.isalpha() for char in text)]
    return 2 * sum(reads_backward(text) for text in spelled) > len(spelled)


def _mirrored(box: Boxes) -> Boxes:
    return box[:, [2, 1, 0, 3]] * (-1.0, 1.0, -1.0, 1.0)


class _Page:
    """Fields ``(n, 4)`` and words ``(m, 4)`` of a page, cut further and further."""

    def __init__(self, fields: Boxes, words: Boxes) -> None:
        self.fields = fields
        self.words = words
        self.middle = (fields[:, 1] + fields[:, 3]) / 2

    def read(self, fields: Index, words: Index, depth: int) -> list[int]:
        """The order of some fields among some words."""
        if len(fields) < _FEWEST or depth == 0:
            return self._rows(fields)
        cut = self._gutter(fields, words)
        axis = 0
        if cut is None:
            cut, axis = self._band(fields, words), 1
        if cut is None:
            return self._rows(fields)
        first, second = _split(self.fields, fields, axis, cut), _split(self.words, words, axis, cut)
        return [
            *self.read(fields[first], words[second], depth - 1),
            *self.read(fields[~first], words[~second], depth - 1),
        ]

    def _rows(self, fields: Index) -> list[int]:
        return [int(fields[row]) for row in row_order(self.fields[fields])]

    def _gutter(self, fields: Index, words: Index) -> float | None:
        """The middle of the widest gutter between two columns that do not share their rows."""
        for start, end in _gaps(self._spans(fields, words, 0), _GUTTER):
            left = _split(self.fields, fields, 0, (start + end) / 2)
            if self._are_columns(fields[left], fields[~left]):
                return (start + end) / 2
        return None

    def _are_columns(self, left: Index, right: Index) -> bool:
        few, many = sorted((self.middle[left], self.middle[right]), key=len)
        if len(few) < _FEWEST or min(_lines(few), _lines(many)) < _FEWEST:
            return False
        shared = np.abs(few[:, None] - many[None, :]).min(axis=1) < _SAME_LINE
        return bool(shared.mean() <= _SHARED_ROWS)

    def _band(self, fields: Index, words: Index) -> float | None:
        """The middle of the widest empty band with fields above and below."""
        for start, end in _gaps(self._spans(fields, words, 1), _BAND):
            above = _split(self.fields, fields, 1, (start + end) / 2)
            if above.any() and not above.all():
                return (start + end) / 2
        return None

    def _spans(self, fields: Index, words: Index, axis: int) -> Floats:
        """Extents ``(k, 2)`` of everything along an axis."""
        return np.vstack([self.fields[fields][:, axis::2], self.words[words][:, axis::2]])


def _gaps(spans: Floats, least: float) -> list[tuple[float, float]]:
    """Stretches that nothing covers, the widest first."""
    ordered = spans[np.argsort(spans[:, 0], kind="stable")]
    reached = np.maximum.accumulate(ordered[:, 1])
    starts, ends = reached[:-1], ordered[1:, 0]
    wide = np.flatnonzero(ends - starts >= least)
    widest = wide[np.argsort(starts[wide] - ends[wide], kind="stable")]
    return [(float(starts[row]), float(ends[row])) for row in widest]


def _split(box: Boxes, rows: Index, axis: int, at: float) -> npt.NDArray[np.bool_]:
    """Which of the rows lie before a cut, by their middles."""
    return np.asarray((box[rows, axis] + box[rows, axis + 2]) / 2 <= at)


def _lines(middles: Floats) -> int:
    """How many lines fields stand on."""
    ordered = np.sort(middles)
    return 1 + int((np.diff(ordered) > _SAME_LINE).sum())
