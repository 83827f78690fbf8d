# SPDX-License-Identifier: Apache-2.0
"""Files with the same content.

With the same name, too, in another folder, a file gets the outputs of the first. Under another name they may
differ, because a form without a heading is titled after its file; but what the detector found on a page is
the same, so a worker remembers it from one document to the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.batch.delivery import ENDINGS, deliver
from acromeld.batch.intake import read_exactly
from acromeld.batch.job import Delivered, Parts

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from acromeld.batch.journal import Entry
    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.pdf.page import Page, PageNeeds


def copy_outputs(out: Path, original: Entry, stem: str, ours: Collection[str] | None) -> Delivered:
    """Write the outputs of ``original`` again in another place; they must still be what they were.

    ``ours`` are the digests of files that may be replaced there, see `acromeld.batch.delivery.deliver`.
    """
    parts: Parts = {
        part: read_exactly(out / f"{original.stem}{ending}", original.digests[part])
        for part, ending in ENDINGS.items()
        if part in original.digests
    }
    deliver(out, stem, original.sha256, parts, ours)
    return Delivered(original.digests, original.sizes)


class Remembering:
    """A detector that does not look at the pages of the last document twice."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self._document = ""
        self._pages: dict[int, PageCandidates] = {}
        self.looked = 0

    def turn_to(self, sha256: str) -> None:
        """The content of the next document; another one than the last makes it forget."""
        if sha256 != self._document:
            self._document = sha256
            self._pages = {}

    @property
    def ref(self) -> DetectorRef:
        """That of the detector."""
        return self._detector.ref

    @property
    def needs(self) -> PageNeeds:
        """Those of the detector."""
        return self._detector.needs

    @property
    def cap(self) -> int:
        """That of the detector."""
        return self._detector.cap

    @property
    def operating_point(self) -> OperatingPoint:
        """That of the detector."""
        return self._detector.operating_point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page, remembered for pages that could be read."""
        return [self._page(page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        if page.index in self._pages:
            return self._pages[page.index]
        self.looked += 1
        (found,) = self._detector.detect([page])
        if not page.notes:
            # What was read in part may be read in full the next time.
            self._pages[page.index] = found
        return found
