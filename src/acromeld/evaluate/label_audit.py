# SPDX-License-Identifier: Apache-2.0
"""A label audit: pages that somebody looked at with their labels drawn, and how good the labels are.

Native widgets are what their authors made of a form, and not always what the form asks for. An audit says for
a declared sample which pages can be trusted, so that every figure can also be given on those alone. It is a
file of JSON lines: a head that names the index, role, sample and grader, then one line a page. It holds
hashes, counts and the grader's own words, never anything of the forms.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.evaluate.counts import Counts
from acromeld.provenance.digests import canonical_json, sha256_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from acromeld.corpus.index import PageRow
    from acromeld.corpus.roles import Role
    from acromeld.evaluate.pages import PageKey

SCHEMA = "acromeld.label-audit/1"


class Grade(StrEnum):
    """What the labels of a page are worth."""

    GOOD = "good"
    """Complete and well placed."""
    NOISY = "noisy"
    """Some are missing, doubled, misplaced, of the wrong class, or cannot be seen."""
    MISLEADING = "misleading"
    """Mostly wrong or invisible, or most blanks have none."""
    EMPTY = "empty"
    """None, and rightly so."""


@dataclass(frozen=True)
class Faults:
    """What is wrong with the labels of a page, counted.

    Attributes:
        missing_text: Visible blanks to write into that have no label.
        missing_choice: Visible boxes, brackets or buttons that have none.
        missing_signature: Lines or boxes to sign that have none.
        missing_office: Visible blanks for the office, of any class, that have none.
        unseen: Labels where nothing printed asks for anything.
        doubled: Labels on top of another of the same field.
        misplaced: Labels clearly beside, across or over the blank they belong to.
        signature_as_text: Lines or boxes to sign that were made as text fields.
        wrong_class: Other labels of another class than what is printed.
    """

    missing_text: int = 0
    missing_choice: int = 0
    missing_signature: int = 0
    missing_office: int = 0
    unseen: int = 0
    doubled: int = 0
    misplaced: int = 0
    signature_as_text: int = 0
    wrong_class: int = 0

    def __bool__(self) -> bool:
        return any(asdict(self).values())

    def __add__(self, other: Faults) -> Faults:
        return Faults(**{name: count + getattr(other, name) for name, count in asdict(self).items()})

    @property
    def missing(self) -> int:
        """Visible blanks of any class without a label."""
        return self.missing_text + self.missing_choice + self.missing_signature + self.missing_office

    @property
    def misclassed(self) -> int:
        """Labels of another class than what is printed."""
        return self.signature_as_text + self.wrong_class


FAULTS = tuple(field.name for field in fields(Faults))


@dataclass(frozen=True)
class AuditedPage:
    """One page: its grade, its faults, the reason in the grader's words, and the grade of a second look."""

    document: str
    page: int
    grade: Grade
    faults: Faults
    reason: str = ""
    again: Grade | None = None

    @property
    def key(self) -> PageKey:
        """Identity of the page."""
        return self.document, self.page


@dataclass(frozen=True)
class LabelAudit:
    """An audit as its file says it.

    Attributes:
        index: Content digest of the sealed index the pages are of.
        role: Their role.
        sample: ``pages`` and ``seed`` of the draw.
        grader: Who looked, and how often.
        pages: By document hash and page index.
    """

    index: str
    role: str
    sample: dict[str, int]
    grader: str
    pages: dict[PageKey, AuditedPage]

    def of(self, grades: Collection[Grade]) -> dict[PageKey, AuditedPage]:
        """The pages of some grades, all of them when none is named."""
        return {key: page for key, page in self.pages.items() if not grades or page.grade in grades}

    def counts(self) -> dict[Grade, int]:
        """Pages of each grade."""
        found = Counter(page.grade for page in self.pages.values())
        return {grade: found[grade] for grade in Grade}


def ideal_reader(labels: int, faults: Faults) -> Counts:
    """What a detector would score that finds every printed blank, in the right place and class, and no other.

    It has no way to find a label that nothing printed shows or that lies on another, it is wrong about those
    of another class, and every blank without a label counts against it. Misplaced labels are taken as found.
    """
    unfindable = faults.unseen + faults.doubled
    return Counts(labels - unfindable - faults.misclassed, labels - unfindable + faults.missing, labels)


def to_lines(audit: LabelAudit) -> Iterator[str]:
    """The file, line by line, pages in order of document and page."""
    head = {key: getattr(audit, key) for key in ("index", "role", "sample", "grader")}
    yield canonical_json({"schema": SCHEMA, **head})
    for _, page in sorted(audit.pages.items()):
        faults = {name: count for name, count in asdict(page.faults).items() if count}
        again = {} if page.again is None else {"again": str(page.again)}
        row = {"document": page.document, "page": page.page, "grade": str(page.grade)}
        yield canonical_json({**row, "faults": faults, "reason": page.reason, **again})


def read_audit(path: Path) -> LabelAudit:
    """Read an audit; `IntegrityError` names the line that is not one."""
    if not path.is_file():
        raise InputNotFound(f"{path} does not exist.")
    lines = path.read_text(encoding="utf-8").splitlines()
    head = _parsed(lines[0] if lines else "", f"{path}, line 1")
    if head.get("schema") != SCHEMA:
        raise IntegrityError(f"{path} has the format {head.get('schema')!r}; expected {SCHEMA!r}.")
    pages = [_page(line, f"{path}, line {number}") for number, line in enumerate(lines[1:], 2)]
    try:
        audit = LabelAudit(
            str(head["index"]),
            str(head["role"]),
            dict(head["sample"]),
            str(head["grader"]),
            {page.key: page for page in pages},
        )
    except (KeyError, TypeError, ValueError):
        raise IntegrityError(
            f"{path} does not say index, role, sample and grader in its first line."
        ) from None
    if len(audit.pages) != len(pages):
        raise IntegrityError(f"{path} grades a page twice.")
    return audit


def _parsed(line: str, where: str) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise IntegrityError(f"{where} is not JSON.") from None
    if not isinstance(record, dict):
        raise IntegrityError(f"{where} is not a JSON object.")
    return record


def _page(line: str, where: str) -> AuditedPage:
    row = _parsed(line, where)
    try:
        again = None if row.get("again") is None else Grade(row["again"])
        faults = Faults(**{name: int(count) for name, count in row.get("faults", {}).items()})
        return AuditedPage(
            str(row["document"]), int(row["page"]), Grade(row["grade"]), faults, row.get("reason", ""), again
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        raise IntegrityError(f"{where} is not the grade of a page.") from None


@dataclass(frozen=True)
class Audited:
    """The part of an audit that an evaluation is about: a file and the grades that count, all when empty."""

    path: Path
    grades: tuple[Grade, ...] = ()

    def keep(
        self, pages: dict[str, list[PageRow]], index: str, role: Role
    ) -> tuple[dict[str, list[PageRow]], dict[str, Any]]:
        """The pages of a role or sample that were given one of the grades, and how they were chosen.

        Raises:
            IntegrityError: The audit is of another index or role, so its grades say nothing about these.
        """
        audit = read_audit(self.path)
        if (audit.index, audit.role) != (index, str(role)):
            raise IntegrityError(f"{self.path} is an audit of another index or role than the one named.")
        wanted = audit.of(self.grades)
        kept = {
            document: [row for row in rows if (document, row.page) in wanted]
            for document, rows in pages.items()
        }
        kept = {document: rows for document, rows in kept.items() if rows}
        if not kept:
            raise InputNotFound(f"{self.path} has none of the pages with {_named(self.grades)}.")
        chosen = {"digest": sha256_file(self.path), "grades": [str(grade) for grade in self.grades]}
        return kept, chosen


def _named(grades: tuple[Grade, ...]) -> str:
    return f"the grade {' or '.join(grades)}" if grades else "a grade"
