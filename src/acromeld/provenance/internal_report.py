# SPDX-License-Identifier: Apache-2.0
"""The post-freeze internal report: what the frozen candidate scored on the internal test, written once.

Internal-test inference begins only after candidate and operating point are sealed, and decides nothing; the
record therefore binds both, and there is one per candidate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.provenance.candidate import OPERATING_POINT, load_candidate
from acromeld.provenance.digests import check_sidecar
from acromeld.provenance.records import create_sealed_json, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acromeld.provenance.candidate import Candidate

INTERNAL_REPORT = "internal-report.json"
_SCHEMA = "acromeld.internal-report/1"


def record_internal_report(
    candidate_dir: Path, results: Mapping[str, Any], shards: Mapping[str, str] | None = None
) -> str:
    """Write the results and the digests of the prediction shards behind them; returns the record's digest."""
    candidate = load_candidate(candidate_dir)
    record = _bindings(candidate) | {"shards": dict(shards or {}), "results": dict(results)}
    return create_sealed_json(candidate_dir / INTERNAL_REPORT, record)


def load_internal_report(candidate_dir: Path) -> dict[str, Any]:
    """The record, after checking that it belongs to the candidate and operating point beside it."""
    candidate = load_candidate(candidate_dir)
    path = candidate_dir / INTERNAL_REPORT
    digest = check_sidecar(path)
    record = read_json(path, schema=_SCHEMA, digest=digest)
    for key, expected in _bindings(candidate).items():
        if record.get(key) != expected:
            raise IntegrityError(f"{path} belongs to another candidate: its {key} does not match.")
    return record


def _bindings(candidate: Candidate) -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "candidate": candidate.digest,
        "operating_point": candidate.files[OPERATING_POINT],
        "completion": candidate.completion,
        "index": candidate.identity.index,
    }
