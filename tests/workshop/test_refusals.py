# SPDX-License-Identifier: Apache-2.0
"""What must not work: second gate runs, tampered records, mistyped commands."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from acromeld.cli import run
from acromeld.provenance.external import MANIFEST
from acromeld.provenance.implementation import package_implementation
from tests.workshop.conftest import Workshop, do, flip

Refused = Callable[..., str]

BOUND = (
    "candidate/candidate.py",
    "candidate/operating-point.json",
    "candidate/run-identity.json",
    "candidate/training-summary.json",
    "candidate/metrics.jsonl",
    "candidate/training-complete.json",
    "candidate/training-complete.json.sha256",
    "candidate/SHA256SUMS",
    "corpus.sqlite",
)


def test_the_gate_passes_once_and_walks_back(gated: Workshop, capsys: pytest.CaptureFixture[str]) -> None:
    do("gate", "verify", "--candidate", gated.candidate, "--out", gated.gate_out)
    assert capsys.readouterr().out.startswith("Passed: native micro-F1 0.")
    report = json.loads((gated.gate_out / "result" / "report.json").read_bytes())
    raw = report["details"]["evaluation"]["points"]["selected"]["native"]["micro"]
    assert {key: raw[key] for key in ("tp", "fp", "fn")} == report["counts"]
    assert report["internal_report"]


@pytest.mark.parametrize("out", ["gate_out", "elsewhere"])
def test_the_gate_refuses_a_second_run(gated: Workshop, refused: Refused, out: str) -> None:
    assert "one" in refused(7, *gated.gate(out=out))
    refused(7, *gated.gate("--resume", out=out))


@pytest.mark.parametrize("name", BOUND)
def test_the_gate_refuses_after_a_bound_file_was_touched(
    workshop: Workshop, refused: Refused, name: str
) -> None:
    flip(workshop.root / name)
    refused(10, *workshop.gate())
    assert not (workshop.candidate / "gate-claim.json").exists()


def test_the_gate_refuses_a_touched_corpus_before_it_is_spent(workshop: Workshop, refused: Refused) -> None:
    digest = package_implementation().digest
    refused(10, *workshop.gate("--corpus-digest", digest))
    next(workshop.external.glob("*.pdf")).unlink()
    assert "missing or added" in refused(10, *workshop.gate(out="other"))
    assert not (workshop.candidate / "gate-claim.json").exists()


def test_the_gate_refuses_a_changed_document(workshop: Workshop, refused: Refused) -> None:
    flip(next(workshop.external.glob("*.pdf")))
    assert "was changed" in refused(10, *workshop.gate())
    assert not (workshop.gate_out / "result").exists()


def test_the_gate_refuses_documents_of_the_index(workshop: Workshop, refused: Refused) -> None:
    known = next(workshop.pdf.iterdir())
    shutil.copy(known, workshop.external / known.name)
    (workshop.external / MANIFEST).unlink()
    do("gate", "quarantine", workshop.external)
    assert "training index" in refused(10, *workshop.gate())


def test_a_dead_gate_run_is_resumed_on_request(
    workshop: Workshop, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("acromeld.evaluate.gate_run.GateWork.evaluate", dies)
        refused(130, *workshop.gate())
    assert "resume" in refused(7, *workshop.gate())
    do(*workshop.gate("--resume"))
    report = json.loads((workshop.gate_out / "result" / "report.json").read_bytes())
    assert report["attempts"] == 2


REPORTED = (
    *BOUND[:-1],
    "candidate/internal-report.json",
    "gate_out/registration.json",
    "gate_out/predictions-0000.jsonl",
    "gate_out/result/report.json",
)


@pytest.mark.parametrize("name", REPORTED)
def test_a_report_fails_closed_on_a_flipped_byte(
    gated: Workshop, refused: Refused, tmp_path: Path, name: str
) -> None:
    flip(gated.root / name)
    refused(10, "report", tmp_path / "out", "--candidate", gated.candidate, "--gate", gated.gate_out)
    assert not (tmp_path / "out").exists()


def test_a_report_checks_the_candidates_kept_by_the_gate(
    gated: Workshop, refused: Refused, tmp_path: Path
) -> None:
    flip(next((gated.gate_out / "raw").iterdir()))
    refused(10, "report", tmp_path / "out", "--candidate", gated.candidate, "--gate", gated.gate_out)


@pytest.mark.parametrize(
    "name", ["rules.json", "test/shard-000.jsonl", "test/shard-000.json", "test/prediction-run.json",
             "corpus.sqlite", "candidate/operating-point.json"],
)  # fmt: skip
def test_a_report_checks_what_evaluations_were_made_from(
    workshop: Workshop, refused: Refused, tmp_path: Path, name: str
) -> None:
    flip(workshop.root / name)
    refused(10, "report", tmp_path / "out", "--evaluations", workshop.evaluation)
    assert not (tmp_path / "out").exists()


def test_evaluation_stops_on_a_changed_shard(workshop: Workshop, refused: Refused) -> None:
    flip(workshop.test / "shard-000.jsonl")
    truth = ("--index", workshop.index, "--role", "internal-test")
    assert "shard-000.jsonl" in refused(10, "evaluate", workshop.test, *truth)


def test_evaluation_stops_on_a_changed_source(workshop: Workshop, refused: Refused) -> None:
    for path in workshop.pdf.iterdir():
        flip(path)
    truth = ("--index", workshop.index, "--role", "internal-test", "--pdf", workshop.pdf)
    assert "changed" in refused(10, "evaluate", workshop.test, *truth)


def mistakes(shop: Workshop) -> dict[str, tuple[int, Sequence[object]]]:
    """Mistyped commands and the exit code each must have."""
    index, test, nothing = shop.index, shop.test, shop.root / "nothing"
    role, rules = ("--role", "internal-test"), ("--detector", "rules")
    point = shop.root / "point.json"
    return {
        "no folder": (3, ("corpus", "build", nothing, "--manifest", nothing, "--out", shop.root / "x")),
        "no index": (3, ("corpus", "show", nothing)),
        "not an index": (10, ("corpus", "show", point)),
        "sealed twice": (10, ("corpus", "seal", index)),
        "index again": (9, ("corpus", "build", shop.pdf, "--manifest", shop.made / "manifest.jsonl",
                            "--out", index)),
        "synth again": (9, ("synth", shop.made, "--seed", 1)),
        "no such rank": (3, ("predict", index, *role, "--pdf", shop.pdf, "-o", nothing, "--rank", 2)),
        "no such detector": (3, ("predict", index, *role, "--pdf", shop.pdf, "-o", nothing,
                                 "--detector", "magic")),
        "too large a sample": (3, ("predict", index, *role, "--pdf", shop.pdf, "-o", nothing,
                                   "--sample", 100000)),
        "shards again": (9, ("predict", index, *role, "--pdf", shop.pdf, "-o", test)),
        "other run": (9, ("predict", index, "--role", "development", "--pdf", shop.pdf, "-o", test)),
        "nothing to score": (3, ("evaluate", "--pdf", shop.pdf)),
        "no truth": (3, ("evaluate", test)),
        "role without index": (3, ("evaluate", test, *role)),
        "sample without role": (3, ("evaluate", test, "--pdf", shop.pdf, "--sample", 3)),
        "no predictions": (3, ("evaluate", nothing, "--pdf", shop.pdf)),
        "other role": (10, ("evaluate", test, "--index", index, "--role", "calibration")),
        "two points": (3, ("evaluate", test, "--index", index, *role, "--point", point, "--fixed")),
        "no point": (8, ("evaluate", test, "--index", index, *role, "--point",
                         shop.candidate / "training-summary.json")),
        "other documents": (3, ("evaluate", test, "--pdf", shop.external)),
        "report without candidate": (3, ("evaluate", test, "--index", index, *role, "--internal-report")),
        "calibrate elsewhere": (10, ("calibrate", test, "--index", index, "-o", nothing)),
        "point again": (9, ("calibrate", shop.calibration, "--index", index, "-o", point)),
        "freeze again": (9, ("freeze", shop.candidate, *rules, "--index", index, "--calibration", point)),
        "rules have no weights": (3, ("freeze", nothing, *rules, "--index", index, "--calibration", point,
                                      "--weights", point)),
        "no weights": (10, ("freeze", nothing, "--index", index, "--calibration", point, "--weights", point)),
        "not a calibration": (10, ("freeze", nothing, *rules, "--index", index, "--calibration",
                                   shop.evaluation)),
        "quarantined twice": (9, ("gate", "quarantine", shop.external)),
        "no corpus": (3, shop.gate(corpus=shop.root / "nowhere")),
        "no reference": (10, shop.gate(reference="82.9")),
        "report about nothing": (3, ("report", nothing)),
        "gate without candidate": (3, ("report", nothing, "--gate", nothing)),
        "no record": (10, ("report", nothing, "--evaluations", nothing)),
        "report again": (9, ("report", test, "--evaluations", shop.evaluation)),
        "one evaluation twice": (10, ("report", nothing, "--evaluations", shop.evaluation,
                                      shop.root / "rules.json")),
        "peer without index": (3, ("peers", "commonforms", "predict", shop.pdf, "-o", nothing,
                                   "--sample", 3)),
        "peer not set up": (1, ("peers", "commonforms", "predict", shop.pdf, "-o", nothing,
                                "--folder", nothing)),
    }  # fmt: skip


def test_every_mistake_is_told_in_a_sentence(workshop: Workshop, refused: Refused) -> None:
    for what, (code, arguments) in mistakes(workshop).items():
        sentence = refused(code, *arguments)
        assert "Traceback" not in sentence, what


@pytest.mark.parametrize("arguments", [["gate"], ["predict"], ["synth", "x"], ["corpus", "nonsense"]])
def test_missing_arguments_are_usage_errors(arguments: list[str]) -> None:
    assert run(arguments) == 2


@pytest.mark.parametrize(("library", "extra"), [("matplotlib", "workshop"), ("torch", "train")])
def test_a_missing_extra_is_told_in_a_sentence(
    library: str, extra: str, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    def missing() -> None:
        raise ModuleNotFoundError(f"No module named {library!r}", name=f"{library}.figure")

    monkeypatch.setattr("acromeld.cli.app", lambda *_, **__: missing())
    assert f"needs {library}" in refused(1, "report", "x")
    assert f"acromeld[{extra}]" in refused(1, "report", "x")


def test_our_own_missing_module_is_not_the_users_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'acromeld.nothing'", name="acromeld.nothing")

    monkeypatch.setattr("acromeld.cli.app", missing)
    with pytest.raises(ModuleNotFoundError):
        run(["report"])


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(workshop: Workshop, refused: Refused) -> None:
    inside_a_file = workshop.root / "rules.json" / "x"
    assert "rules.json" in refused(9, "synth", inside_a_file, "--seed", 1, "--documents", 1)
