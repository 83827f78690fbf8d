# SPDX-License-Identifier: Apache-2.0
"""Places to sign on training pages, described as the detector describes them, with what authors made of them.

The network's answers are part of the description, and what it answers depends on FFGBT's opinion, so every
page is judged by an FFGBT that never saw it, as in the training of the network.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.detector import look
from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.signing.places import SIGNATURE, places_to_sign
from acromeld.detect.acromeld.weights import read_weights
from acromeld.geometry import intersection_over_smaller, iou
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.structure.signing_words import ASKS_TO_SIGN
from acromeld.train.data.experts import expert_for, load_expert

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.corpus.index import DocumentRow
    from acromeld.detect.acromeld.signing.places import Places
    from acromeld.detect.acromeld.weights import Weights
    from acromeld.evaluate.pages import TargetPage
    from acromeld.geometry import Boxes
    from acromeld.pdf.document import Document

_SAME, _CLOSE = 0.3, 0.3
"""Overlap (of the smaller box) and IoU from which on a candidate stands for a signature field."""


@dataclass(frozen=True)
class SigningPage:
    """The places to sign of one page.

    Attributes:
        group: Provenance group of the document.
        places: As the detector describes them.
        box: ``(n, 4)`` of the places, in points.
        label: ``(n,)`` whether each stands for a signature field of the author.
        signed: ``(s, 4)`` the author's signature fields.
    """

    group: str
    places: Places
    box: Boxes
    label: npt.NDArray[np.bool_]
    signed: Boxes


@dataclass(frozen=True)
class Job:
    """A document and the truth of its pages."""

    document: DocumentRow
    pages: tuple[TargetPage, ...]


def collect(
    jobs: Sequence[Job],
    pdf: Path,
    weights: Path,
    experts: Path,
    *,
    workers: int,
    progress: Callable[[int, int], None],
) -> list[SigningPage]:
    """The places of all documents, in the order of the jobs."""
    found: list[SigningPage] = []
    with ProcessPoolExecutor(workers) as pool:
        work = partial(document_pages, pdf=pdf, weights=weights, experts=experts)
        for done, pages in enumerate(pool.map(work, jobs, chunksize=4), 1):
            found += pages
            progress(done, len(jobs))
    return found


def document_pages(job: Job, *, pdf: Path, weights: Path, experts: Path) -> list[SigningPage]:
    """The places of one document; pages where nothing asks for a signature are not shown to the network."""
    with open_document(pdf / job.document.file) as document:
        asking = [target for target in job.pages if _asks(document, target.index)]
        network = _network(weights)
        expert = load_expert(expert_for(job.document, experts))
        pages = []
        for target in asking:
            page = document.read_page(target.index, network.contract.needs)
            inputs = read_inputs(page, network.contract, expert=expert)
            seen = look(network.answers(feed(inputs)), inputs.place)
            assert page.primitives is not None
            places = places_to_sign(seen, page.primitives.words, (page.width, page.height))
            if places is not None:
                pages.append(labelled(job.document.final_group, places, seen.box[places.rows], target))
    return pages


def labelled(group: str, places: Places, box: Boxes, target: TargetPage) -> SigningPage:
    """The places of a page with what the author made of them."""
    signed = target.box[target.kind == SIGNATURE]
    close = (intersection_over_smaller(box, signed) >= _SAME) & (iou(box, signed) >= _CLOSE)
    stands: npt.NDArray[np.bool_] = np.any(close, axis=1)
    return SigningPage(group, places, box, stands, signed)


def _asks(document: Document, index: int) -> bool:
    primitives = document.read_page(index, PageNeeds()).primitives
    return primitives is not None and any(ASKS_TO_SIGN.search(text) for text in primitives.words.text)


@cache
def _network(path: Path) -> Weights:
    """One thread: the processes share the cores."""
    return read_weights(path, threads=1)
