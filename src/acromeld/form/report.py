# SPDX-License-Identifier: Apache-2.0
"""An accessibility report on a written form: rule by rule, what holds and what the page still lacks.

The rules are those of PDF/UA-1 (ISO 14289-1) and PDF/UA-2 (ISO 14289-2) that our own small checks can decide
by looking at the file. Passing them is not conformance, and the report says so.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.pdf.source import Source

SCHEMA = "acromeld.accessibility/1"
CAVEAT = (
    "Single rules were checked, not conformance: a file that passes all of them may still be hard to use. "
    "Only people can judge whether names are understandable and the order makes sense."
)


class Status(StrEnum):
    """How a rule stands."""

    PASSED = "passed"
    FAILED = "failed"
    NOTHING = "nothing to check"


@dataclass(frozen=True)
class Finding:
    """One rule.

    Attributes:
        rule: What it asks for.
        ua1: Clause of PDF/UA-1, if it has the rule.
        ua2: Clause of PDF/UA-2, if it has the rule.
        checked: How many things were looked at.
        failed: How many of them do not keep the rule.
        examples: Some that do not.
        advice: What to do about it.
    """

    rule: str
    ua1: str
    ua2: str
    checked: int
    failed: int
    examples: tuple[str, ...] = ()
    advice: str = ""

    @property
    def status(self) -> Status:
        """Whether the rule is kept."""
        if self.checked == 0:
            return Status.NOTHING
        return Status.FAILED if self.failed else Status.PASSED


@dataclass(frozen=True)
class Report:
    """All findings on a document: on its fields, and on the pages around them."""

    document: str
    fields: tuple[Finding, ...]
    pages: tuple[Finding, ...]

    def record(self) -> dict[str, Any]:
        """As plain data for JSON."""
        return {
            "schema": SCHEMA,
            "document": self.document,
            "caveat": CAVEAT,
            "fields": [_record(finding) for finding in self.fields],
            "pages": [_record(finding) for finding in self.pages],
        }


def accessibility_report(source: Source) -> Report:
    """Check a document."""
    from acromeld.form.report_fields import field_findings
    from acromeld.form.report_pages import page_findings
    from acromeld.pdf.source import open_pikepdf

    with open_pikepdf(source) as pdf:
        return Report(source.name, tuple(field_findings(pdf)), tuple(page_findings(pdf)))


def finding(
    rule: str, clauses: tuple[str, str], bad: Sequence[str], checked: int, advice: str = ""
) -> Finding:
    """A finding from the names of what failed."""
    examples = tuple(dict.fromkeys(bad))[:5]
    return Finding(rule, *clauses, checked, len(bad), examples, advice if bad else "")


def _record(finding: Finding) -> dict[str, Any]:
    return {"status": finding.status.value, **asdict(finding), "examples": list(finding.examples)}
