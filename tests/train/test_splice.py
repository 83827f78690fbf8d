# SPDX-License-Identifier: Apache-2.0
"""Two training pages in one: everything above the cut is of the first, everything below of the second."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acromeld.corpus.roles import Role
from acromeld.train.data.augment import Augmentation
from acromeld.train.data.loader import Lessons, Recipe
from acromeld.train.data.sampler import Visit
from acromeld.train.data.splice import HEIGHTS, spliced
from acromeld.train.engine.plan import PAPER
from tests.train.made_up import SMALL, made_cache, made_record, made_tokens

SIZE = (600.0, 800.0)


def page(rows, grey, label):
    """A page of one grey with a field as wide as the page at each of the given heights, 20 points high."""
    boxes = np.array([(0.0, y, SIZE[0], y + 20.0) for y in rows], dtype=np.float32).reshape(-1, 4)
    tokens = made_tokens(boxes / np.float32([*SIZE, *SIZE]), SMALL, np.random.default_rng(grey))
    return replace(
        made_record(1),
        raster=np.full((1, 96, 64), grey, dtype=np.uint8),
        size=SIZE,
        boxes=boxes,
        labels=np.full(len(boxes), label, dtype=np.int64),
        own=tokens,
        inferred=tokens,
    )


@pytest.mark.parametrize("seed", range(12))
def test_picture_fields_and_tokens_change_at_one_height(seed):
    upper, lower = page(range(10, 780, 60), 10, 0), page(range(40, 780, 60), 200, 1)
    both = spliced(upper, lower, np.random.default_rng(seed))
    row = int((both.raster[0, :, 0] == 10).sum())
    assert (both.raster[0, :row] == 10).all()
    assert (both.raster[0, row:] == 200).all()
    height = row / 96 * SIZE[1]
    assert HEIGHTS[0] * SIZE[1] - 9 <= height <= HEIGHTS[1] * SIZE[1] + 9
    pixel = SIZE[1] / 96
    assert (both.boxes[both.labels == 0, 3] <= height + pixel).all()
    assert (both.boxes[both.labels == 1, 1] >= height - pixel).all()
    assert {0, 1} == set(both.labels.tolist())
    assert both.own.box[1:] * (SIZE * 2) == pytest.approx(both.boxes, abs=1e-3)


def test_a_page_that_would_lose_a_field_stays_whole():
    covered = page([], 10, 0)
    covered = replace(covered, boxes=np.float32([[0, 100, 600, 700]]), labels=np.int64([0]))
    assert spliced(covered, page([10], 200, 1), np.random.default_rng(0)) is covered


def test_pages_of_another_size_or_without_structure_are_not_mixed():
    upper, lower = page([10], 10, 0), page([10], 200, 1)
    rng = np.random.default_rng(0)
    assert spliced(upper, replace(lower, size=(600.0, 900.0)), rng) is upper
    blind = replace(lower.own, available=False)
    assert spliced(upper, replace(lower, own=blind), rng) is upper


def test_a_visit_is_spliced_alike_every_time_and_only_where_the_plan_says_so(tmp_path):
    cache = made_cache(tmp_path / "pages", documents=13, development=3)
    always = Lessons(cache, SMALL.canvases, Recipe(7, Augmentation(splice=1.0)), [], range(len(cache)))
    never = Lessons(cache, SMALL.canvases, Recipe(7, Augmentation()), [], range(len(cache)))
    visits = [Visit(1, 0, number) for number in range(10)]
    shown = [always.lesson(visit)[0] for visit in visits]
    for visit, inputs in zip(visits, shown, strict=True):
        assert (always.lesson(visit)[0].image == inputs.image).all()
    assert any(
        len(never.lesson(visit)[0].tokens) != len(inputs.tokens)
        or (never.lesson(visit)[0].image != inputs.image).any()
        for visit, inputs in zip(visits, shown, strict=True)
    )


def test_a_page_is_spliced_with_partners_only(tmp_path, monkeypatch):
    cache = made_cache(tmp_path / "pages", documents=13, development=3)
    read, rows = [], cache.rows(Role.TRAIN_REAL)
    whole = cache.read
    monkeypatch.setattr(cache, "read", lambda row, **how: read.append(row) or whole(row, **how))
    lessons = Lessons(cache, SMALL.canvases, Recipe(7, Augmentation(splice=1.0)), [], rows[:4])
    for number in range(40):
        lessons.lesson(Visit(rows[5], 0, number))
    assert set(read[1::2]) <= set(rows[:4])
    assert len(read) == 80


def test_the_papers_plan_does_not_know_of_it():
    assert "splice" not in PAPER.canonical()
