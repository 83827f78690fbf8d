# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from acromeld.detect.acromeld.canvas import Placement
from acromeld.detect.acromeld.inputs import pad_tokens, token_boxes
from acromeld.model.batch import as_tensors
from acromeld.model.boxes import cxcywh_to_xyxy, valid_boxes, xyxy_to_cxcywh
from acromeld.model.contract import COMPACT
from acromeld.model.head_start import belief, opinions
from acromeld.model.queries import SEED_SIDE, Queries, grid_boxes
from acromeld.model.structure import StructureEncoder
from acromeld.model.visual.interface import VisualOutput
from acromeld.structure.tokens import Tokens, unavailable
from tests.model.made import TINY, random_boxes, random_tokens, sentinel


def _visual(pages: int, generator: torch.Generator) -> VisualOutput:
    boxes = torch.stack([random_boxes(TINY.visual_queries, generator) for _ in range(pages)])
    features = torch.randn(pages, TINY.visual_queries, TINY.hidden, generator=generator)
    return VisualOutput(features, boxes, torch.randn(pages, TINY.visual_queries, 3, generator=generator))


def test_mean_of_bytes_is_the_mean_over_what_is_not_padding() -> None:
    encoder = StructureEncoder(TINY)
    text = torch.zeros(1, 3, TINY.text_bytes, dtype=torch.uint8)
    text[0, 0, :3] = torch.tensor([65, 255, 65])
    text[0, 2] = 7
    mean = encoder.mean_bytes(text)
    table = encoder.byte.weight
    assert torch.allclose(mean[0, 0], (2 * table[66] + table[256]) / 3, atol=1e-6)
    assert torch.equal(mean[0, 1], torch.zeros(TINY.hidden))
    assert torch.allclose(mean[0, 2], table[8], atol=1e-6)


def test_encoder_permutes_with_its_tokens_and_ignores_padding() -> None:
    generator = torch.Generator().manual_seed(0)
    encoder = StructureEncoder(TINY).eval()
    tokens = random_tokens(2, 14, generator)
    tokens.mask[1, 10:] = False
    features = encoder(tokens)
    order = torch.randperm(14, generator=generator)
    shuffled = replace(tokens, **{name: getattr(tokens, name)[:, order] for name in vars(tokens)})
    assert torch.allclose(encoder(shuffled), features[:, order], atol=1e-5)
    alone = replace(tokens, **{name: getattr(tokens, name)[1:, :10] for name in vars(tokens)})
    assert torch.allclose(encoder(alone)[0], features[1, :10], atol=1e-5)


def test_initial_values_follow_the_equations() -> None:
    generator = torch.Generator().manual_seed(1)
    queries, visual = Queries(TINY).eval(), _visual(1, generator)
    tokens = random_tokens(1, 12, generator)
    memory = torch.randn(1, 12, TINY.hidden, generator=generator)
    made = queries(visual, tokens, memory)
    e = queries.source.weight
    q_visual = visual.features + queries.box(visual.boxes) + queries.logits(visual.logits) + e[0]
    assert torch.allclose(made.values[:, :24], q_visual, atol=1e-5)
    ranked = made.fieldness[0].clone()
    ranked[0] = -torch.inf
    best = ranked.argsort(descending=True)[:11]
    box = valid_boxes(xyxy_to_cxcywh(tokens.box[0, best]), SEED_SIDE)
    q_structure = memory[0, best] + queries.box(box) + e[1]
    assert torch.allclose(made.values[0, 24:35], q_structure, atol=1e-5)
    fallback_box = valid_boxes(queries.fallback_box.sigmoid())[11:]
    q_fallback = queries.fallback[11:] + queries.box(fallback_box) + e[1]
    assert torch.allclose(made.values[0, 35:44], q_fallback, atol=1e-5)
    q_free = queries.free + queries.box(valid_boxes(queries.free_box.sigmoid())) + e[2]
    assert torch.allclose(made.values[0, 44:], q_free, atol=1e-5)
    assert made.values.shape == (1, TINY.queries, TINY.hidden)
    assert made.boxes.shape == (1, TINY.queries, 4)


def test_page_token_and_padding_never_seed() -> None:
    generator = torch.Generator().manual_seed(2)
    tokens = random_tokens(1, 40, generator)
    tokens.mask[0, 30:] = False
    made = Queries(TINY).eval()(_visual(1, generator), tokens, torch.randn(1, 40, 32, generator=generator))
    assert made.eligible[0].tolist() == [False] + [True] * 29 + [False] * 10


def test_sentinel_page_gets_every_fallback() -> None:
    generator = torch.Generator().manual_seed(3)
    queries = Queries(TINY).eval()
    made = queries(_visual(2, generator), sentinel(2), torch.randn(2, 1, 32, generator=generator))
    assert not made.eligible.any()
    assert torch.allclose(made.boxes[1, 24:44], valid_boxes(queries.fallback_box.sigmoid()), atol=1e-6)


def test_fieldness_sees_feature_box_and_log_aspect() -> None:
    generator = torch.Generator().manual_seed(4)
    queries = Queries(TINY)
    tokens = random_tokens(1, 5, generator)
    memory = torch.randn(1, 5, 32, generator=generator)
    x0, y0, x1, y1 = tokens.box[0, 3].tolist()
    aspect = np.log(max(x1 - x0, SEED_SIDE) / max(y1 - y0, SEED_SIDE))
    row = torch.cat([memory[0, 3], tokens.box[0, 3], torch.tensor([aspect], dtype=torch.float32)])
    expected = queries.fieldness(row)[0] + belief(opinions(tokens))[0, 3]
    assert torch.allclose(queries.score(tokens, memory)[0, 3], expected, atol=1e-5)


def test_grid_boxes_cover_the_canvas() -> None:
    boxes = cxcywh_to_xyxy(grid_boxes(128))
    assert (boxes >= -1e-6).all()
    assert (boxes <= 1 + 1e-6).all()
    centre = grid_boxes(128)[:, :2]
    quarter = {(bool(x > 0.5), bool(y > 0.5)) for x, y in centre.tolist()}
    assert len(quarter) == 4
    assert len({tuple(row) for row in (centre * 1e4).round().tolist()}) == 128


def test_padding_tokens_into_a_batch() -> None:
    page = Tokens(
        kind=np.array([0, 2], np.int8),
        box=np.array([[0, 0, 1, 1], [0.25, 0.5, 0.75, 0.5]], np.float32),
        descriptor=np.ones((2, 32), np.float32),
        text=np.full((2, 48), 9, np.uint8),
        available=True,
    )
    place = Placement.of_page(600, 800, COMPACT.canvases)
    moved = [token_boxes(tokens, place) for tokens in (page, unavailable())]
    batch = as_tensors(pad_tokens([page, unavailable()], moved))
    assert batch.mask.tolist() == [[True, True], [True, False]]
    assert batch.available.tolist() == [[True, True], [False, False]]
    assert batch.kind.tolist() == [[0, 2], [0, 0]]
    scale = 736 / 600
    top = (1024 - 800 * scale) / 2
    expected = [0.25, (top + 400 * scale) / 1024, 0.75, (top + 400 * scale) / 1024]
    assert batch.box[0, 1].tolist() == pytest.approx(expected, abs=1e-5)
