# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import NOBODY, Fate, decode, raw_point, to_page_fields
from acromeld.fields import FieldKind, OperatingPoint, PageRef

SCORES = [0.0, 0.005, 0.01, 0.0100001, 0.2, 0.3, 0.5, 0.769, 0.9, 1.0]
LEVELS = [0.01, 0.05, 0.2, 0.3, 0.5, 0.769, 0.99]


@st.composite
def pages(draw: st.DrawFn, most: int = 12) -> PageCandidates:
    """Small crowded pages: integer boxes on a 12-point grid and repeated scores make ties common."""
    count = draw(st.integers(0, most))
    corner, side = st.integers(0, 8), st.integers(0, 6)
    boxes = []
    for _ in range(count):
        x, y, width, height = draw(corner), draw(corner), draw(side), draw(side)
        boxes.append([x, y, x + width, y + height])
    kinds = draw(st.lists(st.integers(0, 2), min_size=count, max_size=count))
    scores = draw(st.lists(st.sampled_from(SCORES), min_size=count, max_size=count))
    link = None
    if draw(st.booleans()):
        angles = np.array(draw(st.lists(st.integers(0, 11), min_size=count, max_size=count))) * math.pi / 6
        link = np.column_stack([np.cos(angles), np.sin(angles)])
    return PageCandidates(
        box=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        kind=np.array(kinds, dtype=np.int64),
        score=np.array(scores, dtype=np.float64),
        origin=("free",) * count,
        link=link,
    )


points = st.builds(
    OperatingPoint,
    text=st.sampled_from(LEVELS),
    choice=st.sampled_from(LEVELS),
    signature=st.sampled_from(LEVELS),
    nms=st.sampled_from([0.0, 0.3, 0.5, 0.9, 1.0]),
    link=st.sampled_from([0.0, 0.5, 0.95, 1.0]),
)


def _pair(a: list[float], b: list[float]) -> tuple[float, float]:
    """IoU and containment overlap of two boxes, by hand."""
    width = max(0.0, min(a[2], b[2]) - max(a[0], b[0]))
    height = max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    shared = width * height
    area_a, area_b = (a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])
    union, smaller = area_a + area_b - shared, min(area_a, area_b)
    iou = shared / union if union > 0 else 0.0
    return iou, max(iou, shared / smaller if smaller > 0 else 0.0)


def _slow(page: PageCandidates, point: OperatingPoint, cap: int) -> list[tuple[Fate, int]]:
    """The paper's sentences, one candidate at a time."""
    outcome: list[tuple[Fate, int]] = [(Fate.KEPT, NOBODY)] * len(page)
    kept: list[int] = []
    for i in sorted(range(len(page)), key=lambda i: (-page.score[i], i)):
        threshold = point.thresholds()[page.kind[i]]
        if page.score[i] < 0.01:
            outcome[i] = (Fate.BELOW_FLOOR, NOBODY)
            continue
        if page.score[i] < threshold:
            outcome[i] = (Fate.BELOW_THRESHOLD, NOBODY)
            continue
        for k in kept:
            iou, ov = _pair(list(page.box[i]), list(page.box[k]))
            if iou >= point.nms:
                outcome[i] = (Fate.SUPPRESSED_NMS, k)
                break
            if page.link is not None and (iou >= 0.05 or ov >= 0.3):
                product = page.link[i] * page.link[k]
                if 1.0 / (1.0 + np.exp(-product.sum() / 0.1)) >= point.link:
                    outcome[i] = (Fate.SUPPRESSED_LINK, k)
                    break
        else:
            if len(kept) == cap:
                outcome[i] = (Fate.OVER_CAP, NOBODY)
            else:
                kept.append(i)
    return outcome


@given(pages(), points, st.sampled_from([1, 2, 4, 896]))
@settings(max_examples=400, deadline=None)
def test_decode_equals_the_obvious_decoder(page: PageCandidates, point: OperatingPoint, cap: int) -> None:
    decoded = decode(page, point, cap=cap)
    expected = _slow(page, point, cap)
    found = [(Fate(fate), int(by)) for fate, by in zip(decoded.fate, decoded.suppressed_by, strict=True)]
    assert found == expected
    in_order = sorted(range(len(page)), key=lambda i: (-page.score[i], i))
    assert decoded.kept.tolist() == [i for i in in_order if expected[i][0] is Fate.KEPT]


def _two(second: list[float], link: list[list[float]] | None = None) -> PageCandidates:
    return PageCandidates(
        box=np.array([[0.0, 0.0, 10.0, 10.0], second]),
        kind=np.array([0, 1]),
        score=np.array([0.9, 0.8]),
        origin=("visual", "structure"),
        link=None if link is None else np.array(link),
    )


def test_suppression_is_inclusive_and_ignores_class() -> None:
    half = _two([0.0, 0.0, 5.0, 10.0])
    assert decode(half, OperatingPoint(nms=0.5)).fate.tolist() == [Fate.KEPT, Fate.SUPPRESSED_NMS]
    assert decode(half, OperatingPoint(nms=0.51)).fate.tolist() == [Fate.KEPT, Fate.KEPT]


def test_identical_boxes_go_even_at_the_least_aggressive_corner() -> None:
    same = _two([0.0, 0.0, 10.0, 10.0])
    assert decode(same, OperatingPoint(nms=1.0, link=1.0)).fate.tolist() == [Fate.KEPT, Fate.SUPPRESSED_NMS]


def test_a_link_needs_the_spatial_gate() -> None:
    alike = [[1.0, 0.0], [1.0, 0.0]]
    point = OperatingPoint(nms=1.0, link=0.95)
    assert decode(_two([2.0, 2.0, 3.0, 3.0], alike), point).fate[1] == Fate.SUPPRESSED_LINK
    assert decode(_two([50.0, 50.0, 60.0, 60.0], alike), point).fate[1] == Fate.KEPT
    assert decode(_two([2.0, 2.0, 3.0, 3.0]), point).fate[1] == Fate.KEPT


def test_a_candidate_below_its_threshold_suppresses_nobody() -> None:
    page = _two([0.0, 0.0, 9.0, 10.0])
    point = OperatingPoint(text=0.95, choice=0.3, nms=0.5)
    assert decode(page, point).fate.tolist() == [Fate.BELOW_THRESHOLD, Fate.KEPT]


def test_a_score_that_is_not_a_number_is_discarded() -> None:
    page = PageCandidates(np.array([[0.0, 0.0, 9.0, 9.0]]), np.array([0]), np.array([np.nan]), ("free",))
    assert decode(page, OperatingPoint()).fate.tolist() == [Fate.BELOW_FLOOR]


def test_raw_point_keeps_suppression_and_drops_thresholds() -> None:
    raw = raw_point(OperatingPoint(text=0.7, choice=0.8, signature=0.9, nms=0.85, link=0.65))
    assert raw.thresholds() == (0.01, 0.01, 0.01)
    assert (raw.nms, raw.link) == (0.85, 0.65)


def test_page_fields_carry_origin_quality_ids_and_rounded_boxes() -> None:
    page = PageCandidates(
        box=np.array([[1.23456, 2.0, 30.0, 12.0], [40.0, 2.0, 40.001, 12.0]]),
        kind=np.array([2, 0]),
        score=np.array([0.7689999, 0.9]),
        origin=("free", "visual"),
        quality=np.array([0.51239, 0.5]),
    )
    decoded = decode(page, OperatingPoint())
    fields = to_page_fields(PageRef(index=3, width=612, height=792), page, decoded, ("scanned",))
    assert [field.id for field in fields.fields] == ["p4-1"]
    (only,) = fields.fields
    assert only.kind is FieldKind.SIGNATURE
    assert only.box == (1.23, 2.0, 30.0, 12.0)
    assert only.origin == "free"
    assert only.quality == pytest.approx(0.5124)
    assert only.score == 0.768999
    assert fields.notes == ("scanned", "detected boxes without area, left out: 1")


@given(st.integers(10, 990), st.sampled_from([-1e-7, -1e-12, 0.0, 1e-12, 1e-7, 4e-4]))
def test_rounding_a_score_never_moves_it_across_a_threshold(level: int, shift: float) -> None:
    threshold = level / 1000
    page = PageCandidates(
        box=np.array([[0.0, 0.0, 9.0, 9.0]]),
        kind=np.array([0]),
        score=np.array([max(threshold + shift, 0.01)]),
        origin=("free",),
    )
    decoded = decode(page, raw_point(OperatingPoint()))
    written = to_page_fields(PageRef(index=0, width=612, height=792), page, decoded).fields[0].score
    assert (written >= threshold) == (page.score[0] >= threshold)
