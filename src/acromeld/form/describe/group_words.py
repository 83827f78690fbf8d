# SPDX-License-Identifier: Apache-2.0
"""The words around boxes to tick, and what they say about excluding each other, learned from training forms.

Every word is hashed into a bucket. For each place (right, left, above, and anywhere in the question around) a
table holds how much more often than usual boxes with such a word belong to a radio group; one more row is
about the first words of two neighbours together. So "yes | no", "weiblich" or "check one" become evidence by
being seen, in any language, and none is written down here.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.lines import readable

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Words

    Index = npt.NDArray[np.intp]

BUCKETS = 4096
PLACES = ("right", "left", "above", "around")
PAIR = len(PLACES)
"""Row of the table for the first words of two labels."""

SHAPE = (len(PLACES) + 1, BUCKETS)

_SLACK = 3.0
_REACH = {"right": 22.0, "left": 32.0}
_ABOVE = 26.0
_AROUND = (340.0, 46.0, 240.0, 2.0)
"""How far the question around a box reaches: left, up, right, down."""

_MOST = 12
_TRIM = re.compile(r"^\W+|\W+$")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class BoxWords:
    """Rows of the words around one box, by place, nearest first."""

    right: tuple[int, ...]
    left: tuple[int, ...]
    above: tuple[int, ...]
    around: tuple[int, ...]

    @property
    def option(self) -> tuple[int, ...]:
        """What most likely is the label of the box."""
        return self.right or self.above or self.left


@dataclass(frozen=True)
class PageText:
    """The readable words of a page: boxes ``(m, 4)``, tokens and their buckets ``(m,)``."""

    box: Boxes
    token: tuple[str, ...]
    bucket: Index

    @classmethod
    def of(cls, words: Words) -> PageText:
        """Words that can be read, as tokens."""
        rows = np.flatnonzero(readable(words)) if len(words) else np.zeros(0, dtype=np.intp)
        tokens = tuple(token(words.text[row]) for row in rows)
        return cls(words.box[rows], tokens, np.array([bucket(text) for text in tokens], dtype=np.intp))

    def around(self, box: Boxes, choices: Index) -> list[BoxWords]:
        """The words around each of the chosen rows of all field boxes ``(n, 4)``."""
        return [self._around_one(box, int(row)) for row in choices]

    def _around_one(self, box: Boxes, row: int) -> BoxWords:
        x0, y0, x1, y1 = box[row]
        others = np.delete(box, row, axis=0)
        level = others[(others[:, 1] < y1) & (others[:, 3] > y0)]
        stop_right = level[level[:, 0] >= x1 - _SLACK, 0].min(initial=np.inf)
        stop_left = level[level[:, 2] <= x0 + _SLACK, 2].max(initial=-np.inf)
        a, b = self.box[:, :2].T, self.box[:, 2:].T
        middle = (a[1] + b[1]) / 2
        same = (middle > y0 - _SLACK) & (middle < y1 + _SLACK)
        right = same & (a[0] >= x1 - _SLACK) & (a[0] < stop_right)
        left = same & (b[0] <= x0 + _SLACK) & (b[0] > stop_left)
        above = (b[1] <= y0 + _SLACK) & (b[1] > y0 - _ABOVE) & (a[0] < x1 + _SLACK) & (b[0] > x0 - _SLACK)
        reach = _AROUND
        around = (a[0] > x0 - reach[0]) & (b[0] < x1 + reach[2])
        around &= (middle > y0 - reach[1]) & (middle < y1 + reach[3])
        return BoxWords(
            self._run(np.flatnonzero(right), x1, 1, _REACH["right"]),
            self._run(np.flatnonzero(left), -x0, -1, _REACH["left"]),
            tuple(np.flatnonzero(above)[:_MOST].tolist()),
            tuple(np.flatnonzero(around).tolist()),
        )

    def _run(self, rows: Index, start: float, way: int, reach: float) -> tuple[int, ...]:
        """The words that follow each other without a wide gap, going to the right (1) or to the left (-1)."""
        near = way * self.box[:, 0 if way > 0 else 2]
        far = way * self.box[:, 2 if way > 0 else 0]
        found: list[int] = []
        for row in rows[np.argsort(near[rows], kind="stable")][:_MOST]:
            if near[row] - start > reach:
                break
            found.append(int(row))
            start, reach = max(start, float(far[row])), 0.55 * reach if len(found) == 1 else reach
        return tuple(found)


def token(word: str) -> str:
    """A word as it is compared: no case, no punctuation around it, any number is the same."""
    return _DIGITS.sub("0", _TRIM.sub("", word.casefold()))


def pair_bucket(first: str, second: str) -> int:
    """Bucket of the first words of two labels."""
    return bucket(f"{first} | {second}")


def bucket(text: str) -> int:
    """Bucket of a token; the same everywhere."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % BUCKETS
