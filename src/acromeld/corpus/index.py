# SPDX-License-Identifier: Apache-2.0
"""The sealed index: one SQLite file that says what the corpus is, and refuses to be anything else.

Sealing writes the digest of the content into the file and makes it read-only. Every later open recomputes
the digest (about five seconds per million widgets) and names the tables that differ, so no command can work
on data that quietly changed. The content digest is the identity that run records bind.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.roles import Role, check_roles
from acromeld.corpus.schema import CONTENT, SCHEMA, TABLES, content_digests
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.fields import FieldKind

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from acromeld.fields import Box


@dataclass(frozen=True)
class DocumentRow:
    """One document of the index."""

    sha256: str
    file: str
    source: str
    manifest_group: str
    final_group: str
    role: Role
    pages: int
    bytes: int


@dataclass(frozen=True)
class PageRow:
    """One page: displayed size in points, whether it has structure (0 or 1), and its fields by class."""

    sha256: str
    page: int
    width: float
    height: float
    rotation: int
    orientation: str
    structure: int
    text: int
    choice: int
    signature: int

    @property
    def fields(self) -> int:
        """Fields of all classes."""
        return self.text + self.choice + self.signature


@dataclass(frozen=True)
class WidgetRow:
    """One ground-truth field, in displayed points."""

    kind: FieldKind
    box: Box


class SealedIndex:
    """Read-only view of a sealed index; use `open_index`, close it or use it as a context manager."""

    def __init__(self, path: Path, connection: sqlite3.Connection, digest: str) -> None:
        self.path = path
        self.digest = digest
        self._connection = connection

    def __enter__(self) -> SealedIndex:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def meta(self) -> dict[str, str]:
        """How the index was made: shares, salt, thresholds, counts."""
        return dict(self._connection.execute("SELECT key, value FROM meta ORDER BY key"))

    def documents(self, role: Role | None = None) -> list[DocumentRow]:
        """Documents in order of content hash, all or those of one role."""
        where, values = _role_filter(role)
        rows = self._connection.execute(f"SELECT * FROM documents {where} ORDER BY sha256", values)
        return [_document(*row) for row in rows]

    def pages(self, role: Role | None = None) -> list[PageRow]:
        """Pages in order of content hash and page, all or those of one role."""
        where, values = _role_filter(role)
        query = f"SELECT pages.* FROM pages JOIN documents USING (sha256) {where} ORDER BY sha256, page"
        rows = self._connection.execute(query, values)
        return [PageRow(*row) for row in rows]

    def widgets(self, sha256: str, page: int) -> tuple[WidgetRow, ...]:
        """Ground truth of one page, in order of /Annots."""
        query = "SELECT kind, x0, y0, x1, y1 FROM widgets WHERE sha256 = ? AND page = ? ORDER BY number"
        rows = self._connection.execute(query, (sha256, page))
        return tuple(WidgetRow(FieldKind(kind), (x0, y0, x1, y1)) for kind, x0, y0, x1, y1 in rows)

    def hashes(self) -> frozenset[str]:
        """Content hashes of every document, readable or not: what an external corpus must not contain."""
        query = "SELECT sha256 FROM documents UNION SELECT sha256 FROM unreadable"
        return frozenset(sha256 for (sha256,) in self._connection.execute(query))

    def query(self, statement: str, values: tuple[object, ...] = ()) -> Iterator[tuple[object, ...]]:
        """Rows of a read-only SQL statement, for tables and reports."""
        return iter(self._connection.execute(statement, values))


def _document(
    sha256: str,
    file: str,
    source: str,
    manifest_group: str,
    final_group: str,
    role: str,
    pages: int,
    size: int,
) -> DocumentRow:
    return DocumentRow(sha256, file, source, manifest_group, final_group, Role(role), pages, size)


def _role_filter(role: Role | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if role is None else ("WHERE role = ?", (str(role),))


def open_index(path: Path, *, digest: str | None = None) -> SealedIndex:
    """Open a sealed index and verify its content.

    Args:
        path: The SQLite file.
        digest: The content digest a run record binds; without it the index is checked against its own seal.

    Raises:
        IntegrityError: It is not an index, is not sealed, or its content is not what was sealed.
    """
    connection = _connect(path)
    try:
        found = _verify(connection, path)
        if digest is not None and found != digest:
            raise IntegrityError(f"{path} is not the registered index: its content digest is {found}.")
        return SealedIndex(path, connection, found)
    except sqlite3.DatabaseError as error:
        connection.close()
        raise IntegrityError(f"{path} cannot be read as an index: {error}.") from None
    except BaseException:
        connection.close()
        raise


def _connect(path: Path) -> sqlite3.Connection:
    """Read-only and immutable: SQLite takes no locks and writes no journal beside the file."""
    if not path.is_file():
        raise InputNotFound(f"{path} does not exist.")
    return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)


def _verify(connection: sqlite3.Connection, path: Path) -> str:
    if not _has_tables(connection):
        raise IntegrityError(f"{path} is not a corpus index.")
    sealed = {scope: (rows, digest) for scope, rows, digest in connection.execute("SELECT * FROM seal")}
    if CONTENT not in sealed:
        raise IntegrityError(f"{path} is not sealed; seal it before using it.")
    found = content_digests(connection)
    wrong = [_difference(table, sealed.get(table), found[table]) for table in TABLES]
    if any(wrong) or found[CONTENT] != sealed[CONTENT]:
        what = "; ".join(filter(None, wrong)) or "the seal"
        raise IntegrityError(f"{path} was changed after it was sealed: {what}.")
    return found[CONTENT][1]


def _difference(table: str, sealed: tuple[int, str] | None, found: tuple[int, str]) -> str:
    if sealed == found:
        return ""
    if sealed is None or sealed[0] == found[0]:
        return f"rows of {table}"
    return f"{table} has {found[0]} rows instead of {sealed[0]}"


def _has_tables(connection: sqlite3.Connection) -> bool:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not names >= {*TABLES, "seal"}:
        return False
    version = connection.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()
    return bool(version == (SCHEMA,))


def seal(path: Path) -> str:
    """Seal an index: check the roles, write the digests, make the file read-only; returns the digest."""
    if not path.is_file():
        raise InputNotFound(f"{path} does not exist.")
    try:
        with closing(sqlite3.connect(path)) as connection, connection:
            digest = _write_seal(connection, path)
    except sqlite3.DatabaseError as error:
        raise IntegrityError(f"{path} cannot be sealed: {error}.") from None
    path.chmod(0o444)
    return digest


def _write_seal(connection: sqlite3.Connection, path: Path) -> str:
    if not _has_tables(connection):
        raise IntegrityError(f"{path} is not a corpus index.")
    if connection.execute("SELECT count(*) FROM seal").fetchone() != (0,):
        raise IntegrityError(f"{path} is already sealed.")
    check_roles(connection.execute("SELECT sha256, final_group, role FROM documents"))
    found = content_digests(connection)
    rows = [(scope, *value) for scope, value in sorted(found.items())]
    connection.executemany("INSERT INTO seal VALUES (?, ?, ?)", rows)
    return found[CONTENT][1]
