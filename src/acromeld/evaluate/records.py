# SPDX-License-Identifier: Apache-2.0
"""Evaluation records: results bound to everything they were computed from.

A record names the files behind it relative to itself and by digest. `load_evaluation` recomputes all of them
and fails closed, so that a table made from records cannot outlive a change of its sources.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acromeld.corpus.index import open_index
from acromeld.errors import IntegrityError
from acromeld.provenance.digests import check_sidecar, sha256_file
from acromeld.provenance.implementation import package_implementation
from acromeld.provenance.records import create_sealed_json, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "acromeld.evaluation-record/1"


@dataclass(frozen=True)
class Bound:
    """What a result was computed from.

    Attributes:
        predictions: Prediction files and their digests.
        truth: How the truth was chosen (index digest, role, sample) and its digest.
        index: Path of the sealed index, none when the truth came from a folder.
        point: Path of the operating-point record, none without one.
        audit: Path of the label audit that the pages were chosen by, none when they were not.
    """

    predictions: Mapping[Path, str]
    truth: Mapping[str, Any]
    index: Path | None = None
    point: Path | None = None
    audit: Path | None = None


def write_evaluation(path: Path, label: str, bound: Bound, results: Mapping[str, Any]) -> str:
    """Seal an evaluation; returns the digest of the record."""

    def beside(file: Path) -> str:
        return Path(os.path.relpath(file.resolve(), path.parent.resolve())).as_posix()

    record = {
        "schema": SCHEMA,
        "label": label,
        "implementation": package_implementation().digest,
        "predictions": {beside(file): digest for file, digest in bound.predictions.items()},
        "truth": dict(bound.truth),
        "index": None if bound.index is None else beside(bound.index),
        "point": None if bound.point is None else {beside(bound.point): sha256_file(bound.point)},
        **({} if bound.audit is None else {"audit": {beside(bound.audit): sha256_file(bound.audit)}}),
        "results": dict(results),
    }
    return create_sealed_json(path, record)


def load_evaluation(path: Path) -> dict[str, Any]:
    """A record whose every source is still what it was.

    Raises:
        IntegrityError: The record or one of its sources is missing or was changed; the sentence names it.
    """
    if not path.is_file():
        raise IntegrityError(f"{path} does not exist.")
    record = read_json(path, schema=SCHEMA, digest=check_sidecar(path))
    files = {**record["predictions"], **(record["point"] or {}), **record.get("audit", {})}
    for name, digest in files.items():
        source = path.parent / name
        if not source.is_file() or sha256_file(source) != digest:
            raise IntegrityError(f"{source}, which {path.name} was computed from, is missing or was changed.")
    if record["index"] is not None:
        open_index(path.parent / record["index"], digest=record["truth"]["index"]).close()
    return record
