# SPDX-License-Identifier: Apache-2.0
"""From scans, groups and roles to the rows of an index, and the rows into a file that appears at once."""

from __future__ import annotations

import os
import secrets
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.roles import Role, check_roles
from acromeld.corpus.schema import create_tables, insert
from acromeld.errors import OutputProblem
from acromeld.fields import KINDS

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.corpus.groups import Grouping
    from acromeld.corpus.manifest import Entry
    from acromeld.corpus.scan import DocumentScan, PageScan

_SQUARE = 0.02
"""Sides that differ by less than this part of the longer one make a square page."""


@dataclass(frozen=True)
class BuildReport:
    """What a build found. ``merged`` counts the groups that each kind of near-duplicate removed."""

    documents: int
    pages: int
    widgets: int
    unreadable: int
    manifest_groups: int
    final_groups: int
    merged: dict[str, int]


class CorpusTables:
    """Rows on their way into the tables."""

    def __init__(
        self,
        entries: tuple[Entry, ...],
        scans: list[DocumentScan],
        grouping: Grouping,
        roles: dict[str, Role],
    ) -> None:
        self._grouping = grouping
        self._rows = [
            (entry, found, grouping.group[entry.sha256], roles.get(grouping.group[entry.sha256]))
            for entry, found in zip(entries, scans, strict=True)
        ]
        self.meta = {f"merged_by_{how}": str(count) for how, count in grouping.merged.items()}

    def add_synthetic(self, entries: tuple[Entry, ...], scans: list[DocumentScan]) -> None:
        """Generated documents; their groups live in a name space of their own."""
        for entry, found in zip(entries, scans, strict=True):
            self._rows.append((entry, found, f"synthetic/{entry.group}", Role.TRAIN_SYNTHETIC))

    def write(self, out: Path) -> BuildReport:
        """Write the tables to a temporary file, then give it its name, once."""
        tables = self._tables()
        check_roles((str(row[0]), str(row[4]), str(row[5])) for row in tables["documents"])
        out.parent.mkdir(parents=True, exist_ok=True)
        temporary = out.with_name(f".{out.name}.{secrets.token_hex(6)}.part")
        try:
            with closing(sqlite3.connect(temporary)) as connection, connection:
                create_tables(connection)
                for table, rows in tables.items():
                    insert(connection, table, rows)
            os.link(temporary, out)
        except FileExistsError:
            raise OutputProblem(f"{out} already exists; an index is never overwritten.") from None
        finally:
            with suppress(OSError):
                temporary.unlink()
        return self._report(tables)

    def _report(self, tables: dict[str, list[tuple[object, ...]]]) -> BuildReport:
        return BuildReport(
            documents=len(tables["documents"]),
            pages=len(tables["pages"]),
            widgets=len(tables["widgets"]),
            unreadable=len(tables["unreadable"]),
            manifest_groups=len({row[3] for row in tables["documents"]}),
            final_groups=len({row[4] for row in tables["documents"]}),
            merged=dict(self._grouping.merged),
        )

    def _tables(self) -> dict[str, list[tuple[object, ...]]]:
        tables: dict[str, list[tuple[object, ...]]] = {
            "documents": [], "pages": [], "widgets": [], "rejections": [], "unreadable": [],
        }  # fmt: skip
        for entry, found, group, role in self._rows:
            if found.problem or role is None:
                synthetic = int(role is Role.TRAIN_SYNTHETIC)
                tables["unreadable"].append((entry.sha256, entry.file, found.problem, synthetic))
                continue
            row = (entry.sha256, entry.file, entry.source, entry.group, group, str(role))
            tables["documents"].append((*row, len(found.pages), found.size))
            for number, page in enumerate(found.pages):
                _add_page(tables, entry.sha256, number, page)
        tables["links"] = [astuple(link) for link in self._grouping.links]
        tables["meta"] = list(self.meta.items())
        return tables


def _add_page(tables: dict[str, list[tuple[object, ...]]], sha256: str, number: int, page: PageScan) -> None:
    kinds = Counter(kind for kind, _ in page.widgets)
    size = (page.width, page.height, page.rotation, orientation(page.width, page.height))
    counts = [kinds[str(kind)] for kind in KINDS]
    tables["pages"].append((sha256, number, *size, int(page.structure), *counts))
    for order, (kind, box) in enumerate(page.widgets):
        tables["widgets"].append((sha256, number, order, kind, *box))
    for kind, reason, count in page.rejected:
        tables["rejections"].append((sha256, number, kind, reason, count))


def orientation(width: float, height: float) -> str:
    """``portrait``, ``landscape`` or ``square`` (sides within two percent) of a displayed page."""
    if abs(width - height) < _SQUARE * max(width, height):
        return "square"
    return "portrait" if width < height else "landscape"
