# SPDX-License-Identifier: Apache-2.0
"""The exact search against brute force: every point of a coarse grid through the real decoder."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.detect.candidates import PageCandidates
from acromeld.errors import AcromeldError
from acromeld.evaluate import threshold_events, threshold_search
from acromeld.evaluate.adapters import NATIVE, Comparison, compare, score_page, total
from acromeld.evaluate.bit_grid import BitCounter
from acromeld.evaluate.calibration import LINK_GRID, NMS_GRID, calibrate
from acromeld.evaluate.pages import PredictedPage
from acromeld.evaluate.threshold_events import LEVELS, page_events
from acromeld.evaluate.threshold_search import build_tables
from acromeld.fields import OperatingPoint
from tests.evaluate.made_up import corpus, digest, predicted_page, target_page

SCORES = [0.005, 0.01, 0.0105, 0.2, 0.2995, 0.3, 0.301, 0.5, 0.9, 0.99, 1.0]
COARSE = [990, 900, 500, 301, 300, 299, 200, 10]
"""The highest thresholds that tell these scores apart: nothing the 981 values can do is missing."""


@st.composite
def crowded(draw: st.DrawFn, most: int = 9) -> Comparison:
    """A few overlapping candidates of all classes over a few targets, on a small grid so that ties happen."""
    corner, side = st.integers(0, 5), st.integers(1, 5)
    boxes = st.builds(lambda x, y, w, h: [x, y, x + w, y + h], corner, corner, side, side)
    found = draw(st.lists(st.tuples(boxes, st.integers(0, 2), st.sampled_from(SCORES)), max_size=most))
    truth = draw(st.lists(st.tuples(boxes, st.integers(0, 2)), max_size=6))
    page = predicted_page([f[0] for f in found], [f[1] for f in found], [f[2] for f in found], decoded=False)
    if draw(st.booleans()):
        angles = [draw(st.integers(0, 5)) * math.pi / 3 for _ in found]
        link = np.column_stack([np.cos(angles), np.sin(angles)])
        page = replace(page, candidates=replace(page.candidates, link=link))
    page = replace(page, cap=draw(st.sampled_from([896, 896, 3, 1])))
    target = target_page([t[0] for t in truth], [t[1] for t in truth])
    (comparison,) = compare({page.key: page}, {target.key: target})
    return comparison


def _brute_force(pages: list[Comparison], nms_grid: list[float], link_grid: list[float]) -> tuple:
    best: tuple = (Fraction(-1),)
    for nms, link in itertools.product(nms_grid, link_grid):
        for levels in itertools.product(COARSE, repeat=3):
            text, choice, signature = (level / 1000 for level in levels)
            point = OperatingPoint(text=text, choice=choice, signature=signature, nms=nms, link=link)
            counts = total(score_page(page, NATIVE, point) for page in pages).counts()
            f1 = Fraction(2 * counts.matched, counts.predicted + counts.targets)
            best = max(best, (f1, levels, nms, link))
    return best


@given(st.lists(crowded(), min_size=1, max_size=2), st.sampled_from([(0.3, 0.5), (0.5, 0.95), (0.9, 1.0)]))
@settings(max_examples=40, deadline=None)
def test_one_cell_equals_brute_force_with_the_real_decoder(
    pages: list[Comparison], cell: tuple[float, float]
) -> None:
    if not any(len(page.targets) for page in pages):
        return
    found = calibrate(pages, cell[:1], cell[1:])
    assert found.selected.rank == _brute_force(pages, list(cell[:1]), list(cell[1:]))


@given(crowded())
@settings(max_examples=6, deadline=None)
def test_several_cells_equal_brute_force(page: Comparison) -> None:
    if not len(page.targets):
        return
    nms, link = [0.3, 0.7, 1.0], [0.5, 0.95]
    assert calibrate([page], nms, link).selected.rank == _brute_force([page], nms, link)


@given(crowded(most=14), st.sampled_from(NMS_GRID), st.sampled_from(LINK_GRID))
@settings(max_examples=40, deadline=None)
def test_events_give_the_decoders_counts_at_every_threshold(
    page: Comparison, nms: float, link: float
) -> None:
    tables = build_tables(page_events(page, min(NMS_GRID), min(LINK_GRID)).at(nms, link))
    for levels in itertools.product((990, 900, 500, 300, 10), repeat=3):
        text, choice, signature = (level / 1000 for level in levels)
        point = OperatingPoint(text=text, choice=choice, signature=signature, nms=nms, link=link)
        counts = score_page(page, NATIVE, point).counts()
        a, b, c = (level - 10 for level in levels)
        assert tables.counts(tables.nearest((a, b, c))) == (counts.matched, counts.predicted)


@given(
    st.lists(
        st.tuples(*[st.integers(-1, 9)] * 3, st.integers(-2, 3), st.integers(-2, 3)), min_size=1, max_size=40
    ),
    st.sampled_from([1, 2, 3]),
)
@settings(max_examples=60, deadline=None)
def test_the_search_equals_enumeration_for_any_events_and_block_size(
    events: list[tuple[int, ...]], block: int
) -> None:
    targets = 200
    rows = np.array([row for row in events if max(row[:3]) >= 0], dtype=np.int64).reshape(-1, 5)
    best: tuple = (Fraction(-1000),)
    for levels in itertools.product([*range(10), 980], repeat=3):
        active = ((rows[:, :3] == -1) | (rows[:, :3] >= levels)).all(axis=1)
        matched, predicted = rows[active, 3:].sum(axis=0).tolist()
        best = max(best, (Fraction(2 * matched, predicted + targets), levels, matched, predicted))
    with mock.patch.object(threshold_search, "_BLOCK", block):
        found = threshold_search.maximise_f1(build_tables(rows), targets, start=(3, 4, 5))
    assert (found.levels, found.matched, found.predicted) == best[1:]


def test_classes_couple_and_the_search_knows() -> None:
    """A confident text box hides a correct choice box; only a high text threshold sets it free."""
    box = [[0.0, 0.0, 10.0, 10.0]] * 2
    page = predicted_page(box, [0, 1], [0.6, 0.5], decoded=False)
    truth = target_page(box[:1], [1])
    found = calibrate(compare({page.key: page}, {truth.key: truth}))
    assert found.selected.thresholds == (990, 500, 990)
    assert found.selected.counts.f1 == 1.0
    assert (found.selected.nms, found.selected.link) == (1.0, 1.0)
    assert found.tied == 48


def test_ties_prefer_text_then_choice_then_least_suppression() -> None:
    page = predicted_page([[0.0, 0.0, 10.0, 10.0]], [2], [0.4567], decoded=False)
    truth = target_page([[0.0, 0.0, 10.0, 10.0]], [2])
    found = calibrate(compare({page.key: page}, {truth.key: truth}))
    assert found.selected.thresholds == (990, 990, 456)


def _plausible(seed: int, **kwargs: object) -> list[Comparison]:
    predicted, targets = corpus(seed, links=True, decoded=False, **kwargs)  # type: ignore[arg-type]
    return compare(predicted, targets)


@pytest.mark.parametrize("seed", range(3))
def test_no_neighbouring_or_random_point_beats_the_selected_one(seed: int) -> None:
    pages = _plausible(seed)
    found = calibrate(pages, (0.5, 0.9), (0.5, 0.95))
    rng = np.random.default_rng(seed)
    own = np.array(found.selected.thresholds)
    for _ in range(60):
        near = np.clip(own + rng.integers(-40, 41, 3), 10, 990)
        levels = near if rng.random() < 0.7 else rng.integers(10, 991, 3)
        text, choice, signature = (int(level) / 1000 for level in levels)
        nms, link = float(rng.choice([0.5, 0.9])), float(rng.choice([0.5, 0.95]))
        point = OperatingPoint(text=text, choice=choice, signature=signature, nms=nms, link=link)
        counts = total(score_page(page, NATIVE, point) for page in pages).counts()
        rival = Fraction(2 * counts.matched, counts.predicted + counts.targets)
        key = (rival, tuple(int(level) for level in levels), nms, link)
        assert key <= found.selected.rank


def test_without_links_the_link_cells_coincide() -> None:
    predicted, targets = corpus(1, decoded=False)
    found = calibrate(compare(predicted, targets))
    for nms in NMS_GRID:
        row = [cell for cell in found.cells if cell.nms == nms]
        assert len({(cell.thresholds, cell.counts) for cell in row}) == 1
    assert found.selected.link == 1.0


def test_prediction_lines_are_only_filtered() -> None:
    predicted, targets = corpus(2)
    found = calibrate(compare(predicted, targets))
    assert found.tied == 48
    assert (found.selected.nms, found.selected.link) == (1.0, 1.0)


def test_the_record_is_complete() -> None:
    found = calibrate(_plausible(3), (0.9, 0.5), (0.5,)).as_dict()
    assert len(found["cells"]) == 2
    assert found["point"].keys() == {"text", "choice", "signature", "nms", "link"}
    assert found["native"]["f1"] == max(cell["f1"] for cell in found["cells"])


def test_calibration_without_targets_is_refused() -> None:
    page = PredictedPage(digest(0), 0, 10.0, 10.0, PageCandidates.empty())
    truth = target_page([], [])
    with pytest.raises(AcromeldError, match="at least one page"):
        calibrate(compare({page.key: page}, {truth.key: truth}))


@given(st.floats(0.0, 1.0))
def test_a_level_is_the_highest_threshold_a_score_reaches(score: float) -> None:
    level = int(threshold_events.level_of(np.array([score]))[0])
    reached = [index for index, value in enumerate(LEVELS.tolist()) if score >= value / 1000]
    assert level == (reached[-1] if reached else -1)


@given(st.lists(st.integers(0, 2**20 - 1), max_size=40), st.integers(0, 40))
def test_the_bit_counter_counts(rows: list[int], wanted: int) -> None:
    counter = BitCounter()
    for bits in rows:
        counter.add(bits)
    expected = [sum(bits >> place & 1 for bits in rows) for place in range(20)]
    assert counter.values(20).tolist() == expected
    equal = counter.equals(wanted, 2**20 - 1)
    assert [equal >> place & 1 for place in range(20)] == [int(value == wanted) for value in expected]
