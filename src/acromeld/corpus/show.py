# SPDX-License-Identifier: Apache-2.0
"""The paper's data table for an index, and what else one wants to know before training on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from acromeld.corpus.roles import Role

if TYPE_CHECKING:
    from acromeld.corpus.index import PageRow, SealedIndex

QUERIES = 896
"""Queries of the model contract: no page may have more fields (paper, "Heterogeneous query set")."""

_TITLES = {
    Role.TRAIN_REAL: "Train–real",
    Role.TRAIN_SYNTHETIC: "Train–synthetic",
    Role.DEVELOPMENT: "Development",
    Role.CALIBRATION: "Calibration",
    Role.INTERNAL_TEST: "Internal test",
}


@dataclass(frozen=True)
class TableRow:
    """One row of the paper's Table "Sealed internal data roles"; columns in its order."""

    role: str
    pdfs: int
    pages: int
    structure: int
    text: int
    choice: int
    signature: int
    fields: int


@dataclass(frozen=True)
class GroupCounts:
    """Provenance groups: as the manifests had them, after merging, and the largest one."""

    manifest: int
    final: int
    merged_by_text: int
    merged_by_layout: int
    largest: str
    largest_pages: int
    largest_role: str


@dataclass(frozen=True)
class Summary:
    """Everything ``corpus show`` tells.

    Attributes:
        rows: One per role and the total, as in the paper.
        signature_documents: Documents with a signature field, per role.
        empty: Pages without a field, per role.
        densest: The page with the most fields, none when the index has no page.
        rejections: ``(class, reason)`` to count; the class is empty where the widget has none.
        unreadable: Files that could not be opened.
    """

    digest: str
    rows: tuple[TableRow, ...]
    signature_documents: dict[str, int]
    empty: dict[str, int]
    orientations: dict[str, int]
    densest: PageRow | None
    rejections: dict[tuple[str, str], int]
    unreadable: int
    groups: GroupCounts

    @property
    def queries_suffice(self) -> bool:
        """Whether every page fits into the model's queries."""
        return self.densest is None or self.densest.fields <= QUERIES


def summarise(index: SealedIndex) -> Summary:
    """Count an index."""
    rows = [_row(index, role) for role in Role]
    pages = index.pages()
    signed = {page.sha256 for page in pages if page.signature}
    return Summary(
        digest=index.digest,
        rows=(*rows, _total(rows)),
        signature_documents={
            role: sum(document.sha256 in signed for document in index.documents(role)) for role in Role
        },
        empty={role: sum(page.fields == 0 for page in index.pages(role)) for role in Role},
        orientations=dict(sorted(Counter(page.orientation for page in pages).items())),
        densest=max(pages, key=lambda page: page.fields, default=None),
        rejections=_rejections(index),
        unreadable=_number(index, "SELECT count(*) FROM unreadable"),
        groups=_groups(index),
    )


def _row(index: SealedIndex, role: Role) -> TableRow:
    pages = index.pages(role)
    return TableRow(
        role=_TITLES[role],
        pdfs=len(index.documents(role)),
        pages=len(pages),
        structure=sum(page.structure for page in pages),
        text=sum(page.text for page in pages),
        choice=sum(page.choice for page in pages),
        signature=sum(page.signature for page in pages),
        fields=sum(page.fields for page in pages),
    )


def _total(rows: list[TableRow]) -> TableRow:
    return TableRow(
        "Total", *(sum(column) for column in zip(*(astuple(row)[1:] for row in rows), strict=True))
    )


def _number(index: SealedIndex, statement: str) -> int:
    return int(str(next(index.query(statement))[0]))


def _rejections(index: SealedIndex) -> dict[tuple[str, str], int]:
    query = "SELECT kind, reason, sum(count) FROM rejections GROUP BY kind, reason ORDER BY kind, reason"
    return {(str(kind), str(reason)): int(str(count)) for kind, reason, count in index.query(query)}


def _groups(index: SealedIndex) -> GroupCounts:
    documents, meta = index.documents(), index.meta()
    pages: Counter[tuple[str, str]] = Counter()
    for document in documents:
        pages[document.final_group, document.role] += document.pages
    (name, role), size = max(pages.items(), key=lambda item: (item[1], item[0]), default=(("", ""), 0))
    return GroupCounts(
        manifest=len({document.manifest_group for document in documents}),
        final=len({document.final_group for document in documents}),
        merged_by_text=int(meta.get("merged_by_text", "0")),
        merged_by_layout=int(meta.get("merged_by_layout", "0")),
        largest=name,
        largest_pages=size,
        largest_role=str(role),
    )


def render(summary: Summary) -> Group:
    """The summary for a terminal; give it to a rich console."""
    lines = [
        f"Sealed index {summary.digest}",
        _densest_sentence(summary),
        f"Pages without a field: {_counts(summary.empty)}.",
        f"Documents with a signature field: {_counts(summary.signature_documents)}.",
        f"Page orientation: {_counts(summary.orientations)}.",
        _group_sentence(summary.groups),
        f"Files that could not be read: {summary.unreadable:,}.",
    ]
    return Group(_data_table(summary), _rejection_table(summary), Text("\n".join(lines)))


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _densest_sentence(summary: Summary) -> str:
    page = summary.densest
    if page is None:
        return "There are no pages."
    verdict = "suffice" if summary.queries_suffice else "do not suffice"
    return (
        f"Densest page: {page.fields:,} fields on page {page.page + 1} of {page.sha256}; "
        f"{QUERIES} queries {verdict}."
    )


def _group_sentence(groups: GroupCounts) -> str:
    return (
        f"Provenance groups: {groups.manifest:,} in the manifests, {groups.final:,} after merging "
        f"(text {groups.merged_by_text:,}, layout {groups.merged_by_layout:,}); "
        f"the largest, {groups.largest}, has {groups.largest_pages:,} pages and is in {groups.largest_role}."
    )


def _data_table(summary: Summary) -> Table:
    table = Table(title="Sealed data roles")
    table.add_column("Role")
    for title in ("PDFs", "Pages", "Structure", "Text", "Choice", "Signature", "All fields"):
        table.add_column(title, justify="right")
    for row in summary.rows:
        if row.role == "Total":
            table.add_section()
        table.add_row(row.role, *(f"{count:,}" for count in astuple(row)[1:]))
    return table


def _rejection_table(summary: Summary) -> Table:
    table = Table("Rejected class", "Reason", title="Rejected widgets")
    table.add_column("Count", justify="right")
    for (kind, reason), count in summary.rejections.items():
        table.add_row(kind or "–", reason, f"{count:,}")
    return table
