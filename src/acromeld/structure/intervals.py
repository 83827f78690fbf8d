# SPDX-License-Identifier: Apache-2.0
"""Unions and gaps of intervals for many owners at once.

A page has a hundred rules and as many lines of text, each cut by words and other rules. Doing this rule by
rule in Python would cost more than rendering the page; here all of them are sorted together, with one sort
key that keeps the owners apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from acromeld.geometry import Floats

    Index = npt.NDArray[np.intp]


_PAIRS = 2_000_000
"""Pairs looked at in one go; bounds the memory that a hostile page can take."""


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Slices of the rows of a ``(rows, columns)`` comparison that is too large to be made at once."""
    step = max(_PAIRS // max(columns, 1), 1)
    return (slice(start, start + step) for start in range(0, rows, step))


def cluster(values: Floats, gap: float) -> Index:
    """Cluster number of each value, in ascending order; a step larger than ``gap`` starts a new cluster."""
    order = np.argsort(values, kind="stable")
    number = np.cumsum(np.diff(values[order], prepend=values[order[:1]]) > gap)
    out = np.empty(len(values), dtype=np.intp)
    out[order] = number
    return out


def merge(
    low: Floats, high: Floats, owner: Index, gap: float | Floats
) -> tuple[Floats, Floats, Index, Index]:
    """Join the intervals of each owner that overlap or lie at most ``gap`` apart.

    Returns low, high and owner of the joined intervals, and for each input interval the one it went into.
    """
    if len(low) == 0:
        return low, high, owner, np.zeros(0, dtype=np.intp)
    order = np.lexsort((low, owner))
    reach = _running_max(high[order], owner[order])
    slack = gap[order][1:] if isinstance(gap, np.ndarray) else gap
    fresh = np.ones(len(low), dtype=np.bool_)
    fresh[1:] = (np.diff(owner[order]) > 0) | (low[order][1:] > reach[:-1] + slack)
    start = np.flatnonzero(fresh)
    member = np.empty(len(low), dtype=np.intp)
    member[order] = np.cumsum(fresh) - 1
    return low[order][start], np.maximum.reduceat(high[order], start), owner[order][start], member


def gaps(
    low: Floats, high: Floats, cut_low: Floats, cut_high: Floats, cut_owner: Index
) -> tuple[Floats, Floats, Index]:
    """What is left of each interval (row number = owner) after the cuts of the same owner are taken away."""
    count = len(low)
    owners = np.arange(count)
    # A cut of zero length at the start makes the first gap begin there; each gap ends at the next cut.
    begin = np.concatenate([low, np.clip(cut_high, low[cut_owner], high[cut_owner])])
    where = np.concatenate([low, np.clip(cut_low, low[cut_owner], high[cut_owner])])
    owner = np.concatenate([owners, cut_owner])
    order = np.lexsort((where, owner))
    free_from = _running_max(begin[order], owner[order])
    sorted_owner = owner[order]
    free_to = np.append(where[order][1:], 0.0)
    last = np.append(np.diff(sorted_owner) > 0, True)
    free_to[last] = high[sorted_owner[last]]
    keep = free_to > free_from
    return free_from[keep], free_to[keep], sorted_owner[keep]


def _running_max(values: Floats, owner: Index) -> Floats:
    """Running maximum that starts anew with each owner; owners must be sorted."""
    if len(values) == 0:
        return values
    span = float(values.max() - values.min()) + 1.0
    result: Floats = np.maximum.accumulate(values + owner * span) - owner * span
    return result
