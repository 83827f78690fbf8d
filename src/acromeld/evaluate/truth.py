# SPDX-License-Identifier: Apache-2.0
"""The truth of a role: what a sealed index says the pages hold, without opening a PDF."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.evaluate.pages import PageKey, TargetPage
from acromeld.evaluate.sampling import sample_pages
from acromeld.fields import KINDS
from acromeld.geometry import as_boxes
from acromeld.provenance.digests import sha256_file, sha256_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from pathlib import Path

    from acromeld.corpus.index import DocumentRow, PageRow, SealedIndex
    from acromeld.corpus.roles import Role


def role_pages(
    index: SealedIndex, role: Role, sample: int | None = None, seed: int = 0
) -> dict[str, list[PageRow]]:
    """The pages of a role, or a declared sample of them, by document in order of hash and page."""
    rows = {(row.sha256, row.page): row for row in index.pages(role)}
    if not rows:
        raise InputNotFound(f"The index has no page with the role {role}.")
    keys = sorted(rows) if sample is None else sample_pages(rows, sample, seed)
    pages: dict[str, list[PageRow]] = {}
    for key in keys:
        pages.setdefault(key[0], []).append(rows[key])
    return pages


def role_targets(index: SealedIndex, pages: dict[str, list[PageRow]]) -> dict[PageKey, TargetPage]:
    """Ground truth of the given pages of an index."""
    targets = [_target(index, row) for rows in pages.values() for row in rows]
    return {target.key: target for target in targets}


def _target(index: SealedIndex, row: PageRow) -> TargetPage:
    widgets = index.widgets(row.sha256, row.page)
    box = as_boxes([widget.box for widget in widgets])
    kind = np.array([KINDS.index(widget.kind) for widget in widgets], dtype=np.int64)
    return TargetPage(row.sha256, row.page, row.width, row.height, box, kind, bool(row.structure))


def truth_digest(targets: Iterable[TargetPage]) -> str:
    """One digest for pages, classes and boxes: results with the same digest may stand side by side."""
    rows = [
        [page.document, page.index, page.kind.tolist(), np.round(page.box, 3).tolist()]
        for page in sorted(targets, key=lambda page: page.key)
    ]
    return sha256_object(rows)


def check_role_files(
    documents: Iterable[DocumentRow],
    folder: Path,
    only: Collection[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> None:
    """The files of a role must be the sealed ones; the sentence names those that are not."""
    if not folder.is_dir():
        raise InputNotFound(f"{folder} is not a folder.")
    wanted = [row for row in documents if only is None or row.sha256 in only]
    wrong = []
    for done, row in enumerate(wanted, 1):
        path = folder / row.file
        if not path.is_file() or sha256_file(path) != row.sha256:
            wrong.append(row.file)
        if progress:
            progress(done, len(wanted))
    if wrong:
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise IntegrityError(f"Missing or changed in {folder}: {', '.join(wrong[:5])}{more}.")
