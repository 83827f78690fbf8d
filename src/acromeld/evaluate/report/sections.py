# SPDX-License-Identifier: Apache-2.0
"""The sections about scores: an evaluation, and the external gate with the evaluation that it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.evaluate.report.figures import evaluation_figures
from acromeld.evaluate.report.rendering import Section
from acromeld.evaluate.report.tables import (
    Table,
    evaluation_tables,
    left_out_tables,
    number,
    reliability_table,
    worst_table,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acromeld.provenance.gate import GateResult


def evaluation_section(
    name: str, truth: Mapping[str, Any], systems: Mapping[str, Mapping[str, Any]]
) -> Section:
    """Every table and figure of systems that were scored on the same pages."""
    coverage = next(iter(systems.values()))["coverage"]
    size = f"{coverage['pages']:,} pages of {coverage['documents']:,} documents"
    return Section(
        name,
        f"{size} with {coverage['targets']:,} fields",
        (_truth_sentence(truth),) if truth else (),
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


def gate_section(result: GateResult) -> Section:
    """The verdict, and everything else the yardsticks said about the same predictions."""
    details = result.report["details"]
    verdict = _verdict_table(result)
    text = [f"The candidate {verdict.rows[0][0]} its one external evaluation; report {result.digest}."]
    if not result.claimed_here:
        text.append("The run took place elsewhere; the copy of the claim beside its report was checked.")
    left_out = left_out_tables(details)
    if "evaluation" not in details:
        return Section("gate", "External gate", tuple(text), (verdict, *left_out))
    scored = evaluation_section("gate", {}, {result.report["detector"]["name"]: details["evaluation"]})
    text.append(f"It was judged on {scored.title}.")
    return Section("gate", "External gate", tuple(text), (verdict, *left_out, *scored.tables), scored.figures)


def _verdict_table(result: GateResult) -> Table:
    report = result.report
    row = (
        "passed" if result.passed else "did not pass",
        *(f"{report['counts'][key]:,}" for key in ("tp", "fp", "fn")),
        number(report["f1"], 6),
        number(report["reference"]["value"], 6),
        str(report["attempts"]),
    )
    columns = ("verdict", "TP", "FP", "FN", "native F1", "reference", "attempts")
    return Table("verdict", "Verdict", columns, (row,))
