# SPDX-License-Identifier: Apache-2.0
"""The tables of the index, and the digest of what is in them.

The digest is over rows, not over the SQLite file: two builds that insert in another order, or two versions of
SQLite that lay out pages differently, hold the same content and must have the same identity.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

SCHEMA = "acromeld.index/1"

TABLES: dict[str, tuple[str, ...]] = {
    "documents": (
        "sha256 TEXT PRIMARY KEY",
        "file TEXT NOT NULL",
        "source TEXT NOT NULL",
        "manifest_group TEXT NOT NULL",
        "final_group TEXT NOT NULL",
        "role TEXT NOT NULL",
        "pages INTEGER NOT NULL",
        "bytes INTEGER NOT NULL",
    ),
    "links": ("first TEXT NOT NULL", "second TEXT NOT NULL", "how TEXT NOT NULL", "similarity REAL NOT NULL"),
    "meta": ("key TEXT PRIMARY KEY", "value TEXT NOT NULL"),
    "pages": (
        "sha256 TEXT NOT NULL",
        "page INTEGER NOT NULL",
        "width REAL NOT NULL",
        "height REAL NOT NULL",
        "rotation INTEGER NOT NULL",
        "orientation TEXT NOT NULL",
        "structure INTEGER NOT NULL",
        "text INTEGER NOT NULL",
        "choice INTEGER NOT NULL",
        "signature INTEGER NOT NULL",
    ),
    "rejections": (
        "sha256 TEXT NOT NULL",
        "page INTEGER NOT NULL",
        "kind TEXT NOT NULL",
        "reason TEXT NOT NULL",
        "count INTEGER NOT NULL",
    ),
    "unreadable": (
        "sha256 TEXT PRIMARY KEY",
        "file TEXT NOT NULL",
        "reason TEXT NOT NULL",
        "synthetic INTEGER NOT NULL",
    ),
    "widgets": (
        "sha256 TEXT NOT NULL",
        "page INTEGER NOT NULL",
        "number INTEGER NOT NULL",
        "kind TEXT NOT NULL",
        "x0 REAL NOT NULL",
        "y0 REAL NOT NULL",
        "x1 REAL NOT NULL",
        "y1 REAL NOT NULL",
    ),
}
"""Every table of content and its columns; `seal` is the one table that is not content."""

_INDEXES = (
    "CREATE UNIQUE INDEX page_of ON pages (sha256, page)",
    "CREATE UNIQUE INDEX widget_of ON widgets (sha256, page, number)",
    "CREATE INDEX role_of ON documents (role)",
)


def create_tables(connection: sqlite3.Connection) -> None:
    """Make the empty tables of an index."""
    for table, columns in TABLES.items():
        connection.execute(f"CREATE TABLE {table} ({', '.join(columns)})")
    connection.execute(
        "CREATE TABLE seal (scope TEXT PRIMARY KEY, rows INTEGER NOT NULL, digest TEXT NOT NULL)"
    )
    for statement in _INDEXES:
        connection.execute(statement)


def insert(connection: sqlite3.Connection, table: str, rows: list[tuple[object, ...]]) -> None:
    """Add rows, values in column order."""
    marks = ", ".join("?" for _ in TABLES[table])
    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


CONTENT = "content"


def content_digests(connection: sqlite3.Connection) -> dict[str, tuple[int, str]]:
    """Rows and digest of each table, and of all of them under ``content``.

    A row is the canonical JSON line ``["table", value, ...]``; tables go by name, rows by all columns in
    order. SQLite compares text by bytes and numbers by value, so the order is the same everywhere.
    """
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
    whole, total = hashlib.sha256(), 0
    found: dict[str, tuple[int, str]] = {}
    for table in sorted(TABLES):
        part, rows = hashlib.sha256(), 0
        for row in connection.execute(f"SELECT * FROM {table} ORDER BY {_all_columns(table)}"):
            line = encode([table, *row]).encode() + b"\n"
            part.update(line)
            whole.update(line)
            rows += 1
        found[table] = (rows, part.hexdigest())
        total += rows
    found[CONTENT] = (total, whole.hexdigest())
    return found


def _all_columns(table: str) -> str:
    return ", ".join(str(number) for number in range(1, len(TABLES[table]) + 1))
