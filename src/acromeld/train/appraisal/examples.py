# SPDX-License-Identifier: Apache-2.0
"""The places of training pages, measured as the detector measures them, with whether the author has a field.

Some pages are shown a second time as poor scans, because places on scans have other company: no words, and
rules that were inferred from the picture.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.appraisal.appraiser import sources
from acromeld.detect.acromeld.appraisal.columns import measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.opinions import opinions_in
from acromeld.detect.acromeld.seen import SIGNATURE, TEXT
from acromeld.detect.candidates import PageCandidates
from acromeld.errors import Refused
from acromeld.evaluate.adapters import NATIVE
from acromeld.evaluate.matching import UNMATCHED, greedy_match, page_pairs
from acromeld.evaluate.scanned import poor_scan
from acromeld.pdf.document import open_document
from acromeld.train.word_evidence import caption_rows

if TYPE_CHECKING:
    import numpy.typing as npt
    from scipy.sparse import csr_matrix

    from acromeld.detect.acromeld.seen import Seen
    from acromeld.evaluate.pages import TargetPage
    from acromeld.pdf.page import Page
    from acromeld.train.answered import Job, Reader

SCANNED = 4
"""One page in so many is also shown as a scan."""


@dataclass(frozen=True)
class AppraisedPage:
    """The r places of one page.

    Attributes:
        group: Provenance group of the document.
        names: Of the columns.
        columns: ``(r, f)``.
        words: ``(r, BUCKETS)`` the words around each.
        label: ``(r,)`` whether the author has a field there.
    """

    group: str
    names: tuple[str, ...]
    columns: npt.NDArray[np.float32]
    words: csr_matrix
    label: npt.NDArray[np.bool_]


def document_pages(job: Job, *, reader: Reader) -> list[AppraisedPage]:
    """The places of one document, page by page; pages without any are left out."""
    contract = reader.network().contract
    if not contract.opinions:
        raise Refused("An appraisal hears the opinions of FFGBT, and this network reads none.")
    needs, found = contract.needs, []
    with open_document(reader.pdf / job.document.file) as document:
        for target in job.pages:
            page = document.read_page(target.index, needs)
            shown = (page, poor_scan(page)) if _also_scanned(target) else (page,)
            found += [appraised for each in shown if (appraised := _page(job, reader, each, target))]
    return found


def _also_scanned(target: TargetPage) -> bool:
    key = f"{target.document} {target.index}".encode()
    return hashlib.sha256(key).digest()[0] % SCANNED == 0


def _page(job: Job, reader: Reader, page: Page, target: TargetPage) -> AppraisedPage | None:
    seen, tokens = reader.ask(job.document, page)
    spoken, size = speakers(seen), (page.width, page.height)
    if not len(spoken.rows):
        return None
    words = None if page.primitives is None else page.primitives.words
    source = sources(reader.network().contract)
    measured = measure(seen, spoken, source, opinions_in(tokens, size), words, size)
    return AppraisedPage(
        job.document.final_group,
        tuple(measured.columns),
        np.column_stack(list(measured.columns.values())).astype(np.float32),
        caption_rows(measured.captions),
        authored(seen, spoken.rows, target),
    )


def authored(seen: Seen, rows: npt.NDArray[np.intp], target: TargetPage) -> npt.NDArray[np.bool_]:
    """Which of the queries, best first, are matched to fields of the author by the native yardstick.

    Text and signature count as one class: which of them it is, is decided elsewhere.
    """
    kind = _written(seen.probability[rows].argmax(axis=1))
    candidates = PageCandidates(seen.box[rows], kind, seen.score[rows], ("",) * len(rows))
    truth = replace(target, kind=_written(target.kind))
    match = greedy_match(
        page_pairs(candidates, truth), np.arange(len(rows)), NATIVE.measure, NATIVE.threshold
    )
    found: npt.NDArray[np.bool_] = match != UNMATCHED
    return found


def _written(kind: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.where(kind == SIGNATURE, TEXT, kind)
