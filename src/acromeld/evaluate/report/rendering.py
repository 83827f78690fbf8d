# SPDX-License-Identifier: Apache-2.0
"""A report as text: Markdown, HTML and CSV of the same sections."""

from __future__ import annotations

import csv
import html
import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.report.figures import Figure
    from acromeld.evaluate.report.tables import Table


@dataclass(frozen=True)
class Section:
    """Part of a report. ``name`` prefixes the files of its tables and figures, so they never collide."""

    name: str
    title: str
    text: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = field(default=())


def csv_text(table: Table) -> str:
    """The table as comma-separated values; thousands are not separated there."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_plain(cell) for cell in row] for row in table.rows)
    return out.getvalue()


def _plain(cell: str) -> str:
    """``1,234`` as a machine reads it, and nothing where nothing is defined."""
    digits = cell.replace(",", "")
    return "" if cell == "–" else digits if digits.isdigit() else cell


def markdown(title: str, sections: Sequence[Section]) -> str:
    """The whole report; figures are linked from ``figures/``."""
    parts = [f"# {title}"]
    for section in sections:
        parts += [f"## {section.title}", *section.text]
        for table in section.tables:
            parts += [f"### {table.title}", _markdown_table(table), *([table.note] if table.note else [])]
        parts += [f"![{figure.alt}](figures/{section.name}-{figure.name}.png)" for figure in section.figures]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    rows = [table.columns, *table.rows]
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    lines.insert(1, "|" + "|".join(["---"] + ["---:"] * (len(table.columns) - 1)) + "|")
    return "\n".join(lines)


_CSS = """body{font:15px/1.45 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#222}
table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums;font-size:13px}
th,td{padding:.2rem .6rem;border-bottom:1px solid #ddd;text-align:right}
th:first-child,td:first-child{text-align:left}img{max-width:100%}.wide{overflow-x:auto}"""


def html_page(title: str, sections: Sequence[Section]) -> str:
    """The whole report as one page that needs no network; figures come from ``figures/``."""
    body = [f"<h1>{html.escape(title)}</h1>"]
    for section in sections:
        body.append(f"<h2>{html.escape(section.title)}</h2>")
        body += [f"<p>{html.escape(text)}</p>" for text in section.text]
        for table in section.tables:
            body += [f"<h3>{html.escape(table.title)}</h3>", _html_table(table)]
            body += [f"<p>{html.escape(table.note)}</p>"] if table.note else []
        body += [
            f'<p><img src="figures/{section.name}-{figure.name}.svg" alt="{html.escape(figure.alt)}"></p>'
            for figure in section.figures
        ]
    head = f'<meta charset="utf-8"><title>{html.escape(title)}</title><style>{_CSS}</style>'
    return (
        f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n'
        + "\n".join(body)
        + "\n</body></html>\n"
    )


def _html_table(table: Table) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    lines = [row(table.columns, "th"), *(row(cells, "td") for cells in table.rows)]
    return '<div class="wide"><table>\n' + "\n".join(lines) + "\n</table></div>"
