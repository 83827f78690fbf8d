# SPDX-License-Identifier: Apache-2.0
"""The report as a page to look at: totals, failures with their reasons, pictures of doubtful pages.

One file without scripts. Every name and reason is escaped, and links are relative to the output folder.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

if TYPE_CHECKING:
    Row = dict[str, Any]

SHOWN = 300
"""Pictures and failures on the page at the most; the CSV has them all."""

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #8886; padding: .25rem .75rem .25rem 0; }
th, td { text-align: left; vertical-align: top; }
.pages { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); padding: 0; }
.pages li { list-style: none; overflow-wrap: anywhere; }
.pages img { border: 1px solid #8886; max-width: 100%; }
td { overflow-wrap: anywhere; }
"""


def report_page(rows: list[Row], totals: Row, configuration: Row) -> str:
    """The whole page."""
    sections = [_totals(totals, configuration), _failures(rows), _doubtful(rows)]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; "
        "style-src 'unsafe-inline'\">\n"
        f"<title>Batch report</title>\n<style>{_STYLE}</style></head>\n<body>\n<h1>Batch report</h1>\n"
        + "\n".join(sections)
        + "\n</body></html>\n"
    )


def _totals(totals: Row, configuration: Row) -> str:
    found = ", ".join(f"{count:,} {escape(kind)}" for kind, count in totals["found"].items())
    rows = {
        "Files": f"{totals['files']:,} ({totals['different']:,} different)",
        "Done": f"{totals['done']:,}",
        "Failed": f"{totals['failed']:,}",
        "Pages": f"{totals['pages']:,}",
        "Fields found": found,
        "Pages to look at": f"{totals['doubtful_pages']:,}",
        "Detector": escape(f"{configuration['detector']}, weights {configuration['weights'][:12]}"),
    }
    body = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows.items())
    return f"<table>{body}</table>"


def _failures(rows: list[Row]) -> str:
    failed = [row for row in rows if row["state"] == "failed"]
    if not failed:
        return "<h2>Failures</h2>\n<p>None.</p>"
    lines = [
        f"<tr><td>{escape(row['input'])}</td><td>{escape(row['code'].replace('_', ' '))}</td>"
        f"<td>{escape(row['reason'])}</td></tr>"
        for row in failed[:SHOWN]
    ]
    head = '<tr><th scope="col">File</th><th scope="col">Kind</th><th scope="col">Reason</th></tr>'
    return f"<h2>Failures</h2>\n<table>{head}\n" + "\n".join(lines) + "</table>" + _more(len(failed))


def _doubtful(rows: list[Row]) -> str:
    shown = [(doubt, row) for row in rows for doubt in row.get("doubts", ()) if doubt["picture"] is not None]
    shown.sort(key=lambda pair: -pair[0]["fields"])
    if not shown:
        return "<h2>Pages to look at</h2>\n<p>None.</p>"
    words = "<p>Orange fields are those the detector nearly left out.</p>"
    items = "\n".join(_item(doubt, row) for doubt, row in shown[:SHOWN])
    return f'<h2>Pages to look at</h2>\n{words}\n<ul class="pages">\n{items}\n</ul>' + _more(len(shown))


def _item(doubt: Row, row: Row) -> str:
    where = quote(f"../{row['output'] or row['fields_file']}")
    count = doubt["fields"]
    told = f"{count} doubtful {'field' if count == 1 else 'fields'}" if count else "not read in full"
    label = f"{escape(row['input'])}, page {doubt['page']}"
    picture = f'<img loading="lazy" src="{quote(doubt["picture"])}" alt="{label}">'
    return f'<li><a href="{where}#page={doubt["page"]}">{picture}<br>{label}</a><br>{told}</li>'


def _more(count: int) -> str:
    return f"\n<p>And {count - SHOWN:,} more; the CSV has them all.</p>" if count > SHOWN else ""
