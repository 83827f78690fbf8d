# SPDX-License-Identifier: Apache-2.0
"""The whole training of the group finder: sealed index in, ``groups.npz`` and a summary out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from acromeld.corpus.index import open_index
from acromeld.form.describe.group_weights import pack
from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_bytes
from acromeld.train.ffgbt.export import to_onnx
from acromeld.train.ffgbt.run import training_forms
from acromeld.train.groups.examples import collect, fold_tables, grouping_forms
from acromeld.train.groups.fitting import fit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acromeld.train.groups.examples import GroupPage

THRESHOLD = 0.85
"""Score that counts as sure; chosen on the development documents, see docs/accessibility.md."""


def train(
    index_path: Path,
    pdf_folder: Path,
    out: Path,
    *,
    workers: int,
    limit: int | None = None,
    progress: Callable[[str, int, int], None],
) -> str:
    """Train from the train-real documents; the digest of the weights."""
    out.mkdir(parents=True, exist_ok=True)
    with open_index(index_path) as index:
        forms = training_forms(index, pdf_folder)[:limit]
    pages = collect(forms, workers, lambda done, total: progress("Reading forms", done, total))
    data, summary = train_on(pages, workers)
    write_atomically(data, out / "groups.npz", overwrite=True)
    record = json.dumps({"documents": len(forms), **summary}, indent=1, sort_keys=True) + "\n"
    write_atomically(record.encode(), out / "groups-summary.json", overwrite=True)
    return sha256_bytes(data)


def train_on(pages: list[GroupPage], threads: int) -> tuple[bytes, dict[str, int]]:
    """Weights from pages, and what they were made from."""
    grouping = grouping_forms(pages)
    tables = fold_tables([page for page in pages if page.form.sha256 in grouping])
    model, undecided = fit(pages, tables, threads)
    data = pack(to_onnx(model, 1), tables[-1], THRESHOLD)
    summary = {
        "pages": len(pages),
        "links": sum(len(page.links) for page in pages),
        "links_within_groups": sum(int(page.label.sum()) for page in pages),
        "links_undecided": undecided,
        "documents_with_groups": len(grouping),
        "bytes": len(data),
    }
    return data, summary
