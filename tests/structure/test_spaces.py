# SPDX-License-Identifier: Apache-2.0
"""The blank strips below labels, on pages with as many words as pages have at the most."""

import tracemalloc

import numpy as np
import pytest

from acromeld.structure import intervals
from acromeld.structure.rules import page_rules
from acromeld.structure.spaces import _floor, _wall, below_labels
from tests.structure.made_up import HEIGHT, WIDTH, across, down, shapes, words


def crowded(count):
    """Words all over a page, none in line with another, and rules between them."""
    draw = np.random.default_rng(5)
    x, y = draw.uniform(0, WIDTH - 20, count), draw.uniform(0, HEIGHT - 10, count)
    boxes = np.stack([x, y, x + draw.uniform(2, 20, count), y + draw.uniform(4, 10, count)], 1)
    lines = [across(at, low, low + 60) for at, low in draw.uniform(0, WIDTH - 60, (200, 2))]
    lines += [down(at, low, low + 60) for at, low in draw.uniform(0, WIDTH - 60, (200, 2))]
    return words(*(("word", box) for box in boxes)), page_rules(shapes(lines))


def wall_of_all_pairs(low, high, bottom, size, printed, vertical, width):
    """The definition: every stretch against every word and every rule at once."""
    middle = (bottom - 0.4 * size)[:, None]
    word = (printed[None, :, 1] < middle) & (printed[None, :, 3] > middle)
    word &= printed[None, :, 0] > high[:, None] + 1
    rule = (vertical.low[None] < bottom[:, None]) & (vertical.high[None] > bottom[:, None] + 3)
    rule &= vertical.at[None] > low[:, None] + 4
    wall = np.where(word, printed[None, :, 0] - 3, np.inf).min(1, initial=np.inf)
    wall = np.minimum(wall, np.where(rule, vertical.at[None], np.inf).min(1, initial=np.inf))
    return np.minimum(wall, min(width, float(printed[:, 2].max()) + 2))


def floor_of_all_pairs(low, high, bottom, printed, horizontal):
    """The definition: every stretch against every rule and every word at once."""
    left = np.concatenate([horizontal.low, printed[:, 0]])[None]
    right = np.concatenate([horizontal.high, printed[:, 2]])[None]
    top = np.concatenate([horizontal.at, printed[:, 1]])[None]
    below = (left < high[:, None]) & (right > low[:, None]) & (top > bottom[:, None] + 1)
    return np.where(below, top, np.inf).min(axis=1, initial=np.inf)


@pytest.mark.parametrize("count", [1, 40, 2500])
@pytest.mark.parametrize("pairs", [500, 2_000_000])
def test_the_strips_are_those_of_all_pairs(monkeypatch, count, pairs):
    monkeypatch.setattr(intervals, "_PAIRS", pairs)
    printed, rules = crowded(count)
    low, high, bottom = printed.box[:, 0], printed.box[:, 2], printed.box[:, 3]
    wall = _wall(low, high, bottom, 9.0, printed.box, rules.vertical, WIDTH)
    floor = _floor(low, high, bottom, printed.box, rules.horizontal)
    assert np.array_equal(wall, wall_of_all_pairs(low, high, bottom, 9.0, printed.box, rules.vertical, WIDTH))
    assert np.array_equal(floor, floor_of_all_pairs(low, high, bottom, printed.box, rules.horizontal))


def test_a_page_full_of_words_does_not_fill_the_memory():
    columns, lines = np.arange(0.0, WIDTH, 10.0), np.arange(0.0, HEIGHT, 8.0)
    printed = words(*(("word", (x, y, x + 4, y + 4)) for x in columns for y in lines), size=4.0)
    tracemalloc.start()
    below_labels(printed, page_rules(shapes([])), 4.0, WIDTH)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(printed) == 6_000
    assert most < 100 * 2**20
