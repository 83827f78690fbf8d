# SPDX-License-Identifier: Apache-2.0
"""Evaluation results on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.table import Table as RichTable

from acromeld.cli.console import wide_console
from acromeld.evaluate.report.tables import evaluation_tables

if TYPE_CHECKING:
    from acromeld.evaluate.report.tables import Table


def print_results(label: str, results: dict[str, Any]) -> None:
    """Every table of one evaluation, the same ones that reports show."""
    console = wide_console()
    coverage = results["coverage"]
    console.print(
        f"{label}: {coverage['documents']:,} documents, {coverage['pages']:,} pages, "
        f"{coverage['targets']:,} fields, {coverage['pages_without_line']:,} pages without a line.",
        highlight=False,
    )
    for table in evaluation_tables({label: results}):
        console.print(for_terminal(table))


def for_terminal(table: Table) -> RichTable:
    """The table with its first column to the left and the others to the right."""
    shown = RichTable(title=table.title, box=None, pad_edge=False, title_justify="left")
    for number, column in enumerate(table.columns):
        shown.add_column(column, justify="right" if number else "left")
    for row in table.rows:
        shown.add_row(*row)
    return shown
