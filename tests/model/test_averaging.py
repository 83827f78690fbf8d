# SPDX-License-Identifier: Apache-2.0
"""The mean of two exported networks."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from acromeld.cli import run
from acromeld.errors import ExitCode, IntegrityError
from acromeld.model.acromeld import AcroMeld
from acromeld.model.averaging import averaged
from acromeld.model.contract import ModelContract
from acromeld.model.export import export_onnx, round_to_half
from acromeld.model.read_back import read_back
from tests.model.made import TINY, distinct_model


def shaken(contract: ModelContract, seed: int) -> AcroMeld:
    """A network with numbers of its own near those of the others."""
    made = distinct_model(contract)
    torch.manual_seed(seed)
    with torch.no_grad():
        for values in made.parameters():
            values += 0.05 * torch.randn_like(values)
    for norm in made.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.momentum = 0.1
    round_to_half(made)
    return made


def test_every_number_is_the_mean_of_both() -> None:
    first, second = shaken(TINY, 1), shaken(TINY, 2)
    mean = read_back(averaged({"a": export_onnx(first), "b": export_onnx(second)}), "mean")
    for name in ("queries.free", "visual.project.weight", "structure.kind.weight"):
        values = [model.state_dict()[name] for model in (first, second)]
        expected = ((values[0].double() + values[1].double()) / 2).half().float()
        assert torch.equal(mean.state_dict()[name], expected), name
    assert not torch.equal(first.queries.free, second.queries.free)


def test_the_last_one_says_what_else_there_is() -> None:
    enough = {"least_hope": (-2.0, -3.0), "neighbours": min(TINY.neighbours, TINY.free_queries)}
    choosy = shaken(ModelContract.model_validate(TINY.model_dump() | enough), 2)
    mean = read_back(averaged({"a": export_onnx(shaken(TINY, 1)), "b": export_onnx(choosy)}), "mean")
    assert mean.contract == choosy.contract


def test_networks_of_other_sizes_are_refused_by_name() -> None:
    wider = ModelContract.model_validate(TINY.model_dump() | {"free_queries": TINY.free_queries + 1})
    with pytest.raises(IntegrityError, match="wide has other sizes"):
        averaged({"wide": export_onnx(shaken(wider, 1)), "b": export_onnx(shaken(TINY, 2))})


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second, out = tmp_path / "a.onnx", tmp_path / "b.onnx", tmp_path / "mean.onnx"
    for path, seed in ((first, 1), (second, 2)):
        path.write_bytes(export_onnx(shaken(TINY, seed)))
    assert run(["train", "average", str(first), str(second), "-o", str(out)]) == 0
    assert str(out) in capsys.readouterr().out
    assert out.read_bytes() == averaged({"a": first.read_bytes(), "b": second.read_bytes()})
    assert run(["train", "average", str(first), "-o", str(out)]) == ExitCode.NOT_FOUND
