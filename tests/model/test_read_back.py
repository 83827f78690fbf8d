# SPDX-License-Identifier: Apache-2.0
"""A weights file as the network it was made from."""

from __future__ import annotations

import pytest
import torch

from acromeld.errors import IntegrityError
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import ModelContract
from acromeld.model.export import export_onnx, round_to_half
from acromeld.model.read_back import read_back
from acromeld.train.engine.pretrained import start_from
from tests.model.made import TINY, distinct_model


@pytest.fixture(scope="module")
def model() -> AcroMeld:
    """Every layer with numbers of its own, as after training."""
    made = distinct_model(TINY)
    with torch.no_grad():
        for values in made.parameters():
            values += 0.05 * torch.randn_like(values)
    for norm in made.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.momentum = 0.1  # as ever; the graph tells it, and `distinct_model` has its own
    round_to_half(made)
    return made


def test_every_number_that_answers_comes_back(model: AcroMeld) -> None:
    back = read_back(export_onnx(model), "made.onnx")
    ours, theirs = model.state_dict(), back.state_dict()
    differing = {name for name, values in ours.items() if not torch.equal(values, theirs[name])}
    earlier = {name for name in ours if name.startswith(("heads.classes.0.", "heads.quality.0."))}
    earlier.add("heads.head_start.trust")
    assert {name for name in differing if not name.endswith("num_batches_tracked")} == earlier
    assert torch.equal(theirs["heads.classes.0.weight"], ours["heads.classes.1.weight"])
    trust = "heads.head_start.trust"
    assert torch.equal(theirs[trust], ours[trust][-1].expand_as(ours[trust]))
    assert back.contract == model.contract


def test_a_network_that_asks_only_hopeful_queries_comes_back(model: AcroMeld) -> None:
    enough = {"least_hope": (-2.0, -3.0), "neighbours": min(TINY.neighbours, TINY.free_queries)}
    choosy = AcroMeld(ModelContract.model_validate(TINY.model_dump() | enough))
    choosy.load_state_dict(model.state_dict())
    back = read_back(export_onnx(choosy), "made.onnx")
    assert back.contract.least_hope == (-2.0, -3.0)
    assert torch.equal(back.queries.fallback, model.queries.fallback)


def test_a_run_can_start_from_a_release(model: AcroMeld, tmp_path) -> None:
    path = tmp_path / "release.onnx"
    path.write_bytes(export_onnx(model))
    fresh = AcroMeld(TINY)
    start_from(fresh, path)
    assert torch.equal(fresh.queries.free, model.queries.free)
    assert torch.equal(fresh.visual.project.weight, model.visual.project.weight)


def test_what_is_no_weights_file_is_refused() -> None:
    with pytest.raises(IntegrityError, match="not a weights file"):
        read_back(b"no model at all", "made.onnx")
