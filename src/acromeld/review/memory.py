# SPDX-License-Identifier: Apache-2.0
"""What a review remembers between sessions: one small SQLite file per folder of forms.

It holds what fields files cannot: the candidates outside the form, a person's verdicts, the thresholds, how
far each file has got, and the revision number by which two windows, or two programs, notice each other.
Losing it loses no field; the fields files are complete without it.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import ValidationError

from acromeld.errors import OutputProblem
from acromeld.review.places import MEMORY_NAME
from acromeld.review.state import ReviewPage, Thresholds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_SCHEMA = """
create table if not exists form (
    name text primary key, sha256 text not null, status text not null, revision integer not null,
    thresholds text not null, fields_digest text not null, fields integer not null default 0,
    pages integer not null default 0, saved_digest text, message text,
    changed text not null default (datetime('now'))
);
create table if not exists page (
    name text not null, number integer not null, body text not null, primary key (name, number)
);
"""
_WAIT_SECONDS = 10.0


class Status(StrEnum):
    """How far a file has got."""

    NEW = "new"
    REVIEW = "review"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True)
class Remembered:
    """One form as it was left."""

    sha256: str
    status: Status
    revision: int
    thresholds: Thresholds
    fields_digest: str
    saved_digest: str | None = None


@dataclass(frozen=True)
class KeptFacts:
    """What decides whether a change may be saved."""

    revision: int = 0
    fields_digest: str = ""
    status: Status = Status.NEW


@dataclass(frozen=True)
class Line:
    """One line of the work list."""

    status: Status
    fields: int = 0
    pages: int = 0
    message: str | None = None
    changed: str | None = None


class Memory:
    """The memory of one folder; every call opens and closes the file, so that nothing is held locked."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / MEMORY_NAME

    def lines(self) -> dict[str, Line]:
        """The work list of the folder by file name; empty when nothing was reviewed yet."""
        if not self.path.exists():
            return {}
        with self.transaction() as write:
            rows = write.execute("select name, status, fields, pages, message, changed from form")
            return {row[0]: Line(Status(row[1]), *row[2:]) for row in rows}

    def form(self, name: str) -> Remembered | None:
        """A form as it was left."""
        if not self.path.exists():
            return None
        with self.transaction() as write:
            return _form(write, name)

    def pages(self, name: str) -> dict[int, ReviewPage]:
        """Everything known of the pages of a form; what cannot be read is as if it were not there."""
        with self.transaction() as write:
            rows = write.execute("select number, body from page where name = ? order by number", (name,))
            bodies = rows.fetchall()
        try:
            return {number: ReviewPage.model_validate_json(body) for number, body in bodies}
        except ValidationError:
            return {}

    def set_status(self, name: str, status: Status, message: str | None = None) -> None:
        """Say how far a form has got."""
        with self.transaction() as write:
            write.execute(
                "insert into form (name, sha256, status, revision, thresholds, fields_digest, message)"
                " values (?, '', ?, 0, '', '', ?) on conflict (name) do update"
                " set status = excluded.status, message = excluded.message, changed = datetime('now')",
                (name, status, message),
            )

    def set_saved(self, name: str, digest: str) -> None:
        """Remember the fillable PDF we wrote, so that we know it when we meet it again."""
        with self.transaction() as write:
            write.execute("update form set saved_digest = ? where name = ?", (digest, name))

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, one writer at a time."""
        try:
            connection = sqlite3.connect(self.path, timeout=_WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise OutputProblem(f"{self.path} cannot be used: {error}.") from None
        try:
            connection.executescript(_SCHEMA)
            connection.execute("begin immediate")
            yield connection
            connection.execute("commit")
        except sqlite3.Error as error:
            raise OutputProblem(f"{self.path} cannot be used: {error}.") from None
        finally:
            connection.close()


def kept_facts(write: sqlite3.Connection, name: str) -> KeptFacts:
    """Revision, digest of the fields file and status of a form; those of a new one when it is not known."""
    row = write.execute("select revision, fields_digest, status from form where name = ?", (name,)).fetchone()
    return KeptFacts(row[0], row[1], Status(row[2])) if row else KeptFacts()


def put_form(
    write: sqlite3.Connection, name: str, form: Remembered, pages: Mapping[int, ReviewPage], fields: int
) -> None:
    """Keep a form and the pages that changed."""
    write.execute(
        "insert into form (name, sha256, status, revision, thresholds, fields_digest, fields)"
        " values (?, ?, ?, ?, ?, ?, ?) on conflict (name) do update set sha256 = excluded.sha256,"
        " status = excluded.status, revision = excluded.revision, thresholds = excluded.thresholds,"
        " fields_digest = excluded.fields_digest, fields = excluded.fields, message = null,"
        " changed = datetime('now')",
        (
            name,
            form.sha256,
            form.status,
            form.revision,
            form.thresholds.model_dump_json(),
            form.fields_digest,
            fields,
        ),
    )
    bodies = [(name, number, page.model_dump_json(exclude_none=True)) for number, page in pages.items()]
    write.executemany("insert or replace into page values (?, ?, ?)", bodies)
    write.execute(
        "update form set pages = (select count(*) from page where page.name = form.name) where name = ?",
        (name,),
    )


def forget_pages(write: sqlite3.Connection, name: str) -> None:
    """Drop what was known of the pages of a form."""
    write.execute("delete from page where name = ?", (name,))


def _form(write: sqlite3.Connection, name: str) -> Remembered | None:
    row = write.execute(
        "select sha256, status, revision, thresholds, fields_digest, saved_digest from form where name = ?",
        (name,),
    ).fetchone()
    if row is None or not row[0]:
        return None
    thresholds = Thresholds.model_validate(json.loads(row[3]))
    return Remembered(row[0], Status(row[1]), row[2], thresholds, row[4], row[5])
