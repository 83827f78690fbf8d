# SPDX-License-Identifier: Apache-2.0
"""``acromeld corpus``: build, seal, show and verify the index of a corpus."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

from acromeld.cli.console import page_progress, print_json, wide_console
from acromeld.corpus.build import Part, build_index
from acromeld.corpus.index import open_index
from acromeld.corpus.index import seal as seal_index
from acromeld.corpus.show import Summary, render, summarise
from acromeld.corpus.verify import verify_files
from acromeld.errors import InputNotFound, IntegrityError

app = App(name="corpus", help="The sealed index: which documents there are and what each is for.")

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]


@app.command
def build(
    folder: Path,
    /,
    *,
    manifest: Path,
    out: Path,
    synthetic: Path | None = None,
    synthetic_structure: Annotated[bool, Parameter(negative="")] = False,
    workers: Count = 1,
) -> int:
    """Read a folder of PDFs and its manifest into a new, unsealed index.

    Args:
        folder: The real forms.
        manifest: One JSON line per file: sha256, and file, group, source where known.
        out: The index to write; never overwritten.
        synthetic: A folder made by ``acromeld synth``; its documents train and do nothing else.
        synthetic_structure: Let the vector structure of synthetic pages count.
        workers: Processes that read files.
    """
    _need_folder(folder)
    made = None if synthetic is None else Part(synthetic / "pdf", synthetic / "manifest.jsonl")
    if made:
        _need_folder(made.folder)
    began = time.perf_counter()
    with page_progress("Reading documents") as progress:
        report = build_index(
            folder, manifest, out, synthetic=made, synthetic_structure=synthetic_structure,
            workers=workers, progress=progress,
        )  # fmt: skip
    print(
        f"{out}: {report.documents:,} documents, {report.pages:,} pages, {report.widgets:,} fields, "
        f"{report.final_groups:,} provenance groups (from {report.manifest_groups:,}), "
        f"{report.unreadable:,} unreadable; {time.perf_counter() - began:.1f} s. Not sealed yet."
    )
    return 0


@app.command
def seal(index: Path, /) -> int:
    """Seal an index: write the digest of its content and make the file read-only.

    Args:
        index: An index made by ``corpus build``.
    """
    print(seal_index(index))
    return 0


@app.command
def show(index: Path, /, *, json: Annotated[bool, Parameter(negative="")] = False) -> int:
    """Print the data table of a sealed index, its densest page, and whether 896 queries suffice.

    Args:
        index: A sealed index.
        json: Print as JSON.
    """
    with open_index(index) as opened:
        summary = summarise(opened)
    if json:
        print_json(_record(summary))
    else:
        wide_console().print(render(summary), highlight=False)
    return 0


@app.command
def verify(
    index: Path, folder: Path, /, *, synthetic: Annotated[bool, Parameter(negative="")] = False
) -> int:
    """Compare a folder with the index made from it; changed, missing and added files are named.

    Args:
        index: A sealed index.
        folder: The folder it was built from.
        synthetic: The folder holds the synthetic documents.
    """
    _need_folder(folder)
    with open_index(index) as opened, page_progress("Hashing files") as progress:
        report = verify_files(opened, folder, synthetic=synthetic, progress=progress)
    if not report.clean:
        raise IntegrityError(f"{folder} is not as sealed: {report.sentence()}")
    print(report.sentence())
    return 0


def _need_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise InputNotFound(f"{folder} is not a folder.")


def _record(summary: Summary) -> dict[str, object]:
    record = asdict(summary)
    record["rejections"] = [
        {"kind": kind or None, "reason": reason, "count": count}
        for (kind, reason), count in summary.rejections.items()
    ]
    return {**record, "queries_suffice": summary.queries_suffice}
