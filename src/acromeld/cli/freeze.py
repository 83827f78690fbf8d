# SPDX-License-Identifier: Apache-2.0
"""``acromeld freeze``: weights and operating point into a candidate folder that cannot be changed quietly."""

from __future__ import annotations

import inspect
import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acromeld.corpus.index import open_index
from acromeld.corpus.manifest import read_manifest
from acromeld.corpus.roles import Role
from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.evaluate.points import read_calibration, read_point
from acromeld.provenance.candidate import complete_candidate, copy_weights, write_operating_point
from acromeld.provenance.digests import sha256_file, sha256_object
from acromeld.provenance.identity import RunIdentity, parse_identity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.provenance.records import read_json

if TYPE_CHECKING:
    from acromeld.corpus.index import SealedIndex
    from acromeld.detect.candidates import Detector


def freeze(
    out: Path,
    /,
    *,
    index: Path,
    calibration: Path,
    detector: str = DEFAULT,
    weights: Path | None = None,
    identity: Path | None = None,
    summary: Path | None = None,
    metrics: Path | None = None,
    origins: Path | None = None,
) -> int:
    """Make a candidate: weights, operating point, run identity, training summary, metrics, completion.

    Args:
        out: Folder to make.
        index: The sealed index of the run.
        calibration: Record made by ``acromeld calibrate`` for this detector.
        detector: Registered name.
        weights: The weights file; a detector without one (rules) is frozen as its source file.
        identity: Run identity written by training; made here for detectors that are not trained.
        summary: Training summary (JSON object).
        metrics: Metric history (JSON lines).
        origins: A manifest the index was built from, where it names the files its documents were cleaned
            from; the gate refuses those, too.
    """
    if out.exists():
        raise OutputProblem(f"{out} exists already; a candidate gets a folder of its own.")
    finder = load_detector(detector, weights)
    made_of = _weights(finder, detector, weights)
    record = read_calibration(calibration)
    _check_role(record, calibration)
    with open_index(index, digest=record["index"]) as opened:
        digest, documents = opened.digest, opened.hashes()
        if origins is not None:
            documents |= _origins(opened, origins)
    wanted = f"{finder.ref.name} {finder.ref.weights or ''}".strip()
    if record["detector"] != [wanted]:
        raise IntegrityError(f"{calibration} was made for another detector than {wanted}.")
    run = _identity(identity, digest, wanted, record)
    history = [] if metrics is None else _lines(metrics)
    facts = {"training": "none"} if summary is None else read_json(summary)
    copy_weights(out, made_of)
    proof = {key: record[key] for key in ("role", "pages", "native", "tied_cells", "seconds", "predictions")}
    write_operating_point(out, read_point(calibration), proof | {"record": sha256_file(calibration)})
    made = complete_candidate(
        out, identity=run, summary=facts, metrics=history, documents=documents,
        detector=finder.ref.name, detector_weights=finder.ref.weights,
        last_checkpoint=_last_checkpoint(facts),
    )  # fmt: skip
    print(f"{out}: candidate {made.detector.name}, weights {made.digest}, completion {made.completion}.")
    return 0


def _check_role(record: dict[str, Any], path: Path) -> None:
    if record["role"] != Role.CALIBRATION:
        raise IntegrityError(
            f"{path} was made on the role {record['role']}; a candidate has a point chosen on calibration."
        )


def _origins(index: SealedIndex, manifest: Path) -> frozenset[str]:
    """Hashes of the files that documents of the index were cleaned from.

    They are no part of the index, but the index binds the manifest that has them.
    """
    if sha256_file(manifest) not in json_format.loads(index.meta()["manifests"]):
        raise IntegrityError(
            f"{manifest} is not a manifest of the index: its digest is not among those bound."
        )
    known = index.hashes()
    return frozenset(
        entry.origin for entry in read_manifest(manifest) if entry.origin and entry.sha256 in known
    )


def _weights(finder: Detector, name: str, given: Path | None) -> Path:
    """The file whose digest the detector's prediction lines carry."""
    source = given or Path(inspect.getsourcefile(type(finder)) or "")
    if not source.is_file():
        raise InputNotFound(f"{source} does not exist.")
    if sha256_file(source) != finder.ref.weights:
        hint = "" if given else " Name its weights file with --weights."
        raise IntegrityError(f"{source.name} is not what the detector {name} is made of.{hint}")
    return source


def _identity(path: Path | None, index: str, detector: str, calibration: dict[str, Any]) -> RunIdentity:
    if path is not None:
        found = parse_identity(read_json(path), str(path))
        if found.index != index:
            raise IntegrityError(f"{path} belongs to another index than the one named.")
        return found
    project = project_implementation()
    return RunIdentity(
        index=index,
        model=sha256_object({"detector": detector}),
        configuration=sha256_object({"point": calibration["point"], "role": calibration["role"]}),
        implementation=package_implementation().digest,
        project=None if project is None else project.digest,
    )


def _last_checkpoint(summary: dict[str, Any]) -> str | None:
    """Digest of the checkpoint a training run ended with; not every detector has one."""
    named = summary.get("last_checkpoint")
    return str(named["sha256"]) if isinstance(named, dict) else None


def _lines(path: Path) -> list[dict[str, Any]]:
    try:
        rows = [json_format.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError:
        raise IntegrityError(f"{path} is not a file of JSON lines.") from None
    if not all(isinstance(row, dict) for row in rows):
        raise IntegrityError(f"{path} is not a file of JSON objects, one a line.")
    return rows
