# SPDX-License-Identifier: Apache-2.0
"""A report as people read it: plain text or a web page, or JSON for programs; the file name decides."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from acromeld.form.report import CAVEAT, Status

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.form.report import Finding, Report

_SECTIONS = (("Form fields", "fields"), ("The document around them", "pages"))
_SIGN = {Status.PASSED: "ok", Status.FAILED: "FAILS", Status.NOTHING: "-"}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;"
    "border-bottom:1px solid #ccc;vertical-align:top}.failed{color:#a00000;font-weight:600}"
    ".passed{color:#005a1e}small{color:#444}"
)


def report_bytes(report: Report, target: Path) -> bytes:
    """The report in the format that the ending of a file asks for."""
    suffix = target.suffix.lower()
    if suffix == ".json":
        return (json.dumps(report.record(), ensure_ascii=False, indent=1) + "\n").encode()
    return (as_html(report) if suffix in (".html", ".htm") else as_text(report)).encode()


def as_text(report: Report) -> str:
    """One line a rule, details below those that fail."""
    lines = [f"Accessibility of {report.document}", "", CAVEAT]
    for title, part in _SECTIONS:
        lines += ["", title, "-" * len(title)]
        for finding in getattr(report, part):
            clauses = f" [{_clauses(finding)}]" if _clauses(finding) else ""
            lines.append(f"{_SIGN[finding.status]:>5}  {finding.rule}{clauses}{_count(finding)}")
            if finding.status is Status.FAILED:
                lines += [f"       {detail}" for detail in _details(finding)]
    return "\n".join(lines) + "\n"


def as_html(report: Report) -> str:
    """A page without anything that has to be loaded."""
    name = escape(report.document)
    parts = [
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">',
        f"<title>Accessibility of {name}</title><style>{_STYLE}</style></head><body><main>",
        f"<h1>Accessibility of {name}</h1><p>{escape(CAVEAT)}</p>",
    ]
    for title, part in _SECTIONS:
        rows = "".join(map(_row, getattr(report, part)))
        head = "<tr><th scope=col>Rule</th><th scope=col>Clause</th><th scope=col>Result</th></tr>"
        parts.append(f"<h2>{title}</h2><table><thead>{head}</thead><tbody>{rows}</tbody></table>")
    return "\n".join([*parts, "</main></body></html>"]) + "\n"


def _row(finding: Finding) -> str:
    details = "".join(f"<br><small>{escape(detail)}</small>" for detail in _details(finding))
    details = details if finding.status is Status.FAILED else ""
    result = f'<td class="{finding.status.name.lower()}">{finding.status.value}{_count(finding)}</td>'
    return f"<tr><td>{escape(finding.rule)}{details}</td><td>{_clauses(finding)}</td>{result}</tr>"


def _clauses(finding: Finding) -> str:
    parts = [f"UA-1 {finding.ua1}" if finding.ua1 else "", f"UA-2 {finding.ua2}" if finding.ua2 else ""]
    return ", ".join(filter(None, parts))


def _count(finding: Finding) -> str:
    return f": {finding.failed} of {finding.checked}" if finding.failed else ""


def _details(finding: Finding) -> list[str]:
    more = "" if len(finding.examples) >= finding.failed else ", …"
    return [f"{', '.join(finding.examples)}{more}", *([finding.advice] if finding.advice else [])]
