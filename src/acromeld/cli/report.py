# SPDX-License-Identifier: Apache-2.0
"""``acromeld report``: tables and figures from sealed records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from acromeld.errors import InputNotFound
from acromeld.evaluate.report.contents import Contents, from_candidate, from_evaluations
from acromeld.evaluate.report.writing import write_report


def report(
    out: Path,
    /,
    *,
    candidate: Path | None = None,
    gate: Path | None = None,
    evaluations: Annotated[list[Path] | None, Parameter(consume_multiple=True, negative="")] = None,
    title: str = "AcroMELD report",
) -> int:
    """Write a report as Markdown, HTML, PNG, SVG and CSV; a digest that does not match stops it.

    Args:
        out: Folder to make.
        candidate: A frozen candidate: its records, internal report and training history.
        gate: Output folder of the candidate's gate run.
        evaluations: Records made by ``acromeld evaluate -o``; systems on the same pages stand side by side.
        title: Heading of the report.
    """
    if candidate is None and not evaluations:
        raise InputNotFound("What is the report about? Give --candidate DIR or --evaluations FILE...")
    if gate is not None and candidate is None:
        raise InputNotFound("A gate run is reported with its candidate: give --candidate, too.")
    contents = Contents((), {})
    if candidate is not None:
        contents += from_candidate(candidate, gate)
    if evaluations:
        contents += from_evaluations(evaluations)
    names = write_report(out, title, contents)
    print(f"{out / 'report.md'}, report.html, {len(names) - 2} tables and figures.")
    return 0
