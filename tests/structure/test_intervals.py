# SPDX-License-Identifier: Apache-2.0
"""All owners at once must give what one owner after the other gives."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from acromeld.structure.intervals import blocks, cluster, gaps, merge

places = st.integers(0, 60).map(lambda value: value / 2)


@st.composite
def intervals(draw, owners=4, most=14):
    rows = draw(st.lists(st.tuples(places, places, st.integers(0, owners - 1)), max_size=most))
    low = np.array([min(a, b) for a, b, _ in rows], dtype=float)
    high = np.array([max(a, b) for a, b, _ in rows], dtype=float)
    return low, high, np.array([owner for *_, owner in rows], dtype=np.intp)


def merged_by_hand(rows, gap):
    out = []
    for low, high in sorted(rows):
        if out and low <= out[-1][1] + gap:
            out[-1][1] = max(out[-1][1], high)
        else:
            out.append([low, high])
    return [tuple(pair) for pair in out]


@given(intervals(), st.sampled_from([0.0, 0.5, 3.0]))
def test_merge(rows, gap):
    low, high, owner = rows
    got_low, got_high, got_owner, member = merge(low, high, owner, gap)
    for one in range(4):
        mine = owner == one
        wanted = merged_by_hand(list(zip(low[mine], high[mine], strict=True)), gap)
        theirs = got_owner == one
        assert list(zip(got_low[theirs], got_high[theirs], strict=True)) == wanted
    assert (got_low[member] <= low).all()
    assert (got_high[member] >= high).all()
    assert (got_owner[member] == owner).all()


@given(intervals(owners=3), st.lists(st.tuples(places, places), min_size=3, max_size=3))
def test_gaps(cuts, spans):
    low = np.array([min(span) for span in spans])
    high = np.array([max(span) for span in spans])
    got_low, got_high, owner = gaps(low, high, *cuts)
    # Everything is on halves, so the middles of half steps tell each piece apart.
    middles = np.arange(0.25, 30, 0.5)
    for one in range(3):
        free = (middles > low[one]) & (middles < high[one])
        for cut_low, cut_high in zip(cuts[0][cuts[2] == one], cuts[1][cuts[2] == one], strict=True):
            free &= ~((middles > cut_low) & (middles < cut_high))
        mine = owner == one
        covered = ((middles[:, None] > got_low[mine]) & (middles[:, None] < got_high[mine])).sum(1)
        assert covered.tolist() == free.astype(int).tolist()


@given(st.lists(places, max_size=20), st.sampled_from([0.0, 0.5, 2.0]))
def test_cluster(values, gap):
    number = cluster(np.array(values, dtype=float), gap)
    ordered = sorted(zip(values, number, strict=True))
    for (a, i), (b, j) in itertools.pairwise(ordered):
        assert j - i == (b - a > gap)
    assert not ordered or ordered[0][1] == 0


@pytest.mark.parametrize(("rows", "columns"), [(0, 5), (7, 0), (10, 3), (5, 10**9), (5_000, 1_000)])
def test_blocks_cover_every_row_once(rows, columns):
    parts = list(blocks(rows, columns))
    assert np.concatenate([np.arange(rows)[part] for part in parts] or [[]]).tolist() == list(range(rows))
    assert all(
        (part.stop - part.start) * columns <= 2_000_000 for part in parts if part.stop - part.start > 1
    )
