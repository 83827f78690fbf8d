# SPDX-License-Identifier: Apache-2.0
"""A report into a folder: all of it appears, or nothing."""

from __future__ import annotations

import secrets
import shutil
from typing import TYPE_CHECKING

from acromeld.errors import OutputProblem
from acromeld.evaluate.report.rendering import Section, csv_text, html_page, markdown
from acromeld.evaluate.report.tables import Table
from acromeld.provenance.digests import SUMS_NAME, sums_text

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.evaluate.report.contents import Contents


def write_report(out: Path, title: str, contents: Contents) -> list[str]:
    """Write Markdown, HTML, figures and tables with their ``SHA256SUMS``; returns the file names."""
    if out.exists():
        raise OutputProblem(f"{out} exists already; a report gets a folder of its own.")
    sections = (*contents.sections, _sources(contents))
    staged = out.with_name(f".{out.name}.{secrets.token_hex(6)}.part")
    try:
        for name, data in _files(title, sections).items():
            path = staged / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        names = sorted(path.relative_to(staged).as_posix() for path in staged.rglob("*") if path.is_file())
        (staged / SUMS_NAME).write_text(sums_text(staged, names), encoding="utf-8")
        staged.rename(out)
    except OSError as error:
        raise OutputProblem(f"{out} cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return names


def _files(title: str, sections: tuple[Section, ...]) -> dict[str, bytes]:
    files = {
        "report.md": markdown(title, sections).encode(),
        "report.html": html_page(title, sections).encode(),
    }
    for section in sections:
        for table in section.tables:
            files[f"tables/{section.name}-{table.name}.csv"] = csv_text(table).encode()
        for figure in section.figures:
            files[f"figures/{section.name}-{figure.name}.png"] = figure.png
            files[f"figures/{section.name}-{figure.name}.svg"] = figure.svg
    return files


def _sources(contents: Contents) -> Section:
    table = Table(
        "records",
        "Records",
        ("record", "SHA-256"),
        tuple((name, value) for name, value in contents.sources.items()),
    )
    text = "Every digest below, and of everything these records bind, was recomputed for this report."
    return Section("sources", "What this was made from", (text,), (table,))
