# SPDX-License-Identifier: Apache-2.0
"""A detector that is shown every page as a poor scan of it: how good is it where only a picture is left?"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.as_scan import as_scan

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.pdf.page import Page, PageNeeds


class OnScans:
    """Wraps a detector; it keeps its name, weights and operating point, because those are what is judged."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector
        self.cap = detector.cap

    @property
    def ref(self) -> DetectorRef:
        """Of the wrapped detector."""
        return self._detector.ref

    @property
    def needs(self) -> PageNeeds:
        """Of the wrapped detector."""
        return self._detector.needs

    @property
    def operating_point(self) -> OperatingPoint:
        """Of the wrapped detector."""
        return self._detector.operating_point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of the scans of the pages."""
        return self._detector.detect([poor_scan(page) for page in pages])


def poor_scan(page: Page) -> Page:
    """Degraded picture, no text layer; the same page always gives the same scan."""
    pixels = b"" if page.raster is None else page.raster.pixels.tobytes()
    return as_scan(page, np.random.default_rng(zlib.crc32(pixels)))
