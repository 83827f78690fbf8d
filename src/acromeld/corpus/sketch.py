# SPDX-License-Identifier: Apache-2.0
"""MinHash sketches: how alike two large sets are, from a few numbers each.

The share of equal positions in two sketches estimates the Jaccard similarity of the sets. Hashes are BLAKE2
and fixed odd multipliers, so a sketch depends on nothing but its set: not on the process, the platform or
the order of the files.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import defaultdict
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy.typing as npt

    Hashes = npt.NDArray[np.uint64]

SHINGLE_WORDS = 5
_WORD = re.compile(r"\w+")


def shingles(text: str) -> set[bytes]:
    """Runs of five words, folded so that case, width and punctuation do not matter.

    Words made of underscores alone are writing lines, not words, and are left out: a reissue with longer
    lines is still a reissue.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = [word for word in _WORD.findall(folded) if word.strip("_")]
    runs = range(len(words) - SHINGLE_WORDS + 1)
    return {" ".join(words[start : start + SHINGLE_WORDS]).encode("utf-8", "replace") for start in runs}


def hash_items(items: Iterable[bytes]) -> Hashes:
    """A 64-bit hash of each item, sorted, shape ``(n,)``."""
    hashes = {int.from_bytes(hashlib.blake2b(item, digest_size=8).digest(), "big") for item in items}
    return np.array(sorted(hashes), dtype=np.uint64)


def minhash(hashes: Hashes, size: int) -> Hashes:
    """The sketch ``(size,)`` of a non-empty set of hashes ``(n,)``: the least value under each permutation.

    A permutation is ``(a h + b) mod 2^64`` with odd ``a``, its high bits mixed down first, because the low
    bits of a product depend on the low bits of its factors alone.
    """
    factors, shifts = _permutations(size)
    sketch = np.empty(size, dtype=np.uint64)
    for position in range(size):
        mixed = hashes * factors[position] + shifts[position]
        mixed ^= mixed >> np.uint64(31)
        sketch[position] = (mixed * _MIX).min()
    return sketch


_MIX = np.uint64(0x9E3779B97F4A7C15)


def _permutations(size: int) -> tuple[Hashes, Hashes]:
    words = [
        int.from_bytes(hashlib.blake2b(b"permutation %d" % n, digest_size=16).digest(), "big")
        for n in range(size)
    ]
    mask = (1 << 64) - 1
    factors = np.array([(word & mask) | 1 for word in words], dtype=np.uint64)
    return factors, np.array([word >> 64 for word in words], dtype=np.uint64)


def similarity(a: Hashes, b: Hashes) -> float:
    """Estimated Jaccard similarity of the sets behind two sketches of one size."""
    return float(np.mean(a == b))


def similar_pairs(sketches: Mapping[str, Hashes], rows: int, most: int) -> set[tuple[str, str]]:
    """Pairs of keys that agree in a whole band of ``rows`` positions: the candidates for a closer look.

    With 256 positions in bands of 4, a pair of similarity 0.7 is missed less than once in ten million
    times. A bucket with more than ``most`` members is chained, each with the next, instead of paired all
    with all: union-find joins a chain as well, and hundreds of copies of one form stay affordable.
    """
    buckets: defaultdict[tuple[int, bytes], list[str]] = defaultdict(list)
    for key in sorted(sketches):
        sketch = sketches[key]
        for band in range(len(sketch) // rows):
            buckets[band, sketch[band * rows : (band + 1) * rows].tobytes()].append(key)
    pairs: set[tuple[str, str]] = set()
    for members in buckets.values():
        pairs.update(_pairs(members, most))
    return pairs


def _pairs(members: Sequence[str], most: int) -> Iterable[tuple[str, str]]:
    if len(members) <= most:
        return combinations(members, 2)
    return pairwise(members)
