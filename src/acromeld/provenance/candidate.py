# SPDX-License-Identifier: Apache-2.0
"""Frozen candidates: a folder whose files cannot be exchanged without its loader saying which one was.

Steps, each create-only: the weights are copied (`copy_weights`), the operating point is written and bound to
them (`write_operating_point`), and `complete_candidate` adds the run identity, training summary, metric
history and the list of training documents and then, last, ``training-complete.json``, which binds the digest
of everything. A folder without that record is no candidate. The list (``training-documents.txt``, a SHA-256 a
line) lets the gate refuse known documents where the index is not at hand; it may also have the files that
documents of the index were cleaned from. "Weights" is whatever the detector is made of; for rules, a list of
sources.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from acromeld.errors import IntegrityError
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.provenance.digests import (
    SUMS_NAME,
    canonical_json,
    check_sidecar,
    sha256_bytes,
    sha256_file,
    sidecar,
    sums_text,
)
from acromeld.provenance.identity import RunIdentity, parse_identity
from acromeld.provenance.records import (
    create_bytes,
    create_copy,
    create_json,
    ensure_bytes,
    json_bytes,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

RUN_IDENTITY = "run-identity.json"
OPERATING_POINT = "operating-point.json"
SUMMARY = "training-summary.json"
METRICS = "metrics.jsonl"
DOCUMENTS = "training-documents.txt"
COMPLETE = "training-complete.json"

_POINT_SCHEMA = "acromeld.operating-point/1"
_COMPLETE_SCHEMA = "acromeld.training-complete/1"


@dataclass(frozen=True)
class Candidate:
    """A candidate whose whole chain of digests was checked.

    Attributes:
        folder: Where it lies.
        weights: The weights file.
        detector: Name of the detector and the weights digest its prediction lines carry.
        operating_point: The selected thresholds.
        identity: The run that made it.
        files: Digest of every bound file by name.
        completion: Digest of ``training-complete.json``: the identity of the candidate as a whole.
        last_checkpoint: Digest of the last training checkpoint, which is not kept here; none for rules.
    """

    folder: Path
    weights: Path
    detector: DetectorRef
    operating_point: OperatingPoint
    identity: RunIdentity
    files: Mapping[str, str]
    completion: str
    last_checkpoint: str | None = None

    @property
    def digest(self) -> str:
        """Digest of the weights file."""
        return self.files[self.weights.name]

    def documents(self) -> frozenset[str] | None:
        """Hashes of every document of its index, and of originals that are listed; none without a list."""
        if DOCUMENTS not in self.files:
            return None
        return frozenset((self.folder / DOCUMENTS).read_text("ascii").split())


def copy_weights(folder: Path, source: Path) -> str:
    """Copy the selected weights to ``candidate.<suffix>``, once; returns their digest."""
    taken = _weights_files(folder)
    if taken:
        raise IntegrityError(f"{folder} already holds the weights {taken[0].name}; a candidate has one.")
    return create_copy(source, folder / f"candidate{source.suffix}")


def _weights_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("candidate*") if path.is_file())


def _weights(folder: Path) -> Path:
    found = _weights_files(folder)
    if len(found) != 1:
        raise IntegrityError(f"{folder} has {len(found)} weights files; a candidate has exactly one.")
    return found[0]


def write_operating_point(
    folder: Path, point: OperatingPoint, calibration: Mapping[str, Any] | None = None
) -> str:
    """Write the selected thresholds, bound to the weights in the folder; returns the digest of the record."""
    record = {
        "schema": _POINT_SCHEMA,
        "candidate": sha256_file(_weights(folder)),
        "point": point.model_dump(mode="json"),
        "calibration": dict(calibration or {}),
    }
    return create_json(folder / OPERATING_POINT, record)


def complete_candidate(
    folder: Path,
    *,
    identity: RunIdentity,
    summary: Mapping[str, Any],
    metrics: Sequence[Mapping[str, Any]] = (),
    documents: Collection[str] = (),
    detector: str,
    detector_weights: str | None = None,
    last_checkpoint: str | None = None,
) -> Candidate:
    """Write what is still missing and then the completion record, and load the result.

    Args:
        folder: Holds the weights and the operating point.
        identity: The run that made the weights.
        summary: Anything worth knowing about the training.
        metrics: The metric history, one mapping per epoch.
        documents: Hashes of all documents of the index, and of the originals of those that were cleaned.
        detector: Registered name of the detector the weights are for.
        detector_weights: The weights digest its prediction lines carry; the digest of the weights file
            unless the detector is not made of a file (the rules carry the digest of their source).
        last_checkpoint: Digest of the last training checkpoint.
    """
    weights = _weights(folder)
    lines = "".join(canonical_json(dict(row)) + "\n" for row in metrics)
    ensure_bytes(folder / RUN_IDENTITY, json_bytes(identity.record()))
    ensure_bytes(folder / SUMMARY, json_bytes(dict(summary)))
    ensure_bytes(folder / METRICS, lines.encode())
    names = [weights.name, OPERATING_POINT, RUN_IDENTITY, SUMMARY, METRICS]
    if documents:
        ensure_bytes(folder / DOCUMENTS, "".join(f"{digest}\n" for digest in sorted(documents)).encode())
        names.append(DOCUMENTS)
    files = {name: sha256_file(folder / name) for name in names}
    record = {
        "schema": _COMPLETE_SCHEMA,
        "weights": weights.name,
        "files": files,
        "detector": {"name": detector, "weights": detector_weights or files[weights.name]},
        "last_checkpoint": last_checkpoint,
    }
    _write_completion(folder, record)
    return load_candidate(folder)


def _write_completion(folder: Path, record: dict[str, Any]) -> None:
    """The sidecar and the sums go first, so that the completion record is the last file to appear."""
    data = json_bytes(record)
    digest = sha256_bytes(data)
    sums = sums_text(folder, record["files"]) + f"{digest}  {COMPLETE}\n"
    ensure_bytes(sidecar(folder / COMPLETE), digest.encode("ascii") + b"\n")
    ensure_bytes(folder / SUMS_NAME, sums.encode())
    create_bytes(folder / COMPLETE, data)


def load_candidate(folder: Path) -> Candidate:
    """Check the whole chain and return the candidate; `IntegrityError` names each file that differs."""
    path = folder / COMPLETE
    if not path.is_file():
        raise IntegrityError(f"{folder} is not a completed candidate: {COMPLETE} is missing.")
    completion = check_sidecar(path)
    record = read_json(path, schema=_COMPLETE_SCHEMA)
    files = _bound_files(record, path)
    _check_files(folder, files, completion)
    identity = parse_identity(read_json(folder / RUN_IDENTITY), str(folder / RUN_IDENTITY))
    weights = folder / str(record.get("weights"))
    point = _operating_point(folder, files.get(weights.name))
    return Candidate(
        folder=folder,
        weights=weights,
        detector=DetectorRef.model_validate(record["detector"]),
        operating_point=point,
        identity=identity,
        files=files,
        completion=completion,
        last_checkpoint=record.get("last_checkpoint"),
    )


def _bound_files(record: dict[str, Any], path: Path) -> dict[str, str]:
    files = record.get("files")
    needed = {RUN_IDENTITY, OPERATING_POINT, SUMMARY, METRICS, record.get("weights")}
    if not isinstance(files, dict) or not needed <= files.keys():
        raise IntegrityError(f"{path} does not bind all the files of a candidate.")
    return {str(name): str(digest) for name, digest in files.items()}


def _check_files(folder: Path, files: Mapping[str, str], completion: str) -> None:
    wrong = [
        name
        for name, digest in files.items()
        if not (folder / name).is_file() or sha256_file(folder / name) != digest
    ]
    sums = folder / SUMS_NAME
    lines = [f"{digest}  {name}\n" for name, digest in sorted(files.items())]
    expected = "".join([*lines, f"{completion}  {COMPLETE}\n"])
    if not sums.is_file() or sums.read_bytes() != expected.encode():
        wrong.append(SUMS_NAME)
    if wrong:
        raise IntegrityError(
            f"The candidate in {folder} was changed: {', '.join(wrong)} does not match {COMPLETE}."
        )


def _operating_point(folder: Path, weights: str | None) -> OperatingPoint:
    path = folder / OPERATING_POINT
    record = read_json(path, schema=_POINT_SCHEMA)
    if record.get("candidate") != weights:
        raise IntegrityError(f"{path} belongs to other weights than those in its folder.")
    try:
        return OperatingPoint.model_validate(record.get("point"))
    except ValidationError:
        raise IntegrityError(f"{path} holds no operating point.") from None
