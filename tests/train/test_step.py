# SPDX-License-Identifier: Apache-2.0
"""The loss of a micro-batch: who gets a gradient, and in which precision things are computed."""

from __future__ import annotations

import pytest
import torch

from acromeld.detect.acromeld.contract import Canvases
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import PAPER as PAPER_CONTRACT
from acromeld.train.engine.batch_trial import worst_batch
from acromeld.train.engine.groups import group_of, set_learning
from acromeld.train.engine.plan import PAPER, Phase
from acromeld.train.engine.step import in_full, micro_loss, model_output
from tests.train.made_up import SMALL

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def batch():
    return worst_batch(SMALL, 2, 6, CPU)


def model() -> AcroMeld:
    torch.manual_seed(0)
    return AcroMeld(SMALL.model_copy(update={"dropout": 0.0}))


@pytest.mark.parametrize("precision", ["fp32", "bf16", "bf16-visual"])
@pytest.mark.parametrize(
    ("part", "groups"),
    [("all", {"graph", "visual", "backbone"}), ("visual", {"visual", "backbone"}), ("graph", {"graph"})],
)
def test_gradients_reach_the_part_that_learns(batch, part, groups, precision):
    network = model()
    set_learning(network, Phase(name="x", trains=part, max_epochs=1), 0)
    loss = micro_loss(network, batch, part, precision)
    loss.total.backward()
    assert torch.isfinite(loss.total)
    assert loss.total.dtype == torch.float32
    reached = {group_of(name) for name, p in network.named_parameters() if p.grad is not None}
    assert reached == groups
    assert all(torch.isfinite(p.grad).all() for p in network.parameters() if p.grad is not None)


def test_the_projection_learns_with_the_graph(batch):
    network = model()
    set_learning(network, Phase(name="x", trains="graph", max_epochs=1), 0)
    micro_loss(network, batch, "graph", "fp32").total.backward()
    assert network.visual.project.weight.grad.abs().sum() > 0


def test_a_frozen_branch_keeps_its_statistics(batch):
    network = model()
    set_learning(network, Phase(name="x", trains="graph", max_epochs=1), 0)
    before = {name: value.clone() for name, value in network.visual.named_buffers()}
    micro_loss(network, batch, "graph", "fp32")
    assert all(torch.equal(value, before[name]) for name, value in network.visual.named_buffers())


def test_the_graph_after_a_half_precision_branch_computes_in_full(batch):
    network = model().eval()
    seen = []
    for part in (network.layers[0].norm_self, network.layers[0].feedforward):
        part.register_forward_hook(lambda module, inputs, output: seen.append(output.dtype))
    with torch.no_grad():
        model_output(network, batch, "all", "bf16-visual")
    assert set(seen) == {torch.float32}


def test_half_precision_keeps_boxes_exact():
    """Cells of a wide map are told apart: positions are computed in full precision."""
    branch = model().visual.eval()
    image = torch.rand(1, 1, 96, 1024)
    with torch.no_grad():
        exact = branch.cells_of(image)[2].boxes
        with torch.autocast("cpu", dtype=torch.bfloat16):
            half = branch.cells_of(image)[2].boxes
    assert half.dtype == torch.float32
    # Offsets of untrained cells are tiny; a centre in half precision would be off by half a cell.
    assert (exact[..., 0] - half[..., 0]).abs().max() * 1024 < 1.0


def test_records_of_tensors_become_full(batch):
    half = batch.images.bfloat16()
    record = type(batch)(half, batch.tokens, batch.targets)
    full = in_full(record)
    assert full.images.dtype == torch.float32
    assert full.tokens.kind.dtype == torch.int64
    assert full.targets[0].page == batch.targets[0].page


def test_the_papers_model_learns_by_the_same_step():
    canvases = Canvases(portrait=(256, 192), landscape=(192, 256), square=(224, 224))
    contract = PAPER_CONTRACT.model_copy(update={"canvases": canvases, "max_tokens": 24})
    torch.manual_seed(0)
    network = AcroMeld(contract)
    batch = worst_batch(contract, 1, 8, CPU)
    set_learning(network, PAPER.phases[0], epoch=0)
    micro_loss(network, batch, "all", "bf16").total.backward()
    reached = {group_of(name) for name, p in network.named_parameters() if p.grad is not None}
    assert reached == {"graph", "visual"}
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        seen = network.eval().visual(batch.images)
    assert seen.boxes.dtype == torch.float32
    assert all(layer.boxes.dtype == torch.float32 for layer in seen.native.layers)
