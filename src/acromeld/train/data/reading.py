# SPDX-License-Identifier: Apache-2.0
"""Reads the pages of a document into records, by the same path a detector reads them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.as_scan import as_scan
from acromeld.detect.acromeld.canvas import Placement, draw
from acromeld.detect.acromeld.inputs import read_tokens
from acromeld.pdf.document import open_document
from acromeld.structure.tokens import Tokens, unavailable
from acromeld.train.data.record import PageRecord

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.acromeld.inputs import Expert
    from acromeld.pdf.page import Page

_DEGRADED = 0.5
"""Share of scans with a degraded picture: few real ones are clean."""

_WITH_WORDS = 0.5
"""Share of scans with the text layer of an OCR program."""


@dataclass(frozen=True)
class TruePage:
    """The sealed truth of a page: index, displayed size, ``(n, 4)`` boxes in points, ``(n,)`` classes."""

    index: int
    width: float
    height: float
    boxes: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]


def read_records(
    path: Path,
    pages: tuple[TruePage, ...],
    contract: RuntimeContract,
    expert: Expert | None = None,
    *,
    pictures_only: bool = False,
) -> Iterator[PageRecord]:
    """The records of a document's pages, in the order given; the expert must not have learned from them."""
    needs = replace(contract.needs, primitives=not pictures_only)
    with open_document(path) as document:
        for truth in pages:
            page = document.read_page(truth.index, needs)
            if pictures_only:
                yield _record(page, truth, contract, unavailable(), unavailable())
            else:
                yield record_page(page, truth, contract, document.source.sha256, expert)


def record_page(
    page: Page, truth: TruePage, contract: RuntimeContract, document: str, expert: Expert | None = None
) -> PageRecord:
    """One page that was read with the contract's needs."""
    own = read_tokens(page, contract, expert=expert)
    inferred = read_tokens(_as_scanned(page, document), contract, expert=expert)
    return _record(page, truth, contract, own, inferred)


def _record(
    page: Page, truth: TruePage, contract: RuntimeContract, own: Tokens, inferred: Tokens
) -> PageRecord:
    """Picture, truth and tokens together; a page that could not be drawn is white."""
    place = Placement.of_page(truth.width, truth.height, contract.canvases)
    pixels, corner = _without_padding(draw(page.raster, place, contract.channels), place)
    return PageRecord(pixels, corner, place.page, truth.boxes, truth.labels, own, inferred)


def _without_padding(
    canvas: npt.NDArray[np.uint8], place: Placement
) -> tuple[npt.NDArray[np.uint8], tuple[int, int]]:
    """The part of a ``(C, H, W)`` canvas that shows the page, and where it begins."""
    fit = place.fit
    left, top = math.floor(fit.left), math.floor(fit.top)
    right = math.ceil(round(fit.left + place.page[0] * fit.scale, 6))
    bottom = math.ceil(round(fit.top + place.page[1] * fit.scale, 6))
    return np.ascontiguousarray(canvas[:, top:bottom, left:right]), (left, top)


def _as_scanned(page: Page, document: str) -> Page:
    """The page as a scan: every other degraded, every other with its words.

    What is then found in it is found by the path every scan takes.
    """
    rng = np.random.default_rng([int(document[:12], 16), page.index])
    words = page.primitives is not None and rng.random() < _WITH_WORDS
    degraded = page.raster is not None and rng.random() < _DEGRADED
    return as_scan(page, rng if degraded else None, words=words)
