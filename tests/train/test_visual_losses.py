# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
import torch

from acromeld.model.boxes import cxcywh_to_xyxy, iou
from acromeld.model.visual.distribution import bin_values, box_offsets
from acromeld.model.visual.interface import DenseNative, EcdetNative, HeadOutput
from acromeld.train.dense_loss import assign_cells, candidate_cells, dense_loss
from acromeld.train.matching import Match
from acromeld.train.visual_loss import ddf_loss, ecdet_loss, fgl_loss, mal_loss
from tests.model.made import random_boxes, random_targets

UP, SCALE = torch.tensor([0.5]), torch.tensor([4.0])


def _head(queries: int, generator: torch.Generator, classes: int = 3) -> HeadOutput:
    return HeadOutput(
        torch.randn(1, queries, classes, generator=generator),
        random_boxes(queries, generator, 0.5)[None],
        torch.randn(1, queries, 132, generator=generator),
        random_boxes(queries, generator, 0.5)[None],
    )


def _shared(head: HeadOutput, query: int, target: torch.Tensor) -> float:
    return float(iou(cxcywh_to_xyxy(head.boxes[0, query]), cxcywh_to_xyxy(target)))


PAIRS = [(1, 2), (4, 0), (5, 1)]
MATCH = [Match(torch.tensor([q for q, _ in PAIRS]), torch.tensor([t for _, t in PAIRS]))]


@pytest.mark.parametrize("agnostic", [False, True])
def test_mal_entry_by_entry(agnostic: bool) -> None:
    generator = torch.Generator().manual_seed(0)
    head, page = _head(6, generator, 1 if agnostic else 3), random_targets(3, generator, side=0.5)
    expected, of = 0.0, dict(PAIRS)
    for query in range(6):
        for kind in range(head.logits.shape[-1]):
            p = head.logits[0, query, kind].sigmoid()
            label = 0 if agnostic else int(page.labels[of[query]]) if query in of else -1
            if query in of and kind == label:
                goal = _shared(head, query, page.boxes[of[query]]) ** 1.5
                expected += float(-goal * p.log() - (1 - goal) * (1 - p).log())
            else:
                expected += float(-(p**1.5) * (1 - p).log())
    assert float(mal_loss(head, [page], MATCH, 3, agnostic=agnostic)) == pytest.approx(expected / 3, rel=1e-4)


def test_fgl_side_by_side() -> None:
    generator = torch.Generator().manual_seed(1)
    head, page = _head(6, generator), random_targets(3, generator, side=0.5)
    assert head.corners is not None
    assert head.anchors is not None
    values, expected = bin_values(UP, SCALE).tolist(), 0.0
    for query, target in PAIRS:
        offsets = box_offsets(head.anchors[0, query], page.boxes[target], SCALE).tolist()
        for side, offset in enumerate(offsets):
            log = head.corners[0, query, 33 * side : 33 * side + 33].log_softmax(-1).tolist()
            offset = min(max(offset, -4.0), 4.0)
            left = max(i for i in range(32) if values[i] <= offset)
            share = (offset - values[left]) / (values[left + 1] - values[left])
            loss = -(1 - share) * log[left] - share * log[left + 1]
            expected += _shared(head, query, page.boxes[target]) * loss
    assert float(fgl_loss(head, [page], MATCH)) == pytest.approx(expected / 3, rel=1e-3)


def test_ddf_query_by_query() -> None:
    generator = torch.Generator().manual_seed(2)
    head, teacher, page = _head(6, generator), _head(6, generator), random_targets(3, generator, side=0.5)
    assert head.corners is not None
    assert teacher.corners is not None
    groups: dict[bool, list[float]] = {True: [], False: []}
    of = dict(PAIRS)
    for query in range(6):
        weight = float(teacher.logits[0, query].sigmoid().max())
        if query in of:
            weight = _shared(head, query, page.boxes[of[query]])
        for side in range(4):
            part = slice(33 * side, 33 * side + 33)
            p = (teacher.corners[0, query, part] / 5).softmax(-1)
            q = (head.corners[0, query, part] / 5).softmax(-1)
            groups[query in of].append(25 * weight * float((p * (p / q).log()).sum()))
    roots = {kind: len(values) ** 0.5 for kind, values in groups.items()}
    means = {kind: sum(values) / len(values) for kind, values in groups.items()}
    expected = sum(means[k] * roots[k] for k in groups) / sum(roots.values())
    assert float(ddf_loss(head, teacher, [page], MATCH)) == pytest.approx(expected, rel=1e-3)
    assert float(ddf_loss(head, head, [page], MATCH)) == pytest.approx(0.0, abs=1e-5)


def test_criterion_survives_pages_without_targets_and_more_targets_than_queries() -> None:
    generator = torch.Generator().manual_seed(3)
    heads = tuple(_head(6, generator) for _ in range(4))
    encoder = HeadOutput(torch.randn(1, 6, 1), random_boxes(6, generator)[None])
    native = EcdetNative(heads, heads[0], encoder)
    for count in (0, 3, 20):
        terms = ecdet_loss(native, [random_targets(count, generator)])
        assert set(terms) == {"mal", "l1", "giou", "fgl", "ddf"}
        assert all(value.isfinite() for value in terms.values())


def test_candidate_cells_surround_the_centre_on_both_maps() -> None:
    cells = candidate_cells(torch.tensor([[0.55, 0.30], [0.0, 0.99]]), ((10, 8), (5, 4)))
    fine = {row * 8 + column for row in (2, 3, 4) for column in (3, 4, 5)}
    coarse = {80 + row * 4 + column for row in (0, 1, 2) for column in (1, 2, 3)}
    assert set(cells[0].tolist()) == fine | coarse
    assert set(cells[1].tolist()) == {64, 65, 72, 73, 92, 93, 96, 97}


def test_cells_teach_one_target_each_and_every_target_is_taught() -> None:
    generator = torch.Generator().manual_seed(4)
    page = random_targets(12, generator)
    logits, boxes = torch.randn(100, 3, generator=generator), random_boxes(100, generator, 0.4)
    chosen = assign_cells(logits, boxes, page, ((10, 8), (5, 4)))
    assert len(set(chosen.cell.tolist())) == len(chosen.cell)
    cells = candidate_cells(page.boxes[:, :2], ((10, 8), (5, 4)))
    for cell, target in zip(chosen.cell.tolist(), chosen.target.tolist(), strict=True):
        assert cell in cells[target].tolist()
    assert ((chosen.score >= 0) & (chosen.score <= 1)).all()
    assert len(set(chosen.target.tolist())) >= 10


def test_perfect_cells_cost_almost_nothing() -> None:
    generator = torch.Generator().manual_seed(5)
    page = random_targets(1, generator)
    cells = candidate_cells(page.boxes[:, :2], ((10, 8), (5, 4)))[0]
    logits, boxes = torch.full((1, 100, 3), -20.0), random_boxes(100, generator)[None]
    boxes[0, cells] = page.boxes
    logits[0, cells, page.labels] = 20.0
    good = dense_loss(DenseNative(logits, boxes, ((10, 8), (5, 4))), [page])
    assert float(good["giou"]) == pytest.approx(0.0, abs=1e-4)
    assert float(good["shape"]) == pytest.approx(0.0, abs=1e-4)
    empty = dense_loss(DenseNative(logits, boxes, ((10, 8), (5, 4))), [random_targets(0, generator)])
    assert set(empty) == {"score"}
    assert float(empty["score"]) > 100
