# SPDX-License-Identifier: Apache-2.0
"""The whole life of a trained candidate on a tiny corpus: what `runs/rehearsal.sh` does, smaller still."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acromeld.cli import run
from acromeld.detect.acromeld.contract import Canvases
from acromeld.model.contract import ModelContract
from acromeld.provenance.candidate import load_candidate
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.implementation import package_implementation
from acromeld.train.engine.plan import Phase
from tests.train.made_up import RATES, SMALL, quick_plan
from tests.workshop.conftest import flip

CONTRACT = ModelContract.model_validate(
    SMALL.model_dump()
    | {
        "name": "life",
        "canvases": Canvases(portrait=(256, 192), landscape=(192, 256), square=(224, 224)),
        "visual_queries": 96,
        "structure_queries": 96,
        "free_queries": 16,
        "max_tokens": 64,
    }
)

COMMON = {"max_epochs": 1, "rates": RATES, "effective_batch": 4, "per_device": 4}
PLAN = quick_plan(phases=(Phase(name="main", **COMMON), Phase(name="finale", augment=False, **COMMON)))


@pytest.fixture(scope="module", autouse=True)
def one_implementation():
    """The code is hashed once: a source file saved while the tests run is not what they are about."""
    found = package_implementation()
    places = ("cli.freeze", "provenance.registration", "evaluate.inference", "train.engine.identity")
    with pytest.MonkeyPatch.context() as patch:
        for place in places:
            patch.setattr(f"acromeld.{place}.package_implementation", lambda: found)
        patch.setattr("acromeld.train.engine.identity.project_implementation", lambda: found)
        patch.setattr("acromeld.train.engine.metrics.plot", lambda rows: b"")
        yield


def do(*arguments: object, code: int = 0) -> None:
    assert run([str(argument) for argument in arguments]) == code, arguments


def train(root: Path, code: int = 0) -> None:
    files = ("--plan", root / "plan.json", "--contract", root / "contract.json", "--threads", 1)
    do("train", "acromeld", "--cache", root / "cache", "--out", root / "run", *files, code=code)


def gate(root: Path, code: int = 0) -> None:
    where = ("--index", root / "corpus.sqlite", "--corpus", root / "external", "--out", root / "gate")
    do("gate", "--candidate", root / "candidate", *where, "--reference", 0, code=code)


@pytest.fixture(scope="module")
def life(tmp_path_factory) -> Path:
    """Everything up to the open gate."""
    root = tmp_path_factory.mktemp("life")
    pdf, index, weights = root / "made" / "pdf", root / "corpus.sqlite", root / "weights.onnx"
    do("synth", root / "made", "--seed", 5, "--documents", 10, "--fonts", "builtin")
    do("corpus", "build", pdf, "--manifest", root / "made" / "manifest.jsonl", "--out", index)
    do("corpus", "seal", index)
    (root / "contract.json").write_text(CONTRACT.canonical())
    (root / "plan.json").write_text(PLAN.canonical())
    cache = ("--roles", "train-real,development", "--contract", root / "contract.json")
    do("train", "cache", "--index", index, "--corpus", pdf, "--out", root / "cache", *cache)
    train(root)
    do("train", "export", root / "run", "--out", weights)
    using = ("--pdf", pdf, "--detector", "acromeld", "--weights", weights)
    do("predict", index, "--role", "calibration", *using, "-o", root / "calibration")
    do("calibrate", root / "calibration", "--index", index, "--pdf", pdf, "-o", root / "point.json")
    records = ("--identity", root / "run" / "run-identity.json", "--metrics", root / "run" / "metrics.jsonl",
               "--summary", root / "run" / "training-summary.json")  # fmt: skip
    frozen = ("--detector", "acromeld", "--weights", weights, "--index", index, *records)
    do("freeze", root / "candidate", "--calibration", root / "point.json", *frozen)
    do("predict", index, "--role", "internal-test", *using, "-o", root / "internal")
    scored = ("--index", index, "--role", "internal-test", "--pdf", pdf, "--candidate", root / "candidate")
    do("evaluate", root / "internal", *scored, "--internal-report", "--resamples", 50)
    do("synth", root / "outside", "--seed", 6, "--documents", 2, "--fonts", "builtin")
    (root / "outside" / "pdf").rename(root / "external")
    do("gate", "quarantine", root / "external")
    return root


def test_the_candidate_is_bound_to_the_run(life):
    candidate = load_candidate(life / "candidate")
    summary = json.loads((life / "run" / "training-summary.json").read_bytes())
    last = sha256_file(life / "run" / "last.pt")
    assert candidate.last_checkpoint == summary["last_checkpoint"]["sha256"] == last
    assert candidate.identity.digest == summary["identity"]
    assert candidate.identity.model == CONTRACT.digest()
    assert candidate.digest == sha256_file(life / "weights.onnx")
    assert [row["phase"] for row in history(life / "candidate")] == ["main", "finale"]


def history(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("cache/cache.json", train),
        ("run/last.pt", train),
        ("candidate/candidate.onnx", gate),
        ("candidate/metrics.jsonl", gate),
        ("candidate/training-summary.json", gate),
    ],
)
def test_a_changed_byte_is_refused(life, name, command):
    kept = (life / name).read_bytes()
    flip(life / name)
    try:
        command(life, code=10)
    finally:
        (life / name).write_bytes(kept)


def test_the_gate_opens_once_and_its_verdict_walks_back(life):
    gate(life)
    gate(life, code=7)
    do("gate", "verify", "--candidate", life / "candidate", "--out", life / "gate")
