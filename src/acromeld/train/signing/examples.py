# SPDX-License-Identifier: Apache-2.0
"""Places to sign on training pages, as the detector describes them, with what authors made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.seen import SIGNATURE
from acromeld.detect.acromeld.signing.places import places_to_sign
from acromeld.geometry import intersection_over_smaller, iou
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.structure.signing_words import ASKS_TO_SIGN

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.signing.places import Places
    from acromeld.evaluate.pages import TargetPage
    from acromeld.geometry import Boxes
    from acromeld.pdf.document import Document
    from acromeld.train.answered import Job, Reader

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


def document_pages(job: Job, *, reader: Reader) -> list[SigningPage]:
    """The places of one document; pages where nothing asks for a signature are not shown to the network."""
    needs, pages = reader.network().contract.needs, []
    with open_document(reader.pdf / job.document.file) as document:
        asking = [target for target in job.pages if _asks(document, target.index)]
        for target in asking:
            page = document.read_page(target.index, needs)
            seen, _ = reader.ask(job.document, page)
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
