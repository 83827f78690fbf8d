# SPDX-License-Identifier: Apache-2.0
"""Each term of the paper's objective against a slow reading of its sentence."""

from __future__ import annotations

import math

import pytest
import torch

from acromeld import geometry
from acromeld.model.boxes import cxcywh_to_xyxy, generalized_iou
from acromeld.model.heads import LayerOutput
from acromeld.train.fieldness import fieldness_loss, fieldness_targets
from acromeld.train.matching import Match, match_set
from acromeld.train.quality import quality_loss
from acromeld.train.relation import balanced_entropy, relation_loss, relation_pairs
from acromeld.train.set_loss import set_loss
from tests.model.made import random_boxes, random_targets, random_tokens


def _layer(pages: int, queries: int, generator: torch.Generator) -> LayerOutput:
    boxes = torch.stack([random_boxes(queries, generator, 0.4) for _ in range(pages)])
    logits = torch.randn(pages, queries, 4, generator=generator)
    return LayerOutput(logits, boxes, torch.randn(pages, queries, generator=generator))


def _bce(logit: float, goal: float) -> float:
    p = 1 / (1 + math.exp(-logit))
    return -goal * math.log(p) - (1 - goal) * math.log(1 - p)


def _ov(a: torch.Tensor, b: torch.Tensor) -> float:
    rows = [cxcywh_to_xyxy(x)[None].double().numpy() for x in (a, b)]
    return float(geometry.overlap(*rows)[0, 0])


def test_set_loss_term_by_term() -> None:
    generator = torch.Generator().manual_seed(0)
    output = _layer(3, 9, generator)
    targets = [random_targets(n, generator) for n in (4, 0, 2)]
    matches = match_set(output.logits, output.boxes, targets)
    terms = set_loss(output, targets, matches)
    weights = (1.0, 1.5, 4.0, 0.08)
    entropy = total = l1 = giou = 0.0
    for page, (target, match) in enumerate(zip(targets, matches, strict=True)):
        of = dict(zip(match.query.tolist(), match.target.tolist(), strict=True))
        for query in range(9):
            label = int(target.labels[of[query]]) if query in of else 3
            log = output.logits[page, query].log_softmax(-1)
            entropy -= weights[label] * float(log[label])
            total += weights[label]
            if query in of:
                box, wanted = output.boxes[page, query], target.boxes[of[query]]
                l1 += float((box - wanted).abs().sum())
                giou += 1 - float(generalized_iou(cxcywh_to_xyxy(box), cxcywh_to_xyxy(wanted)))
    assert float(terms["class"]) == pytest.approx(2 * entropy / total, rel=1e-4)
    assert float(terms["l1"]) == pytest.approx(5 * l1 / 6, rel=1e-4)
    assert float(terms["giou"]) == pytest.approx(2 * giou / 6, rel=1e-4)


def test_quality_learns_the_overlap_and_listens_less_to_silent_background() -> None:
    generator = torch.Generator().manual_seed(1)
    output = _layer(2, 7, generator)
    targets = [random_targets(3, generator, side=0.5), random_targets(0, generator)]
    matches = match_set(output.logits, output.boxes, targets)
    of = dict(zip(matches[0].query.tolist(), matches[0].target.tolist(), strict=True))
    total = weights = 0.0
    for page in range(2):
        for query in range(7):
            goal, weight = 0.0, float(output.logits[page, query].softmax(-1)[:3].max())
            if page == 0 and query in of:
                goal, weight = _ov(output.boxes[0, query], targets[0].boxes[of[query]]), 1.0
            total += weight * _bce(float(output.quality[page, query]), goal)
            weights += weight
    assert float(quality_loss(output, targets, matches)) == pytest.approx(total / weights, rel=1e-4)


def test_quality_target_sends_no_gradient_to_boxes_or_classes() -> None:
    generator = torch.Generator().manual_seed(2)
    base = _layer(1, 5, generator)
    output = LayerOutput(*(x.requires_grad_() for x in (base.logits, base.boxes, base.quality)))
    targets = [random_targets(2, generator)]
    match = [Match(torch.tensor([0, 1]), torch.tensor([0, 1]))]
    quality_loss(output, targets, match).backward()
    assert output.quality.grad is not None
    assert output.boxes.grad is None
    assert output.logits.grad is None


def test_relation_pairs_by_brute_force() -> None:
    generator = torch.Generator().manual_seed(3)
    boxes, targets = random_boxes(25, generator, 0.5), random_boxes(6, generator, 0.4)
    first, second, same = relation_pairs(boxes, targets)
    found = {(int(i), int(j)): bool(s) for i, j, s in zip(first, second, same, strict=True)}
    expected = {}
    corners = cxcywh_to_xyxy(boxes).double().numpy()
    shared = geometry.iou(corners, corners)
    for i in range(25):
        for j in range(i + 1, 25):
            if shared[i, j] >= 0.05 or _ov(boxes[i], boxes[j]) >= 0.3:
                expected[i, j] = any(_ov(boxes[i], t) >= 0.3 and _ov(boxes[j], t) >= 0.3 for t in targets)
    assert found == expected
    assert len(set(expected.values())) == 2


def test_relation_loss_weighs_both_kinds_of_pairs_alike() -> None:
    generator = torch.Generator().manual_seed(4)
    boxes = torch.stack([random_boxes(20, generator, 0.5) for _ in range(2)])
    targets = [random_targets(4, generator, side=0.4), random_targets(0, generator)]
    link = torch.nn.functional.normalize(torch.randn(2, 20, 32, generator=generator), dim=-1)
    entropy: dict[bool, list[float]] = {True: [], False: []}
    for page in range(2):
        for i, j, same in zip(*relation_pairs(boxes[page], targets[page].boxes), strict=True):
            logit = float(link[page, i] @ link[page, j]) / 0.1
            entropy[bool(same)].append(_bce(logit, float(same)))
    expected = sum(sum(values) / len(values) for values in entropy.values()) / 2
    assert float(relation_loss(link, boxes, targets)) == pytest.approx(expected, rel=1e-4)


def test_relation_without_pairs_or_without_one_kind() -> None:
    nothing = torch.zeros(0, requires_grad=True)
    assert float(balanced_entropy(nothing, torch.zeros(0, dtype=torch.bool)).detach()) == 0.0
    only_negative = balanced_entropy(torch.tensor([0.0, 0.0]), torch.tensor([False, False]))
    assert float(only_negative) == pytest.approx(math.log(2))


def test_fieldness_by_brute_force() -> None:
    generator = torch.Generator().manual_seed(5)
    tokens = random_tokens(2, 20, generator)
    targets = [random_targets(5, generator, side=0.6), random_targets(0, generator)]
    eligible = torch.rand(2, 20, generator=generator) < 0.7
    logits = torch.randn(2, 20, generator=generator)
    total, labels = 0.0, fieldness_targets(tokens.box, targets)
    for page in range(2):
        for token in range(20):
            x0, y0, x1, y1 = tokens.box[page, token].tolist()
            x, y = (x0 + x1) / 2, (y0 + y1) / 2
            inside = any(
                abs(x - cx) <= w / 2 and abs(y - cy) <= h / 2 for cx, cy, w, h in targets[page].boxes.tolist()
            )
            assert bool(labels[page, token]) == inside
            if eligible[page, token]:
                total += _bce(float(logits[page, token]), float(inside))
    loss = fieldness_loss(logits, eligible, tokens.box, targets)
    assert float(loss) == pytest.approx(total / int(eligible.sum()), rel=1e-4)
    assert float(fieldness_loss(logits, torch.zeros_like(eligible), tokens.box, targets)) == 0.0


def test_losses_do_not_depend_on_query_order() -> None:
    generator = torch.Generator().manual_seed(6)
    output, targets = _layer(1, 12, generator), [random_targets(5, generator)]
    order = torch.randperm(12, generator=generator)
    shuffled = LayerOutput(output.logits[:, order], output.boxes[:, order], output.quality[:, order])
    results = []
    for layer in (output, shuffled):
        terms = set_loss(layer, targets, match_set(layer.logits, layer.boxes, targets))
        results.append([float(value) for value in terms.values()])
    assert results[0] == pytest.approx(results[1], rel=1e-5)
