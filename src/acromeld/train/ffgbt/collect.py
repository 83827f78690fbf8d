# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a role and makes examples of them, on all cores.

Two passes. The first counts which words stand where around which kind of field, per fold of provenance
groups. The second describes the candidates; a page is described with the word table of the *other* folds, so
that the trees never see a table that knows their page. Some pages are read once more as if they were scans.
"""

from __future__ import annotations

import hashlib
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.degrade import degrade
from acromeld.detect.ffgbt.candidates import page_candidates
from acromeld.detect.ffgbt.features import describe, matrix
from acromeld.detect.ffgbt.labels import buckets, label_counts, label_table, no_counts
from acromeld.detect.ffgbt.labels import surroundings as words_around
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds, Raster
from acromeld.pdf.pdfium import start_afresh
from acromeld.structure.availability import usable_primitives, with_own_words
from acromeld.structure.inferred import infer_primitives
from acromeld.train.ffgbt.examples import Examples, assign, join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.pdf.page import Page, Primitives
    from acromeld.pdf.widgets import NativeWidget

FOLDS = 5
NEEDS = PageNeeds(raster_long_side=1600)
SCAN_SHARE = 0.12
"""Of the training pages, read once more from their degraded picture alone."""


@dataclass(frozen=True)
class Form:
    """A document of the index: where it is, its hash and its provenance group."""

    path: Path
    sha256: str
    group: str

    @property
    def fold(self) -> int:
        """Folds are made of whole groups."""
        return int(hashlib.sha256(self.group.encode()).hexdigest(), 16) % FOLDS


def count_words(
    forms: Sequence[Form], workers: int, progress: Callable[[int, int], None]
) -> npt.NDArray[np.int32]:
    """First pass: counts of each fold, stacked."""
    counts = np.stack([no_counts()] * FOLDS)
    with ProcessPoolExecutor(workers) as pool:
        for number, (form, found) in enumerate(zip(forms, pool.map(_count_form, forms), strict=True), 1):
            counts[form.fold] += found
            progress(number, len(forms))
    return counts


def fold_tables(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.float32]:
    """``(FOLDS + 1, …)``: for each fold the table of all other folds, and last the table of everything."""
    everything = counts.sum(axis=0)
    return np.stack([label_table(everything - fold) for fold in counts] + [label_table(everything)])


def collect(
    forms: Sequence[Form],
    tables: npt.NDArray[np.float32],
    *,
    held_out: bool,
    workers: int,
    progress: Callable[[int, int], None],
) -> Examples:
    """Second pass: examples of all pages. Held-out forms are described with the table of everything."""
    jobs = [(form, tables[FOLDS] if held_out else tables[form.fold], held_out) for form in forms]
    parts: list[Examples] = []
    pages = 0
    with ProcessPoolExecutor(workers) as pool:
        for number, (part, count) in enumerate(pool.map(_describe_form, jobs), 1):
            if part is not None:
                parts.append(replace(part, page=part.page + pages))
            pages += count
            progress(number, len(forms))
    return join(parts)


def _pages(form: Form) -> Iterator[tuple[Page, Primitives, bool, tuple[NativeWidget, ...]]]:
    start_afresh()
    with open_document(form.path) as document:
        for index in range(len(document)):
            page = document.read_page(index, NEEDS)
            primitives, inferred = usable_primitives(page)
            if primitives is not None:
                yield page, primitives, inferred, document.widgets(index).widgets


def _count_form(form: Form) -> npt.NDArray[np.int32]:
    total = no_counts()
    for page, primitives, _, widgets in _pages(form):
        box = page_candidates(primitives, page.width, page.height).box
        label, _, _ = assign(box, widgets)
        around = words_around(box, primitives.words.box)
        total += label_counts(around, buckets(primitives.words), label.astype(np.int64))
    return total


def _describe_form(job: tuple[Form, npt.NDArray[np.float32], bool]) -> tuple[Examples | None, int]:
    """Examples of a form, and how many pages they come from."""
    form, table, held_out = job
    parts: list[Examples] = []
    for page, primitives, inferred, widgets in _pages(form):
        parts.append(_examples(page, primitives, inferred, widgets, table))
        if not held_out and not inferred and _as_scan(form, page.index):
            scan, seen = _scanned(page, form)
            parts.append(_examples(scan, seen, True, widgets, table))
    numbered = [_numbered(part, page, form.fold) for page, part in enumerate(parts)]
    return (join(numbered) if numbered else None), len(numbered)


def _examples(
    page: Page,
    primitives: Primitives,
    inferred: bool,
    widgets: tuple[NativeWidget, ...],
    table: npt.NDArray[np.float32],
) -> Examples:
    candidates = page_candidates(primitives, page.width, page.height)
    label, fit, target = assign(candidates.box, widgets)
    columns = describe(page, primitives, candidates, table, inferred=inferred)
    return Examples(
        features=matrix(columns),
        label=label,
        fit=fit.astype(np.float32),
        box=candidates.box.astype(np.float32),
        target=target.astype(np.float32),
        page=np.zeros(len(candidates), dtype=np.int32),
        fold=np.zeros(len(candidates), dtype=np.int8),
    )


def _numbered(part: Examples, page: int, fold: int) -> Examples:
    return replace(part, page=part.page + np.int32(page), fold=part.fold + np.int8(fold))


def _as_scan(form: Form, index: int) -> bool:
    draw = hashlib.sha256(f"{form.sha256}:{index}".encode()).digest()
    return int.from_bytes(draw[:4], "big") / 2**32 < SCAN_SHARE


def _scanned(page: Page, form: Form) -> tuple[Page, Primitives]:
    """The page as a scanner would give it, a degraded picture, and what can be seen in it.

    Every second one keeps its words, like a scan with the text layer of an OCR program.
    """
    assert page.raster is not None
    rng = np.random.default_rng(int(form.sha256[:12], 16) + page.index)
    raster = Raster(degrade(page.raster.pixels, rng), page.raster.scale)
    words = page.primitives if rng.random() < 0.5 else None
    return replace(page, raster=raster, primitives=None), with_own_words(infer_primitives(raster), words)
