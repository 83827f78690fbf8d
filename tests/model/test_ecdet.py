# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from acromeld.model.visual.backbone import RotaryPositions, rotate
from acromeld.model.visual.decoder import cell_anchors
from acromeld.model.visual.deformable import POINTS, DeformableAttention
from acromeld.model.visual.denoising import denoising_queries
from acromeld.model.visual.distribution import (
    bin_values,
    box_offsets,
    expected_offsets,
    offset_boxes,
    two_bins,
)
from acromeld.model.visual.ecdet import EcdetL
from acromeld.model.visual.encoder import sine_positions
from tests.model.made import random_boxes, random_targets

UP, SCALE = torch.tensor([0.5]), torch.tensor([4.0])


def test_bins_are_the_published_ones() -> None:
    r = 3 ** (1 / 15)
    expected = [-4.0, *(1 - r**i for i in range(15, 0, -1)), 0.0, *(r**i - 1 for i in range(1, 16)), 4.0]
    assert bin_values(UP, SCALE).tolist() == pytest.approx(expected, abs=1e-5)


def test_offsets_and_boxes_undo_each_other() -> None:
    generator = torch.Generator().manual_seed(0)
    anchors, boxes = random_boxes(30, generator), random_boxes(30, generator)
    offsets = box_offsets(anchors, boxes, SCALE)
    assert torch.allclose(offset_boxes(anchors, offsets, SCALE), boxes, atol=1e-5)
    assert torch.allclose(offset_boxes(anchors, torch.zeros(30, 4), SCALE), anchors, atol=1e-6)


def test_two_bins_mix_to_the_offset() -> None:
    values = bin_values(UP, SCALE)
    offsets = torch.linspace(-6, 6, 200)
    left, share = two_bins(offsets, values)
    mixed = values[left] * (1 - share) + values[left + 1] * share
    assert torch.allclose(mixed, offsets.clamp(-4, 4), atol=1e-5)
    sharp = F.one_hot(torch.tensor([3, 16, 20, 32]), 33).float().flatten() * 100
    assert torch.allclose(expected_offsets(sharp, values), values[[3, 16, 20, 32]], atol=1e-4)


def test_rotation_keeps_length_and_depends_on_relative_position_only() -> None:
    generator = torch.Generator().manual_seed(1)
    cos, sin = RotaryPositions()(4, 6)
    assert cos.shape == (24, 64)
    q, k = torch.randn(2, 1, 1, 1, 64, generator=generator)
    turned_q, turned_k = (
        rotate(q.expand(1, 1, 24, 64), cos, sin)[0, 0],
        rotate(k.expand(1, 1, 24, 64), cos, sin)[0, 0],
    )
    assert torch.allclose(turned_q.norm(dim=-1), q.norm().expand(24), atol=1e-4)
    same_step = [(0, 8), (1, 9), (7, 15), (15, 23)]
    dots = [float(turned_q[a] @ turned_k[b]) for a, b in same_step]
    assert dots == pytest.approx([dots[0]] * 4, abs=1e-3)
    y, x = -1 + 2 * 1.5 / 4, -1 + 2 * 2.5 / 6
    assert float(cos[8, 0]) == pytest.approx(math.cos(2 * math.pi * y), abs=1e-5)
    assert float(sin[8, 17]) == pytest.approx(math.sin(2 * math.pi * x / 100 ** (2 / 32)), abs=1e-5)


def test_sine_positions_cell_by_cell() -> None:
    table = sine_positions(3, 5, torch.zeros(1))
    assert table.shape == (15, 256)
    for row in range(3):
        for column in range(5):
            frequency = 10000 ** (-7 / 64)
            cell = table[row * 5 + column]
            expected = [math.sin(row * frequency), math.cos(row * frequency)]
            expected += [math.sin(column * frequency), math.cos(column * frequency)]
            assert cell[[7, 71, 135, 199]].tolist() == pytest.approx(expected, abs=1e-5)


def test_anchors_at_the_border_are_unusable() -> None:
    logits, usable = cell_anchors([(160, 90)], torch.zeros(1))
    assert logits.shape == (160 * 90, 4)
    assert usable[0] == 0
    inner = 80 * 90 + 45
    assert usable[inner] == 1
    box = logits[inner].sigmoid().tolist()
    assert box == pytest.approx([45.5 / 90, 80.5 / 160, 0.05, 0.05], abs=1e-5)
    assert torch.equal(logits[0].sigmoid(), torch.ones(4))


def test_deformable_attention_point_by_point() -> None:
    generator = torch.Generator().manual_seed(2)
    layer = DeformableAttention()
    torch.nn.init.normal_(layer.attention_weights.weight, std=0.1)
    torch.nn.init.normal_(layer.sampling_offsets.weight, std=0.1)
    levels = [torch.randn(1, 256, size, size - 1, generator=generator) for size in (8, 4, 3)]
    query = torch.randn(1, 2, 256, generator=generator)
    boxes = random_boxes(2, generator)[None]
    result = layer(query, boxes, levels)
    offsets = layer.sampling_offsets(query).view(2, 8, 12, 2)
    weights = layer.attention_weights(query).view(2, 8, 12).softmax(-1)
    for q in range(2):
        for head in range(8):
            total = torch.zeros(32)
            for p in range(12):
                level = (p >= 3) + (p >= 9)
                point = boxes[0, q, :2] + offsets[q, head, p] / POINTS[level] * boxes[0, q, 2:] * 0.5
                map_ = levels[level][:, 32 * head : 32 * head + 32]
                value = F.grid_sample(map_, (2 * point - 1).view(1, 1, 1, 2), align_corners=False)
                total += weights[q, head, p] * value.view(32)
            assert torch.allclose(result[0, q, 32 * head : 32 * head + 32], total, atol=1e-4)


def test_denoising_groups_positions_and_visibility() -> None:
    torch.manual_seed(3)
    generator = torch.Generator().manual_seed(3)
    targets = [random_targets(n, generator) for n in (5, 0, 12)]
    embedding = torch.nn.Embedding(4, 256, padding_idx=3)
    noise = denoising_queries(targets, embedding, queries=7, budget=100)
    assert noise is not None
    assert noise.plan.groups == 8
    assert noise.content.shape == (3, 2 * 12 * 8, 256)
    assert [len(rows) for rows in noise.plan.positive] == [40, 0, 96]
    boxes = noise.reference.sigmoid()
    rows, which = noise.plan.positive[2], noise.plan.target[2]
    half = targets[2].boxes[which][:, 2:] / 2
    low = boxes[2, rows][:, :2] - boxes[2, rows][:, 2:] / 2
    wanted = targets[2].boxes[which][:, :2] - half
    assert ((low - wanted).abs() <= half + 1e-4).all()
    real = 2 * 12 * 8
    assert noise.mask[real:, :real].all()
    assert not noise.mask[real:, real:].any()
    assert not noise.mask[:real, real:].any()
    assert not noise.mask[:24, :24].any()
    assert noise.mask[:24, 24:real].all()
    assert denoising_queries([targets[1]], embedding, 7, 100) is None


def test_ecdet_forward_at_both_orientations_and_denoising_leaves_real_queries_alone() -> None:
    torch.manual_seed(4)
    model = EcdetL(3, 60, 20)
    images = torch.rand(1, 3, 128, 96)
    targets = [random_targets(6, torch.Generator().manual_seed(4))]
    model.eval()
    with torch.no_grad():
        plain = model(images)
        assert plain.features.shape == (1, 60, 256)
        assert model(images.transpose(-1, -2)).boxes.shape == (1, 60, 4)
        levels = model.encoder(model.backbone(images))
        features, last, native = model.decoder(levels, targets)
    assert torch.allclose(features, plain.features, atol=1e-4)
    assert len(native.denoising_layers) == 4
    assert native.denoising_layers[0].logits.shape == (1, 2 * 6 * 3, 3)
    assert last.corners is not None


def test_ecdet_refuses_a_canvas_with_fewer_cells_than_queries() -> None:
    with pytest.raises(ValueError, match="fewer than 384"), torch.no_grad():
        EcdetL(3, 384, 100).eval()(torch.rand(1, 3, 64, 64))
