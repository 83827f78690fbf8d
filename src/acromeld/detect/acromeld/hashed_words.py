# SPDX-License-Identifier: Apache-2.0
"""Words as evidence: each is hashed into a bucket, and the learned weights of buckets are added up.

Sums are divided by the root of how many buckets there are, so that long pages are not surer than short ones.
No vocabulary is kept, and no word of a form can be read back from the weights.
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.detect.ffgbt.labels import Surroundings
    from acromeld.geometry import Floats

    Buckets = npt.NDArray[np.intp]

BUCKETS = 2**15
POSITIONS = ("left", "above", "below", "inside")
"""Where words of a caption stand, seen from the place; what stands to the right belongs to the next one."""

_TRIM = re.compile(r"^\W+|\W+$")
_DIGITS = re.compile(r"\d+")

_REMEMBERED = 2**14
"""Words whose spelling and bucket are kept at hand: forms say the same again and again."""


@dataclass(frozen=True)
class Evidence:
    """A learned sum: ``(BUCKETS,)`` weights and what there is to begin with."""

    weight: npt.NDArray[np.float32]
    bias: float

    def of_page(self, buckets: Buckets) -> float:
        """Log-odds from the buckets of a page (`page_buckets`)."""
        return float(self.weight[buckets].sum() / np.sqrt(max(len(buckets), 1)) + self.bias)

    def of_captions(self, captions: Captions) -> Floats:
        """Log-odds of each of n places from the words around it, ``(n,)``."""
        total = np.zeros(captions.count.shape)
        for standing, buckets in captions.parts:
            total += standing @ self.weight[buckets].astype(np.float64)
        return total / np.sqrt(np.maximum(captions.count, 1)) + self.bias


@dataclass(frozen=True)
class Captions:
    """Words around n places.

    Attributes:
        parts: For each of `POSITIONS`, ``(n, m)`` which of m words stand there, and their ``(m,)`` buckets.
        count: ``(n,)`` words in all positions.
    """

    parts: tuple[tuple[npt.NDArray[np.bool_], Buckets], ...]
    count: npt.NDArray[np.int64]


def stored_weight(evidence: Evidence) -> npt.NDArray[np.float16]:
    """The weights as files hold them, in half precision."""
    return evidence.weight.astype(np.float16)


def stored_evidence(weight: npt.NDArray[np.generic], bias: float, name: str) -> Evidence:
    """Evidence from the weights in a file of the given name."""
    if weight.shape != (BUCKETS,):
        raise IntegrityError(f"{name} was trained on other words than this version hears.")
    return Evidence(weight.astype(np.float32), bias)


@lru_cache(_REMEMBERED)
def plain(text: str) -> str:
    """A word without case, outer punctuation and the value of its digits."""
    return _DIGITS.sub("0", _TRIM.sub("", text).casefold())


def page_buckets(words: Sequence[str]) -> Buckets:
    """Buckets of the plain words of a page in content order, and of pairs that follow each other; unique."""
    said = [word for word in words if word]
    pairs = (f"{first} {second}" for first, second in pairwise(said))
    return np.array(sorted({_bucket(text) for text in (*said, *pairs)}), dtype=np.intp)


def caption_words(around: Surroundings, words: Sequence[str]) -> Captions:
    """The plain words that stand around each place."""
    parts = tuple(
        (around.at(position), np.array([_bucket(f"{position} {word}") for word in words], dtype=np.intp))
        for position in POSITIONS
    )
    return Captions(parts, np.sum([standing.sum(axis=1) for standing, _ in parts], axis=0))


@lru_cache(len(POSITIONS) * _REMEMBERED)
def _bucket(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", "replace")) % BUCKETS
