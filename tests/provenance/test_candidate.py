# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from acromeld.errors import IntegrityError, OutputProblem
from acromeld.provenance.candidate import (
    COMPLETE,
    OPERATING_POINT,
    complete_candidate,
    copy_weights,
    load_candidate,
    write_operating_point,
)
from acromeld.provenance.digests import sha256_bytes, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.internal_report import load_internal_report, record_internal_report
from tests.provenance.conftest import POINT, make_candidate

FILES = (
    "candidate.bin",
    "operating-point.json",
    "run-identity.json",
    "training-summary.json",
    "metrics.jsonl",
    "training-complete.json",
    "training-complete.json.sha256",
    "SHA256SUMS",
)


def flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)


def test_a_complete_candidate_loads_with_everything_bound(tmp_path: Path) -> None:
    candidate = load_candidate(make_candidate(tmp_path / "c", "a" * 64))
    assert candidate.digest == sha256_bytes(b"weights")
    assert candidate.operating_point == POINT
    assert (candidate.detector.name, candidate.detector.weights) == ("fake", candidate.digest)
    assert candidate.identity.index == "a" * 64
    assert {path.name for path in candidate.folder.iterdir()} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_one_flipped_byte_names_the_file(tmp_path: Path, name: str) -> None:
    folder = make_candidate(tmp_path / "c", "a" * 64)
    flip(folder / name)
    with pytest.raises(IntegrityError, match=name.replace(".", r"\.")):
        load_candidate(folder)


@pytest.mark.parametrize("name", FILES)
def test_one_missing_file_names_the_file(tmp_path: Path, name: str) -> None:
    folder = make_candidate(tmp_path / "c", "a" * 64)
    (folder / name).unlink()
    with pytest.raises(IntegrityError, match=name.replace(".", r"\.")):
        load_candidate(folder)


def test_sums_of_a_candidate_are_what_sha256sum_checks(tmp_path: Path) -> None:
    folder = make_candidate(tmp_path / "c", "a" * 64)
    command = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    checked = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert checked.returncode == 0
    assert checked.stdout.count(": OK") == 6


def test_nothing_is_written_twice(tmp_path: Path) -> None:
    folder = make_candidate(tmp_path / "c", "a" * 64)
    with pytest.raises(IntegrityError, match="already holds the weights"):
        copy_weights(folder, tmp_path / "c.bin")
    with pytest.raises(OutputProblem):
        write_operating_point(folder, POINT)
    with pytest.raises(IntegrityError):
        make_candidate(tmp_path / "c", "a" * 64)


def test_an_operating_point_of_other_weights_is_refused_even_when_rebound(tmp_path: Path) -> None:
    folder, other = (
        make_candidate(tmp_path / "c", "a" * 64),
        make_candidate(tmp_path / "d", "a" * 64, b"other"),
    )
    _replace(folder / OPERATING_POINT, (other / OPERATING_POINT).read_bytes())
    record = json.loads((folder / COMPLETE).read_bytes())
    record["files"][OPERATING_POINT] = sha256_bytes((other / OPERATING_POINT).read_bytes())
    text = json.dumps(record, sort_keys=True, separators=(",", ":")).encode() + b"\n"
    _replace(folder / COMPLETE, text)
    _replace(folder / f"{COMPLETE}.sha256", sha256_bytes(text).encode())
    sums = "".join(f"{digest}  {name}\n" for name, digest in sorted(record["files"].items()))
    _replace(folder / "SHA256SUMS", f"{sums}{sha256_bytes(text)}  {COMPLETE}\n".encode())
    with pytest.raises(IntegrityError, match="other weights"):
        load_candidate(folder)


def _replace(path: Path, data: bytes) -> None:
    path.chmod(0o644)
    path.write_bytes(data)


def test_without_its_completion_record_a_folder_is_no_candidate(tmp_path: Path) -> None:
    (tmp_path / "w.pt").write_bytes(b"x")
    copy_weights(tmp_path / "c", tmp_path / "w.pt")
    write_operating_point(tmp_path / "c", POINT)
    with pytest.raises(IntegrityError, match=r"training-complete\.json is missing"):
        load_candidate(tmp_path / "c")


def test_internal_report_binds_candidate_and_operating_point(tmp_path: Path) -> None:
    folder = make_candidate(tmp_path / "c", "a" * 64)
    record_internal_report(folder, {"native": {"f1": 0.8}}, {"predictions-0000.jsonl": "b" * 64})
    record = load_internal_report(folder)
    assert record["results"] == {"native": {"f1": 0.8}}
    assert record["candidate"] == load_candidate(folder).digest
    with pytest.raises(OutputProblem, match="only once"):
        record_internal_report(folder, {"native": {"f1": 0.8}}, {"predictions-0000.jsonl": "b" * 64})
    flip(folder / "internal-report.json")
    with pytest.raises(IntegrityError, match=r"internal-report\.json"):
        load_internal_report(folder)


def test_internal_report_of_another_candidate_is_refused(tmp_path: Path) -> None:
    one, other = make_candidate(tmp_path / "c", "a" * 64), make_candidate(tmp_path / "d", "a" * 64, b"other")
    record_internal_report(one, {"f1": 1})
    for name in ("internal-report.json", "internal-report.json.sha256"):
        (other / name).write_bytes((one / name).read_bytes())
    with pytest.raises(IntegrityError, match="another candidate"):
        load_internal_report(other)


def test_rules_may_carry_the_digest_of_their_source(tmp_path: Path) -> None:
    (tmp_path / "rules.json").write_text("{}")
    copy_weights(tmp_path / "c", tmp_path / "rules.json")
    write_operating_point(tmp_path / "c", POINT)
    identity = RunIdentity(index="a" * 64, model="b" * 64, configuration="c" * 64, implementation="d" * 64)
    source = sha256_object(["the rules"])
    candidate = complete_candidate(
        tmp_path / "c", identity=identity, summary={}, detector="rules", detector_weights=source
    )
    assert candidate.detector.weights == source
