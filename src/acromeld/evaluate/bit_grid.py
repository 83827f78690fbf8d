# SPDX-License-Identifier: Apache-2.0
"""Greedy selection and matching at many threshold combinations at once.

Each combination of thresholds is one bit of a Python integer. "Candidate i is kept" is then an integer whose
set bits are the combinations at which it is kept, and the sentences of the decoder become ``&``, ``|`` and
``~`` on integers: the same steps in the same order, for thousands of combinations together.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]


@dataclass
class BitCounter:
    """A counter per bit, held as binary digits: ``digits[k]`` has the k-th digit of every counter."""

    digits: list[int] = field(default_factory=list)

    def add(self, bits: int) -> None:
        """Count one more wherever a bit is set (ripple-carry addition on all counters)."""
        for place, digit in enumerate(self.digits):
            self.digits[place], bits = digit ^ bits, digit & bits
            if not bits:
                return
        self.digits.append(bits)

    def equals(self, number: int, everywhere: int) -> int:
        """The bits whose counter has exactly this value."""
        if number >> len(self.digits):
            return 0
        for place, digit in enumerate(self.digits):
            everywhere &= digit if number >> place & 1 else ~digit
        return everywhere

    def values(self, size: int) -> Ints:
        """All counters, shape ``(size,)``."""
        counts = np.zeros(size, dtype=np.int64)
        for place, digit in enumerate(self.digits):
            raw = np.frombuffer(digit.to_bytes((size + 7) // 8, "little"), dtype=np.uint8)
            counts += np.unpackbits(raw, count=size, bitorder="little").astype(np.int64) << place
        return counts


@dataclass(frozen=True)
class Unit:
    """Candidates that can influence each other, and nobody else's, in stable descending score.

    Attributes:
        kind: Class of each.
        level: Highest threshold level each still passes.
        suppressors: For each, the earlier ones that would suppress it.
        options: For each, the targets it may match, best first.
        cap: Most candidates that may be kept.
    """

    kind: tuple[int, ...]
    level: tuple[int, ...]
    suppressors: tuple[tuple[int, ...], ...]
    options: tuple[tuple[int, ...], ...]
    cap: int

    def __len__(self) -> int:
        return len(self.kind)


def outcomes(unit: Unit, eligible: Sequence[int], everywhere: int) -> tuple[list[int], list[int]]:
    """Where each candidate is kept, and where it is a true positive.

    Args:
        unit: The candidates.
        eligible: For each, the combinations at which its score reaches its threshold.
        everywhere: All combinations.
    """
    kept: list[int] = []
    hits: list[int] = []
    taken: defaultdict[int, int] = defaultdict(int)
    counter, full, may_fill = BitCounter(), 0, len(unit) > unit.cap
    for index, bits in enumerate(eligible):
        alive = bits & ~full
        for earlier in unit.suppressors[index]:
            alive &= ~kept[earlier]
        kept.append(alive)
        hits.append(_match(alive, unit.options[index], taken))
        if may_fill:
            counter.add(alive)
            full |= counter.equals(unit.cap, everywhere)
    return kept, hits


def _match(alive: int, options: tuple[int, ...], taken: defaultdict[int, int]) -> int:
    """Take the best free target, at each combination separately; returns where one was found."""
    free = alive
    for target in options:
        if not free:
            break
        take = free & ~taken[target]
        taken[target] |= take
        free ^= take
    return alive ^ free
