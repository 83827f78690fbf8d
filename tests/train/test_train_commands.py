# SPDX-License-Identifier: Apache-2.0
"""The training commands, from a cache to a weights file a detector runs."""

from __future__ import annotations

import json

import numpy as np
import pytest

from acromeld.cli import run
from acromeld.detect.acromeld.weights import CONTRACT_KEY
from acromeld.detect.registry import load_detector
from acromeld.model.onnx_file import metadata
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.implementation import package_implementation
from acromeld.train.engine.plan import PLANS, TrainingPlan
from tests.train.made_up import SMALL, made_cache, quick_plan


@pytest.fixture(scope="module", autouse=True)
def one_implementation():
    code = package_implementation()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("package_implementation", "project_implementation"):
            patch.setattr(f"acromeld.train.engine.identity.{name}", lambda: code)
        yield


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A finished run, made by the commands."""
    root = tmp_path_factory.mktemp("shop")
    made_cache(root / "cache")
    (root / "contract.json").write_text(SMALL.canonical())
    (root / "plan.json").write_text(quick_plan().canonical())
    assert train(root, "--minutes", "0") == 0
    assert not (root / "run" / "training-summary.json").exists()
    assert train(root) == 0
    return root


def train(root, *more) -> int:
    files = ("--plan", root / "plan.json", "--contract", root / "contract.json")
    arguments = ("train", "acromeld", "--cache", root / "cache", "--out", root / "run", *files, *more)
    return run([str(argument) for argument in (*arguments, "--threads", 1)])


def test_a_run_that_ran_out_of_time_goes_on_and_ends(shop):
    summary = json.loads((shop / "run" / "training-summary.json").read_bytes())
    assert summary["ended"] == "finale_epoch_cap"
    assert summary["epochs"] == 3
    assert summary["metrics"] == sha256_file(shop / "run" / "metrics.jsonl")
    best = shop / "run" / summary["best_checkpoint"]["file"]
    assert sha256_file(best) == summary["best_checkpoint"]["sha256"]
    assert summary["last_checkpoint"]["sha256"] == sha256_file(shop / "run" / "last.pt")


def test_history_is_there_as_lines_table_and_picture(shop):
    rows = [json.loads(line) for line in (shop / "run" / "metrics.jsonl").read_text().splitlines()]
    wanted = {
        "native_precision", "native_recall", "native_f1", "strict_precision", "strict_recall", "strict_f1",
        "map", "ap50", "ap_text", "ap_choice", "ap_signature", "loss_total", "phase", "evaluation_seconds",
    }  # fmt: skip
    assert wanted <= rows[-1].keys()
    assert {"loss_score", "loss_giou"} <= rows[0].keys()
    assert {"loss_class", "loss_relation", "loss_fieldness"} <= rows[1].keys()
    table = (shop / "run" / "trajectory.csv").read_text().splitlines()
    assert len(table) == 4
    assert (shop / "run" / "trajectory.png").read_bytes().startswith(b"\x89PNG")


def test_the_selected_weights_become_a_detector(shop, capsys):
    out = shop / "weights.onnx"
    assert run(["train", "export", str(shop / "run"), "--out", str(out)]) == 0
    assert sha256_file(out) in capsys.readouterr().out
    detector = load_detector("acromeld", out)
    assert detector.ref.weights == sha256_file(out)
    frame = PageFrame((0.0, 0.0, 60.0, 85.0))
    raster = Raster(np.full((1600, 1130), 255, dtype=np.uint8), 1600 / 85)
    (found,) = detector.detect([Page(0, frame, raster, Primitives())])
    assert len(found) <= SMALL.queries


def test_an_export_may_ask_hopeful_queries_only(shop, tmp_path):
    out = tmp_path / "weights.onnx"
    chosen = ["--least-hope", "-2", "-3.5"]
    assert run(["train", "export", str(shop / "run"), "--out", str(out), *chosen]) == 0
    assert json.loads(metadata(out.read_bytes())[CONTRACT_KEY])["least_hope"] == [-2.0, -3.5]


def test_export_refuses_changed_weights(shop, tmp_path, capsys):
    best = next((shop / "run").glob("best-*.pt"))
    kept = best.read_bytes()
    try:
        best.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
        assert run(["train", "export", str(shop / "run"), "--out", str(tmp_path / "w.onnx")]) == 10
    finally:
        best.write_bytes(kept)
    assert "is not the checkpoint" in capsys.readouterr().err


def test_plans_are_printed_for_editing(capsys):
    assert run(["train", "plan", "paper"]) == 0
    assert TrainingPlan.model_validate_json(capsys.readouterr().out) == PLANS["paper"]


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["plan", "huge"], 3, "known are paper, compact"),
        (["acromeld", "--cache", "none", "--out", "run", "--plan", "none"], 3, "or name a JSON file"),
        (["acromeld", "--cache", "none", "--out", "run", "--epochs", "visual"], 8, "not a list such as"),
        (["acromeld", "--cache", "none", "--out", "run"], 3, "not a finished page cache"),
    ],
)
def test_mistakes_are_told_in_a_sentence(arguments, code, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(["train", *arguments]) == code
    assert sentence in capsys.readouterr().err


def test_an_unreadable_plan_names_what_is_wrong(tmp_path, capsys):
    path = tmp_path / "plan.json"
    path.write_text(PLANS["paper"].canonical().replace('"clip":0.1', '"clip":"much"'))
    assert run(["train", "acromeld", "--cache", "c", "--out", "r", "--plan", str(path)]) == 8
    assert "clip" in capsys.readouterr().err
