# SPDX-License-Identifier: Apache-2.0
"""Walking a finished gate run back by its digests, from the completion marker to the candidate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.provenance.candidate import load_candidate
from acromeld.provenance.digests import SUMS_NAME, check_sidecar, check_sums, sha256_file
from acromeld.provenance.gate import MARKER, MARKER_SCHEMA, REPORT, REPORT_SCHEMA, GateResult
from acromeld.provenance.gate_entry import CLAIM, CLAIM_SCHEMA, IDENTITY, REGISTRATION, RESULT, RUN
from acromeld.provenance.records import read_json
from acromeld.provenance.registration import REGISTRATION_SCHEMA, Counts, Reference

if TYPE_CHECKING:
    from pathlib import Path


def load_gate_report(out: Path, candidate_dir: Path) -> GateResult:
    """The report of a finished gate run, every link of the chain recomputed.

    The claim is looked for in the candidate's folder and, where the candidate lies on another machine than
    the one that ran the gate, in the copy that was sealed with the report.

    Raises:
        IntegrityError: There is no completed run, or a link does not match; the sentence names the file.
    """
    marker = out / RESULT / MARKER
    if not marker.is_file():
        raise IntegrityError(f"{out} holds no completed gate run: {marker.name} is missing.")
    bound = read_json(marker, schema=MARKER_SCHEMA)
    report = read_json(out / RESULT / REPORT, schema=REPORT_SCHEMA, digest=bound["report"])
    check_sidecar(out / RESULT / REPORT)
    registered = _registration(out, bound["identity"])
    _check_shards(out, report)
    _check_candidate(candidate_dir, report, registered)
    claimed_here = _check_claim(candidate_dir, out, bound["identity"])
    _check_decision(report, registered, out)
    check_sums(out / RESULT / SUMS_NAME)
    return GateResult(bool(report["passed"]), report, bound["report"], out, claimed_here)


def _registration(out: Path, identity: str) -> dict[str, Any]:
    record = read_json(out / IDENTITY, digest=identity)
    registered = read_json(out / REGISTRATION, schema=REGISTRATION_SCHEMA, digest=record["registration"])
    if registered["corpus"] != record["corpus"]:
        raise IntegrityError(f"{out / IDENTITY} names another corpus than the registration.")
    return registered


def _check_shards(out: Path, report: dict[str, Any]) -> None:
    for name, digest in report["shards"].items():
        if check_sidecar(out / name) != digest:
            raise IntegrityError(f"{out / name} is not the shard the report was made from.")


def _check_candidate(folder: Path, report: dict[str, Any], registered: dict[str, Any]) -> None:
    candidate = load_candidate(folder)
    for record in (report, registered):
        if (record["completion"], record["files"]) != (candidate.completion, dict(candidate.files)):
            raise IntegrityError(f"The gate run is not about the candidate in {folder}.")


def _check_claim(folder: Path, out: Path, identity: str) -> bool:
    """Check the claim of this run; whether it was there to be checked in the candidate's folder."""
    here = (folder / CLAIM).exists()
    path = folder / CLAIM if here else out / RESULT / CLAIM
    if not path.is_file():
        raise IntegrityError(f"Neither {folder} nor {out / RESULT} holds the claim of this run, {CLAIM}.")
    claim = read_json(path, schema=CLAIM_SCHEMA)
    if claim.get("identity") != identity or claim.get("run") != sha256_file(out / RUN):
        raise IntegrityError(f"{path} claims another gate run than this one.")
    return here


def _check_decision(report: dict[str, Any], registered: dict[str, Any], out: Path) -> None:
    """The verdict must follow from the counts and the *registered* reference."""
    value = registered["reference"]
    counts = Counts(**value["counts"]) if value["counts"] else None
    reference = Reference(value["value"], value["source"], counts)
    if report["reference"] != value or reference.beaten_by(Counts(**report["counts"])) != report["passed"]:
        raise IntegrityError(f"The verdict in {out / RESULT / REPORT} does not follow from its counts.")
