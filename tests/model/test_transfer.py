# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
import torch

from acromeld.cli import run
from acromeld.errors import ExitCode, InputNotFound, IntegrityError
from acromeld.model.visual.ecdet import EcdetL
from acromeld.model.visual.transfer import DENOISING, IGNORED, read_checkpoint, transfer
from tests.model.made import published_tensors


@pytest.fixture(scope="module")
def model() -> EcdetL:
    return EcdetL(classes=3, queries=384, denoising=100)


@pytest.fixture(scope="module")
def state() -> dict[str, torch.Tensor]:
    return published_tensors()


def test_published_names_and_shapes_are_ours(model: EcdetL, state: dict[str, torch.Tensor]) -> None:
    assert len(state) == 775
    own = model.state_dict()
    assert own.keys() == state.keys() - IGNORED
    other_shape = {name for name in own if own[name].shape != state[name].shape}
    heads = {f"decoder.dec_score_head.{i}.{kind}" for i in range(4) for kind in ("weight", "bias")}
    heads |= {"decoder.enc_score_head.weight", "decoder.enc_score_head.bias"}
    assert other_shape == heads | {DENOISING}


def test_transfer_fills_all_but_the_denoising_embedding(
    model: EcdetL, state: dict[str, torch.Tensor]
) -> None:
    before = model.state_dict()[DENOISING].clone()
    report = transfer(model, state)
    assert f"{report.share:.4f}" == "99.9969"
    assert report.random == (DENOISING,)
    own = model.state_dict()
    assert torch.equal(own[DENOISING], before)
    for name in own.keys() - set(report.averaged) - {DENOISING}:
        assert torch.equal(own[name], state[name].to(own[name].dtype)), name
    row = state["decoder.dec_score_head.2.weight"].mean(0)
    assert torch.allclose(own["decoder.dec_score_head.2.weight"], row.expand(3, -1))
    assert torch.allclose(own["decoder.enc_score_head.bias"], state["decoder.enc_score_head.bias"].mean())


def test_wrong_tensors_are_named(model: EcdetL, state: dict[str, torch.Tensor]) -> None:
    wrong = dict(state)
    del wrong["encoder.lateral_convs.0.conv.weight"]
    wrong["head.extra"] = torch.zeros(1)
    wrong["backbone.projector.1.conv.weight"] = torch.zeros(256, 192, 1, 1)
    wrong["backbone.projector.0.norm.bias"] = torch.full((256,), torch.nan)
    with pytest.raises(IntegrityError) as refused:
        transfer(model, wrong)
    text = str(refused.value)
    for name in (
        "missing: encoder.lateral_convs.0.conv.weight",
        "unexpected: head.extra",
        "of another shape: backbone.projector.1.conv.weight",
        "not finite: backbone.projector.0.norm.bias",
    ):
        assert name in text


def test_refused_checkpoint_changes_nothing(model: EcdetL, state: dict[str, torch.Tensor]) -> None:
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(IntegrityError):
        transfer(model, {name: value for name, value in state.items() if "pan_blocks" not in name})
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


@pytest.mark.parametrize("wrap", [lambda s: {"ema": {"module": s}}, lambda s: {"model": s}, lambda s: s])
def test_checkpoint_layouts(wrap: object, tmp_path: Path) -> None:
    assert callable(wrap)
    state = {"a": torch.arange(3.0), "b": torch.ones(2, 2)}
    torch.save(wrap(state), tmp_path / "file.pth")
    read = read_checkpoint(tmp_path / "file.pth")
    assert read.keys() == state.keys()
    assert torch.equal(read["a"], state["a"])


def test_truncated_foreign_and_absent_files_are_refused(tmp_path: Path) -> None:
    torch.save({"model": {"a": torch.ones(1000)}}, tmp_path / "whole.pth")
    cut = tmp_path / "cut.pth"
    cut.write_bytes((tmp_path / "whole.pth").read_bytes()[:-700])
    text = tmp_path / "text.pth"
    text.write_text("hello")
    for path in (cut, text):
        with pytest.raises(IntegrityError, match=path.name):
            read_checkpoint(path)
    with pytest.raises(InputNotFound):
        read_checkpoint(tmp_path / "absent.pth")


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    class Runs:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return Path.touch, (Path(tmp_path / "ran"),)  # type: ignore[return-value]

    torch.save({"model": Runs()}, tmp_path / "evil.pth")
    with pytest.raises(IntegrityError):
        read_checkpoint(tmp_path / "evil.pth")
    assert not (tmp_path / "ran").exists()


def test_safetensors(tmp_path: Path) -> None:
    value = torch.arange(6, dtype=torch.float32).view(2, 3)
    table = {"a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {"x": "y"}}
    header = json.dumps(table).encode()
    data = struct.pack("<Q", len(header)) + header + value.numpy().tobytes()
    (tmp_path / "m.safetensors").write_bytes(data)
    assert torch.equal(read_checkpoint(tmp_path / "m.safetensors")["a"], value)
    (tmp_path / "m.safetensors").write_bytes(data[:-4])
    with pytest.raises(IntegrityError, match=r"m\.safetensors"):
        read_checkpoint(tmp_path / "m.safetensors")


def test_the_command_prints_the_figure(
    state: dict[str, torch.Tensor], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save({"model": state}, tmp_path / "ecdet_l.pth")
    assert run(["model", "transfer", str(tmp_path / "ecdet_l.pth")]) == ExitCode.OK
    said = capsys.readouterr().out
    assert "32,845,915 of 32,846,939" in said
    assert "99.9969 %" in said
    assert "left random: decoder.denoising_class_embed.weight" in said
    torch.save({"model": {}}, tmp_path / "empty.pth")
    assert run(["model", "transfer", str(tmp_path / "empty.pth")]) == ExitCode.INTEGRITY
