# SPDX-License-Identifier: Apache-2.0
"""What a report says, from records whose every digest is recomputed before anything is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.evaluate.gate_run import check_raw
from acromeld.evaluate.records import load_evaluation
from acromeld.evaluate.report.figures import evaluation_figures, trajectory
from acromeld.evaluate.report.rendering import Section
from acromeld.evaluate.report.tables import Table, evaluation_tables, number, reliability_table, worst_table
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
        _evaluation_section(f"pages{place}", first[digest], systems)
        for place, (digest, systems) in enumerate(truths.items(), 1)
    )
    sources = {f"{record['label']}/{path.name}": sha256_file(path) for path, record in records}
    return Contents(sections, sources)


def _evaluation_section(
    name: str, truth: Mapping[str, Any], systems: Mapping[str, Mapping[str, Any]]
) -> Section:
    coverage = next(iter(systems.values()))["coverage"]
    size = f"{coverage['pages']:,} pages of {coverage['documents']:,} documents"
    return Section(
        name,
        f"{size} with {coverage['targets']:,} fields",
        (_truth_sentence(truth),),
        (*evaluation_tables(systems), reliability_table(systems), worst_table(systems)),
        tuple(evaluation_figures(systems)),
    )


def _truth_sentence(truth: Mapping[str, Any]) -> str:
    if truth.get("index") is None:
        return f"Truth: native widgets of a folder, digest {truth['digest']}."
    sample = truth.get("sample")
    drawn = f", a sample of {sample['pages']} pages drawn with seed {sample['seed']}" if sample else ""
    of = f"role {truth['role']} of the index {truth['index']}{drawn}{_audit_words(truth.get('audit'))}"
    return f"Truth: {of}; digest {truth['digest']}."


def _audit_words(audit: Mapping[str, Any] | None) -> str:
    if audit is None:
        return ""
    graded = f"graded {' or '.join(audit['grades'])}" if audit["grades"] else "that were graded"
    return f", only pages {graded} in the label audit {audit['digest']}"


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
    section = _evaluation_section("internal", results["truth"], {candidate.detector.name: results})
    titled = Section(
        "internal", f"Internal test: {section.title}", section.text, section.tables, section.figures
    )
    return Contents((titled,), {INTERNAL_REPORT: sha256_file(candidate.folder / INTERNAL_REPORT)})


def _gate(out: Path, folder: Path) -> Contents:
    result = load_gate_report(out, folder)
    report = result.report
    check_raw(out, report)
    verdict = "passed" if result.passed else "did not pass"
    row = (
        verdict,
        *(f"{report['counts'][key]:,}" for key in ("tp", "fp", "fn")),
        number(report["f1"], 6),
        number(report["reference"]["value"], 6),
        str(report["attempts"]),
    )
    columns = ("verdict", "TP", "FP", "FN", "native F1", "reference", "attempts")
    section = Section(
        "gate",
        "External gate",
        (f"The candidate {verdict} its one external evaluation; report {result.digest}.",),
        (Table("verdict", "Verdict", columns, (row,)),),
    )
    return Contents((section,), {"gate report.json": result.digest})
