# SPDX-License-Identifier: Apache-2.0
"""What a report says, from records whose every digest is recomputed before anything is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.evaluate.gate_kept import check_raw
from acromeld.evaluate.records import load_evaluation
from acromeld.evaluate.report.figures import trajectory
from acromeld.evaluate.report.rendering import Section
from acromeld.evaluate.report.sections import evaluation_section, gate_section
from acromeld.evaluate.report.tables import Table
from acromeld.provenance.candidate import METRICS, load_candidate
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.gate_verify import load_gate_report
from acromeld.provenance.internal_report import INTERNAL_REPORT, load_internal_report

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from acromeld.provenance.candidate import Candidate


@dataclass(frozen=True)
class Contents:
    """Sections, and the digest of every record they were made from, by a name without folders."""

    sections: tuple[Section, ...]
    sources: Mapping[str, str]

    def __add__(self, other: Contents) -> Contents:
        return Contents(self.sections + other.sections, {**self.sources, **other.sources})


def from_evaluations(paths: Sequence[Path]) -> Contents:
    """One section for each set of pages; systems scored on the same pages stand side by side."""
    records = [(path, load_evaluation(path)) for path in paths]
    truths: dict[str, dict[str, Mapping[str, Any]]] = {}
    first: dict[str, Mapping[str, Any]] = {}
    for path, record in records:
        systems = truths.setdefault(record["truth"]["digest"], {})
        if record["label"] in systems:
            raise IntegrityError(f"{path} is a second evaluation of {record['label']} on the same pages.")
        systems[record["label"]] = record["results"]
        first.setdefault(record["truth"]["digest"], record["truth"])
    sections = tuple(
        evaluation_section(f"pages{place}", first[digest], systems)
        for place, (digest, systems) in enumerate(truths.items(), 1)
    )
    sources = {f"{record['label']}/{path.name}": sha256_file(path) for path, record in records}
    return Contents(sections, sources)


def from_candidate(folder: Path, gate: Path | None = None) -> Contents:
    """The candidate, its internal report when there is one, and its gate run when it is named."""
    candidate = load_candidate(folder)
    contents = Contents((_candidate_section(candidate),), {"training-complete.json": candidate.completion})
    if (folder / INTERNAL_REPORT).exists():
        contents += _internal(candidate)
    if gate is not None:
        contents += _gate(gate, folder)
    return contents


def _candidate_section(candidate: Candidate) -> Section:
    lines = (candidate.folder / METRICS).read_text(encoding="utf-8").splitlines()
    drawn = trajectory([json.loads(line) for line in lines])
    rows = [*candidate.files.items(), ("training-complete.json", candidate.completion)]
    bound = Table("files", "Bound files", ("file", "SHA-256"), tuple((name, value) for name, value in rows))
    identity = tuple((key, str(value or "–")) for key, value in candidate.identity.record().items())
    return Section(
        "candidate",
        f"Candidate {candidate.detector.name}",
        (f"Completion record {candidate.completion}.",),
        (bound, Table("identity", "Run identity", ("what", "digest"), identity), _point_table(candidate)),
        () if drawn is None else (drawn,),
    )


def _point_table(candidate: Candidate) -> Table:
    point = candidate.operating_point.model_dump(mode="json")
    row = tuple(f"{value:g}" for value in point.values())
    return Table("operating-point", "Operating point", tuple(point), (row,))


def _internal(candidate: Candidate) -> Contents:
    record = load_internal_report(candidate.folder)
    results = record["results"]
    section = evaluation_section("internal", results["truth"], {candidate.detector.name: results})
    titled = Section(
        "internal", f"Internal test: {section.title}", section.text, section.tables, section.figures
    )
    return Contents((titled,), {INTERNAL_REPORT: sha256_file(candidate.folder / INTERNAL_REPORT)})


def _gate(out: Path, folder: Path) -> Contents:
    result = load_gate_report(out, folder)
    check_raw(out, result.report)
    return Contents((gate_section(result),), {"gate report.json": result.digest})
