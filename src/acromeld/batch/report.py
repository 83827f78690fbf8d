# SPDX-License-Identifier: Apache-2.0
"""The report of a batch: one JSON and one CSV with every file, one page of HTML with what needs a look.

Nothing in it depends on when or how fast the work was done, so that two runs can be compared byte by byte.
"""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from acromeld.batch.delivery import ENDINGS, picture_path, place
from acromeld.batch.intake import shown
from acromeld.batch.job import FIELDS, PDF
from acromeld.batch.names import REPORT
from acromeld.batch.report_page import report_page
from acromeld.errors import ExitCode
from acromeld.fields import KINDS
from acromeld.form.output import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.batch.journal import Entry

    Row = dict[str, Any]

COLUMNS = (
    "input",
    "state",
    "reason",
    "code",
    "output",
    "fields_file",
    "sha256",
    "pages",
    *(kind.value for kind in KINDS),
    "written",
    "dropped",
    "doubtful_pages",
    "notes",
)


def write_report(out: Path, entries: list[Entry], configuration: dict[str, Any]) -> None:
    """Write ``batch-report/summary.{json,csv,html}``."""
    rows = [report_row(entry) for entry in entries]
    summary: Row = {"configuration": configuration, "totals": totals(rows), "files": rows}
    files = {
        "json": json.dumps(summary, ensure_ascii=False, indent=1) + "\n",
        "csv": as_csv(rows),
        "html": report_page(rows, summary["totals"], configuration),
    }
    for ending, text in files.items():
        write_atomically(text.encode(), place(out, f"{REPORT}/summary.{ending}"), overwrite=True)


def report_row(entry: Entry) -> Row:
    """What the report says about one file."""
    outcome = entry.outcome
    done = entry.state == "done" and outcome is not None
    # A file that failed may still have outputs of an earlier run, which are not those of its content now.
    parts = entry.digests if done else {}
    row: Row = {
        "input": shown(entry.relative),
        "state": entry.state,
        "sha256": entry.sha256,
        "output": f"{shown(entry.stem)}{ENDINGS[PDF]}" if PDF in parts else None,
        "fields_file": f"{shown(entry.stem)}{ENDINGS[FIELDS]}" if FIELDS in parts else None,
    }
    if outcome is None:
        return row
    row |= {"code": ExitCode(outcome.code).name.lower(), "reason": outcome.reason}
    if done:
        row |= {
            "pages": outcome.pages,
            "found": outcome.found,
            "written": outcome.written,
            "dropped": outcome.dropped,
            "notes": outcome.notes,
            "digests": {part: digest for part, digest in sorted(entry.digests.items()) if part in ENDINGS},
            "doubts": [_doubt(entry, doubt.page, doubt.fields) for doubt in outcome.doubts],
        }
    return row


def _doubt(entry: Entry, page: int, fields: int) -> Row:
    part = f"page-{page + 1}"
    picture = picture_path(entry.sha256, part).removeprefix(f"{REPORT}/") if part in entry.digests else None
    return {"page": page + 1, "fields": fields, "picture": picture}


def totals(rows: list[Row]) -> Row:
    """Sums over all files."""
    found: Counter[str] = Counter()
    for row in rows:
        found.update(row.get("found", {}))
    reasons = Counter(row["code"] for row in rows if row["state"] == "failed")
    return {
        "files": len(rows),
        "done": sum(row["state"] == "done" for row in rows),
        "failed": sum(row["state"] == "failed" for row in rows),
        "failures": dict(sorted(reasons.items())),
        "different": len({row["sha256"] for row in rows if row["sha256"]}),
        "pages": sum(row.get("pages", 0) for row in rows),
        "found": {kind.value: found[kind.value] for kind in KINDS},
        "written": sum(row.get("written", 0) for row in rows),
        "doubtful_pages": sum(len(row.get("doubts", ())) for row in rows),
    }


def as_csv(rows: list[Row]) -> str:
    """One line a file, for spreadsheets."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(COLUMNS)
    for row in rows:
        flat = row | row.get("found", {})
        flat |= {"doubtful_pages": " ".join(str(doubt["page"]) for doubt in row.get("doubts", ()))}
        flat |= {"notes": " ".join(row.get("notes", ()))}
        table.writerow([harmless(flat.get(column)) for column in COLUMNS])
    return text.getvalue()


def harmless(value: object) -> str:
    """A cell that no spreadsheet takes for a formula: file names come from strangers."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text
