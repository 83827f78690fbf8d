# SPDX-License-Identifier: Apache-2.0
"""What the words around a candidate say about it, learned from the training forms.

Every word is hashed into a bucket; for each bucket and position (left, above, right, below, inside) a table
holds how much more often than usual such a word stands there beside a text, choice or signature field. So
"date", "Unterschrift" or "X" become evidence by being seen, in any language, and none is written down here.
One more row of the table is about whole pages: whether their words are those of pages that authors gave
signature fields. The same line is a signature field in one agency's forms and left for a pen in another's.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import intersection

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words

BUCKETS = 4096
POSITIONS = ("left", "above", "right", "below", "inside")
PAGE = len(POSITIONS)
"""Row of the table for words anywhere on the page."""

CLASSES = 3
SHAPE = (len(POSITIONS) + 1, BUCKETS, CLASSES)
"""Shape of a table; counts have one more class, "no field", in front."""

_SIGNATURE = 3

_REACH = {"left": 150.0, "above": 25.0, "right": 90.0, "below": 14.0}
_TRIM = re.compile(r"^\W+|\W+$")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Surroundings:
    """Words around candidates.

    Attributes:
        inside: ``(n, m)`` whether the centre of a word lies in a candidate.
        near: For left, above, right, below: ``(n, m)`` whether a word stands there within reach.
        gap: For the same: ``(n, m)`` distance in points, infinite where not near.
        covered: ``(n,)`` share of the candidate's area under words.
    """

    inside: npt.NDArray[np.bool_]
    near: dict[str, npt.NDArray[np.bool_]]
    gap: dict[str, Floats]
    covered: Floats

    def at(self, position: str) -> npt.NDArray[np.bool_]:
        """The mask of a position of `POSITIONS`."""
        return self.inside if position == "inside" else self.near[position]


def surroundings(box: Boxes, printed: Boxes, reach: Mapping[str, float] = _REACH) -> Surroundings:
    """Which words stand where around each candidate; ``box`` is ``(n, 4)``, ``printed`` ``(m, 4)``.

    ``reach`` are the points within which a word is near, on each side.
    """
    x0, y0, x1, y1 = (box[:, side, None] for side in range(4))
    a0, b0, a1, b1 = (printed[None, :, side] for side in range(4))
    middle_x, middle_y = (a0 + a1) / 2, (b0 + b1) / 2
    same_line = ((middle_y > y0) & (middle_y < y1)) | (((y0 + y1) / 2 > b0) & ((y0 + y1) / 2 < b1))
    same_column = (a0 < x1) & (a1 > x0)
    distance = {"left": x0 - a1, "right": a0 - x1, "above": y0 - b1, "below": b0 - y1}
    near, gap = {}, {}
    for position, points in reach.items():
        beside = same_line if position in ("left", "right") else same_column
        gap[position] = distance[position]
        near[position] = beside & (gap[position] > -3.0) & (gap[position] <= points)
        gap[position][~near[position]] = np.inf
    inside = (middle_x > x0) & (middle_x < x1) & (middle_y > y0) & (middle_y < y1)
    area = np.maximum((x1 - x0) * (y1 - y0), 1.0)[:, 0]
    return Surroundings(inside, near, gap, intersection(box, printed).sum(1) / area)


def buckets(words: Words) -> npt.NDArray[np.intp]:
    """Bucket of each word, ``(m,)``: lower case, outer punctuation off, digits as one sign."""
    return np.array([_bucket(text) for text in words.text], dtype=np.intp)


@lru_cache(2**14)
def _bucket(text: str) -> int:
    plain = _DIGITS.sub("0", _TRIM.sub("", text).casefold()) or text[:2]
    return zlib.crc32(plain.encode("utf-8", "replace")) % BUCKETS


def label_counts(
    around: Surroundings, bucket: npt.NDArray[np.intp], label: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """How often each word bucket stood at each position of candidates of each label.

    Returns ``(positions + 1, BUCKETS, 1 + CLASSES)`` counts; label 0 is "no field". In the row of the page
    each bucket counts once, for "signature" when the page has one.
    """
    counts = no_counts()
    for number, position in enumerate(POSITIONS):
        candidate, word = np.nonzero(around.at(position))
        np.add.at(counts[number], (bucket[word], label[candidate]), 1)
    counts[PAGE, np.unique(bucket), _SIGNATURE if (label == _SIGNATURE).any() else 0] += 1
    return counts


def no_counts() -> npt.NDArray[np.int32]:
    """Counts before anything is seen."""
    positions, buckets_, classes = SHAPE
    return np.zeros((positions, buckets_, 1 + classes), dtype=np.int32)


def label_table(counts: npt.NDArray[np.int32], prior: float = 8.0) -> npt.NDArray[np.float32]:
    """Log-odds table of `SHAPE` from counts, shrunk to 0 where little was seen."""
    total = counts.sum(axis=1, keepdims=True).astype(np.float64)
    usual = (total + 1) / (total + 1).sum(axis=2, keepdims=True)
    seen = counts + prior * usual
    share = seen / seen.sum(axis=2, keepdims=True)
    odds = np.log(share) - np.log(usual)
    table: npt.NDArray[np.float32] = (odds[:, :, 1:] - odds[:, :, :1]).astype(np.float32)
    return table
