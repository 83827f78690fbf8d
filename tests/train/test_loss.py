# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from acromeld.errors import LimitExceeded
from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import Batch
from acromeld.model.contract import COMPACT, PAPER, ModelContract
from acromeld.model.visual.interface import VisualOutput
from acromeld.train.fieldness import fieldness_loss
from acromeld.train.loss import total_loss, visual_loss
from acromeld.train.matching import match_set
from acromeld.train.relation import relation_loss
from acromeld.train.set_loss import set_loss
from tests.model.made import TINY, random_batch, random_targets, random_tokens, sentinel


def _gradients(model: AcroMeld) -> dict[str, torch.Tensor | None]:
    return {name: p.grad for name, p in model.named_parameters() if p.requires_grad}


def test_total_is_the_weighted_sum_of_the_paper() -> None:
    torch.manual_seed(0)
    batch = random_batch((4, 0, 7), torch.Generator().manual_seed(0))
    output = AcroMeld(TINY).train()(batch.images, batch.tokens, batch.targets)
    loss = total_loss(output, batch)
    expected = 0.0
    for layer, weight in zip(output.layers, (0.65, 1.0), strict=True):
        matches = match_set(layer.logits, layer.boxes, batch.targets)
        expected += weight * sum(float(v.detach()) for v in set_loss(layer, batch.targets, matches).values())
    assert output.visual.native is not None
    expected += 0.5 * float(visual_loss(output.visual.native, batch).detach())
    expected += 0.2 * float(relation_loss(output.link, output.final.boxes, batch.targets).detach())
    fieldness = fieldness_loss(output.fieldness, output.eligible, batch.tokens.box, batch.targets)
    expected += 0.2 * float(fieldness.detach())
    assert float(loss.total.detach()) == pytest.approx(expected, rel=1e-4)
    assert loss.floats()["total"] == pytest.approx(
        sum(float(v.detach()) for v in loss.terms.values()), rel=1e-5
    )


@pytest.mark.parametrize("counts", [(0, 0), (5, 0)], ids=["empty batch", "mixed batch"])
def test_gradients_reach_everything_and_are_finite(counts: tuple[int, ...]) -> None:
    torch.manual_seed(1)
    model = AcroMeld(TINY).train()
    batch = random_batch(counts, torch.Generator().manual_seed(1))
    total_loss(model(batch.images, batch.tokens, batch.targets), batch).total.backward()
    gradients = _gradients(model)
    assert all(g is None or g.isfinite().all() for g in gradients.values())
    if sum(counts):
        assert [name for name, g in gradients.items() if g is None] == []


def test_cached_proposals_train_the_graph_alone() -> None:
    torch.manual_seed(2)
    model = AcroMeld(TINY).train()
    batch = random_batch((5,), torch.Generator().manual_seed(2))
    with torch.no_grad():
        seen = model.visual(batch.images)
    cached = VisualOutput(seen.features, seen.boxes, seen.logits, fine=seen.fine)
    loss = total_loss(model.refine(cached, batch.tokens), batch)
    assert "visual" not in loss.terms
    loss.total.backward()
    assert all((g is None) == name.startswith("visual.") for name, g in _gradients(model).items())


def test_paper_model_learns_from_a_mixed_batch_at_a_reduced_canvas() -> None:
    torch.manual_seed(3)
    model = AcroMeld(PAPER).train()
    generator = torch.Generator().manual_seed(3)
    tokens = random_tokens(2, 12, generator, PAPER)
    lone = sentinel(1, PAPER)
    for name in vars(tokens):
        getattr(tokens, name)[1] = 0
        getattr(tokens, name)[1, :1] = getattr(lone, name)[0]
    targets = (random_targets(9, generator), random_targets(0, generator))
    batch = Batch(torch.rand(2, 3, 160, 160, generator=generator), tokens, targets)
    total_loss(model(batch.images, tokens, targets), batch).total.backward()
    gradients = _gradients(model)
    assert [name for name, g in gradients.items() if g is None or not g.isfinite().all()] == []


@pytest.mark.parametrize(("contract", "fields"), [(COMPACT, 640), (PAPER, 849)], ids=["compact", "paper"])
def test_the_densest_page_fits_and_one_beyond_capacity_is_named(contract: ModelContract, fields: int) -> None:
    torch.manual_seed(4)
    generator = torch.Generator().manual_seed(4)
    model = AcroMeld(contract).train()
    targets = (random_targets(fields, generator, "densest", side=0.02),)
    batch = Batch(
        torch.rand(1, contract.channels, 160, 160, generator=generator),
        random_tokens(1, 512, generator, contract),
        targets,
    )
    loss = total_loss(model(batch.images, batch.tokens, targets), batch)
    loss.total.backward()
    assert loss.total.isfinite()
    assert all(g is not None and g.isfinite().all() for g in _gradients(model).values())
    crowded = replace(batch, targets=(random_targets(contract.queries + 1, generator, "crowded"),))
    with pytest.raises(LimitExceeded, match="crowded"):
        total_loss(model.refine(_detached(model, batch), batch.tokens), crowded)


def _detached(model: AcroMeld, batch: Batch) -> VisualOutput:
    with torch.no_grad():
        seen = model.visual(batch.images)
    return VisualOutput(seen.features, seen.boxes, seen.logits)


def test_training_lowers_the_loss() -> None:
    torch.manual_seed(5)
    model = AcroMeld(TINY).train()
    batch = random_batch((6, 0), torch.Generator().manual_seed(5))
    optimiser = torch.optim.AdamW(model.parameters(), lr=2e-3)
    history = []
    for _ in range(25):
        loss = total_loss(model(batch.images, batch.tokens, batch.targets), batch).total
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        history.append(float(loss.detach()))
    assert history[-1] < 0.7 * history[0]
