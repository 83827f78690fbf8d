# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from acromeld.model.acromeld import AcroMeld
from acromeld.model.heads import LayerOutput, link_logits, scores
from acromeld.model.visual.dense import cell_boxes
from acromeld.model.visual.glimpse import SIDES, glimpse
from tests.model.made import SMALL_CANVAS, TINY, random_batch, random_tokens, sentinel


@pytest.fixture(scope="module")
def model() -> AcroMeld:
    torch.manual_seed(0)
    return AcroMeld(TINY).eval()


def test_shapes_and_validity(model: AcroMeld) -> None:
    batch = random_batch((3, 0), torch.Generator().manual_seed(0))
    with torch.no_grad():
        output = model(batch.images, batch.tokens)
    assert len(output.layers) == TINY.graph_depth
    for layer in output.layers:
        assert layer.logits.shape == (2, TINY.queries, 4)
        assert layer.quality.shape == (2, TINY.queries)
        corners = torch.cat([layer.boxes[..., :2] - layer.boxes[..., 2:] / 2, layer.boxes[..., :2]], dim=-1)
        assert (corners > -1e-6).all()
    assert output.link.shape == (2, TINY.queries, 32)
    assert torch.allclose(output.link.norm(dim=-1), torch.ones(2, TINY.queries), atol=1e-5)


def test_pages_of_a_mixed_batch_do_not_influence_each_other(model: AcroMeld) -> None:
    generator = torch.Generator().manual_seed(1)
    images = torch.rand(2, 1, *SMALL_CANVAS, generator=generator)
    tokens = random_tokens(2, 25, generator)
    lone = sentinel(1)
    for name in vars(tokens):
        getattr(tokens, name)[1] = 0
        getattr(tokens, name)[1, :1] = getattr(lone, name)[0]
    with torch.no_grad():
        together = model(images, tokens)
        alone = model(images[1:], lone)
        first = model(images[:1], replace(tokens, **{n: getattr(tokens, n)[:1] for n in vars(tokens)}))
    assert torch.allclose(together.final.boxes[1], alone.final.boxes[0], atol=1e-4)
    assert torch.allclose(together.final.logits[1], alone.final.logits[0], atol=1e-4)
    assert torch.allclose(together.final.logits[0], first.final.logits[0], atol=1e-4)


def test_token_order_does_not_matter(model: AcroMeld) -> None:
    generator = torch.Generator().manual_seed(2)
    images, tokens = torch.rand(1, 1, *SMALL_CANVAS, generator=generator), random_tokens(1, 15, generator)
    order = torch.cat([torch.zeros(1, dtype=torch.int64), 1 + torch.randperm(14, generator=generator)])
    shuffled = replace(tokens, **{name: getattr(tokens, name)[:, order] for name in vars(tokens)})
    with torch.no_grad():
        a, b = model(images, tokens), model(images, shuffled)
    assert torch.allclose(a.final.boxes, b.final.boxes, atol=1e-4)
    assert torch.allclose(a.link, b.link, atol=1e-4)


def test_unavailable_structure_is_a_path_of_its_own(model: AcroMeld) -> None:
    generator = torch.Generator().manual_seed(3)
    images = torch.rand(1, 1, *SMALL_CANVAS, generator=generator)
    with torch.no_grad():
        output = model(images, sentinel(1))
        other = model(images, replace(sentinel(1), available=torch.ones(1, 1, dtype=torch.bool)))
    assert output.final.boxes.isfinite().all()
    assert not torch.allclose(output.final.logits, other.final.logits)


def test_score_equation() -> None:
    generator = torch.Generator().manual_seed(4)
    logits, quality = torch.randn(1, 6, 4, generator=generator), torch.randn(1, 6, generator=generator)
    score, kind = scores(LayerOutput(logits, torch.zeros(1, 6, 4), quality))
    for i in range(6):
        weights = [math.exp(v) for v in logits[0, i].tolist()]
        p = [w / sum(weights) for w in weights][:3]
        expected = math.sqrt(max(p) / (1 + math.exp(-float(quality[0, i]))))
        assert float(score[0, i]) == pytest.approx(expected, abs=1e-5)
        assert int(kind[0, i]) == p.index(max(p))


def test_link_equation() -> None:
    link = torch.nn.functional.normalize(
        torch.randn(5, 32, generator=torch.Generator().manual_seed(5)), dim=-1
    )
    probability = link_logits(link).sigmoid()
    assert float(probability[1, 3]) == pytest.approx(
        1 / (1 + math.exp(-float(link[1] @ link[3]) / 0.1)), abs=1e-5
    )
    assert float(probability[2, 2]) == pytest.approx(1 / (1 + math.exp(-10)), abs=1e-5)


def test_cell_boxes_start_at_their_cells() -> None:
    raw = torch.zeros(1, 6, 4)
    raw[0, 5] = torch.tensor([0.5, -0.5, math.log(2), 0.0])
    boxes = cell_boxes(raw, 2, 3)
    assert boxes[0, 1].tolist() == pytest.approx([1.5 / 3, 0.5 / 2, 1 / 3, 1 / 2])
    assert boxes[0, 5].tolist() == pytest.approx([3.0 / 3, 1.0 / 2, 2 / 3, 1 / 2])


def test_glimpse_reads_the_middles_of_the_sides() -> None:
    rows, columns = torch.meshgrid(torch.arange(10.0), torch.arange(10.0), indexing="ij")
    level = torch.stack([columns, rows])[None]
    seen = glimpse(level, torch.tensor([[[0.5, 0.5, 0.4, 0.2]]]), SIDES).view(4, 2) + 0.5
    assert torch.allclose(seen, torch.tensor([[3.0, 5.0], [7.0, 5.0], [5.0, 4.0], [5.0, 6.0]]), atol=1e-5)


def test_proposals_are_the_best_peaks(model: AcroMeld) -> None:
    logits = torch.full((1, 24 * 20 + 12 * 10, 3), -9.0)
    logits[0, 24 * 3 : 24 * 3 + 2, 1] = torch.tensor([3.0, 2.9])
    logits[0, 300, 0] = 1.0
    chosen = model.visual._choose(logits, ((24, 20), (12, 10)))[0].tolist()
    assert chosen[:2] == [72, 300]
    assert len(set(chosen)) == TINY.visual_queries
