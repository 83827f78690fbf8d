# SPDX-License-Identifier: Apache-2.0
"""A folder of synthetic documents with a manifest, in the layout of a real corpus.

``pdf/<sha256>.pdf`` holds the documents and ``manifest.jsonl`` one line for each, in order of their index, so
that the same seed gives the same folder whatever the number of workers.
"""

from __future__ import annotations

import json
import multiprocessing
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from acromeld.corpus.synth.document import SynthDocument, generate
from acromeld.corpus.synth.fonts import Fonts
from acromeld.fields import KINDS

SOURCE = "synthetic"
LICENSE = "Apache-2.0"

Row = dict[str, Any]
Progress = Callable[[int, int], None]


def manifest_row(document: SynthDocument) -> Row:
    """The manifest line of a document. It is a provenance group of its own."""
    counts = document.counts()
    return {
        "commit": "",
        "fields": {kind.value: counts[kind] for kind in sorted(KINDS)},
        "group": document.sha256[:12],
        "license": LICENSE,
        "origin_sha256": document.sha256,
        "pages": len(document.pages),
        "path": f"synth/{document.seed}/{document.index:06d}.pdf",
        "scan": False,
        "sha256": document.sha256,
        "source": SOURCE,
    }


def generate_corpus(
    out: Path,
    seed: int,
    documents: int,
    *,
    workers: int = 1,
    fonts: Fonts = "system",
    weigh: Mapping[str, float] = MappingProxyType({}),
    progress: Progress | None = None,
) -> list[Row]:
    """Write the corpus and return the rows of its manifest.

    Args:
        out: Folder to write into; made when missing.
        seed: Seed of the whole corpus.
        documents: How many documents.
        workers: Processes; the result does not depend on it.
        fonts: ``builtin`` for bytes that do not depend on installed fonts.
        weigh: Weights of grammars (`grammars.GRAMMARS`) by name, in place of their own.
        progress: Called with (done, all) after each document.
    """
    folder = out / "pdf"
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    for row in _rows(partial(_write, folder, seed, fonts, dict(weigh)), documents, workers):
        rows.append(row)
        if progress is not None:
            progress(len(rows), documents)
    lines = (json.dumps(row, sort_keys=True, ensure_ascii=False) + "\n" for row in rows)
    (out / "manifest.jsonl").write_text("".join(lines), encoding="utf-8")
    return rows


def _rows(make: Callable[[int], Row], documents: int, workers: int) -> Iterator[Row]:
    if workers <= 1:
        yield from map(make, range(documents))
        return
    # Spawned, not forked: the caller may already hold threads (progress bars) that a fork would copy.
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from pool.map(make, range(documents), chunksize=8)


def _write(folder: Path, seed: int, fonts: Fonts, weigh: Mapping[str, float], index: int) -> Row:
    document = generate(seed, index, fonts=fonts, weigh=weigh)
    (folder / f"{document.sha256}.pdf").write_bytes(document.data)
    return manifest_row(document)
