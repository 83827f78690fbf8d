# SPDX-License-Identifier: Apache-2.0
"""Detection for a review: the fields ``acromeld recover`` would write, and the candidates it would not.

One pass of the detector gives both. The fields come from `acromeld.recovery.detect_pages` at the calibrated
operating point, so that a review starts from exactly what the other commands give; the candidates are decoded
from the same scores at the raw point and offered when the threshold is lowered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acromeld.detect.decoding import decode, raw_point, to_page_fields
from acromeld.form.describe.signing import Signatures
from acromeld.recovery import detect_pages, opened
from acromeld.review.state import ReviewField, ReviewPage, Thresholds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, DocumentFields, Field, OperatingPoint, PageFields
    from acromeld.pdf.page import Page, PageNeeds
    from acromeld.pdf.source import Source
    from acromeld.recovery import Progress


@dataclass(frozen=True)
class Found:
    """What a review starts from: the fields file as detected, and every page with its candidates."""

    fields: DocumentFields
    pages: dict[int, ReviewPage]
    notes: tuple[str, ...]


@dataclass
class _Recording:
    """A detector that keeps, for each page, everything it proposes at the raw point."""

    detector: Detector
    raw: dict[int, PageFields] = field(default_factory=dict)

    @property
    def ref(self) -> DetectorRef:
        return self.detector.ref

    @property
    def needs(self) -> PageNeeds:
        return self.detector.needs

    @property
    def cap(self) -> int:
        return self.detector.cap

    @property
    def operating_point(self) -> OperatingPoint:
        return self.detector.operating_point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        found = self.detector.detect(pages)
        point = raw_point(self.operating_point)
        for page, candidates in zip(pages, found, strict=True):
            self.raw[page.index] = to_page_fields(page, candidates, decode(candidates, point, cap=self.cap))
        return found


def find_fields(
    source: Source,
    detector: Detector,
    progress: Progress | None = None,
    *,
    signatures: Signatures = Signatures.AUTO,
) -> Found:
    """Run the detector over a document, read in a disposable process."""
    recording = _Recording(detector)
    with opened(source) as document:
        found = detect_pages(document, recording, signatures=signatures, progress=progress)
    thresholds = Thresholds.of(detector.operating_point)
    pages = {
        page.page.index: _with_candidates(page, recording.raw[page.page.index].fields, thresholds)
        for page in found.fields.pages
    }
    return Found(found.fields, pages, found.notes)


def _with_candidates(page: PageFields, raw: Sequence[Field], thresholds: Thresholds) -> ReviewPage:
    """The fields of a page and, after them, the candidates that stay below the threshold of their class."""
    taken = {known.box for known in page.fields}
    below = [
        candidate
        for candidate in raw
        if candidate.score < thresholds.at(candidate.kind) and candidate.box not in taken
    ]
    fields = [ReviewField.model_validate(known.model_dump()) for known in page.fields]
    fields += [
        ReviewField.model_validate(known.model_dump() | {"id": f"p{page.page.index + 1}-c{number}"})
        for number, known in enumerate(below, 1)
    ]
    return ReviewPage(page=page.page, fields=tuple(fields), notes=page.notes)
