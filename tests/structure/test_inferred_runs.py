# SPDX-License-Identifier: Apache-2.0
"""Runs and components against the plain definition, pixel by pixel."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from acromeld.structure.components import connected, label_runs
from acromeld.structure.runs import close_gaps, find_runs

masks = arrays(np.bool_, st.tuples(st.integers(1, 14), st.integers(1, 14)))


def paint(runs, shape):
    out = np.zeros(shape, dtype=np.int64)
    for row, start, stop in zip(runs.row, runs.start, runs.stop, strict=True):
        out[row, start:stop] += 1
    return out


@given(masks)
def test_runs_cover_the_picture_once(mask):
    runs = find_runs(mask)
    np.testing.assert_array_equal(paint(runs, mask.shape), mask)
    assert len(close_gaps(runs, 0)) == len(runs)


@given(masks)
def test_components_are_those_of_the_eight_neighbourhood(mask):
    parts = label_runs(find_runs(mask))
    expected, count = ndimage.label(mask, np.ones((3, 3)))
    assert len(parts) == count
    boxes = sorted((c.start, r.start, c.stop, r.stop) for r, c in ndimage.find_objects(expected))
    assert sorted(map(tuple, parts.box.tolist())) == boxes
    assert parts.area.sum() == mask.sum()


@given(masks, st.integers(0, 4))
def test_closing_fills_exactly_the_small_gaps(mask, gap):
    closed = close_gaps(find_runs(mask), gap)
    inside = (
        closed.start[1:][closed.row[1:] == closed.row[:-1]]
        - closed.stop[:-1][closed.row[1:] == closed.row[:-1]]
    )
    assert (inside > gap).all()
    filled = paint(closed, mask.shape).astype(bool)
    np.testing.assert_array_equal(filled & mask, mask)


def test_long_chain_is_one_component():
    chain = np.arange(999)
    assert connected(1000, chain, chain + 1).max() == 0
    assert connected(1000, chain[::2], chain[::2] + 1).max() == 499


@given(masks)
def test_kept_components_are_renumbered(mask):
    parts = label_runs(find_runs(mask))
    keep = parts.area % 2 == 0
    kept = parts.only(keep)
    np.testing.assert_array_equal(kept.box, parts.box[keep])
    np.testing.assert_array_equal(kept.total(kept.runs.length), kept.area)
