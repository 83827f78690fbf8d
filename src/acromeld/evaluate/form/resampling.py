# SPDX-License-Identifier: Apache-2.0
"""Intervals for means and ratios over fields: whole provenance groups are drawn, not fields."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.bootstrap import SEED, Interval

if TYPE_CHECKING:
    from collections.abc import Iterable

RESAMPLES = 2_000


def ratio_interval(rows: Iterable[tuple[str, float, float]]) -> Interval | None:
    """95 % percentile interval of a sum over a sum; each row is a group, a numerator and a denominator."""
    sums: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for group, over, under in rows:
        sums[group][0] += over
        sums[group][1] += under
    if not sums:
        return None
    table = np.array(list(sums.values()))
    draws = np.random.default_rng(SEED).integers(len(table), size=(RESAMPLES, len(table)))
    over, under = table[draws].sum(axis=1).T
    defined = under > 0
    if not defined.any():
        return None
    low, high = np.percentile(over[defined] / under[defined], [2.5, 97.5])
    return Interval(float(low), float(high), int((~defined).sum()))
