# SPDX-License-Identifier: Apache-2.0
"""A detector that is shown every page as a poor scan of it: how good is it where only a picture is left?"""

from __future__ import annotations

import math
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.as_scan import as_scan
from acromeld.detect.level import moved, moved_boxes
from acromeld.structure.skew import Skew

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.pdf.page import Page, PageNeeds


_ASKEW = 1
"""Sets the draw of a page's slope apart from those of its degradation."""


class OnScans:
    """Wraps a detector; it keeps its name, weights and operating point, because those are what is judged.

    Args:
        detector: What is judged.
        crooked: Degrees by which the paper lies askew at the most.
    """

    def __init__(self, detector: Detector, crooked: float = 0.0) -> None:
        self._detector = detector
        self._steepest = math.tan(math.radians(crooked))
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
        """Candidates of the scans of the pages, where they are on the pages as they were before."""
        return [self._page(page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        slope = self._steepest * float(np.random.default_rng([_ASKEW, _seed(page)]).uniform(-1, 1))
        (found,) = self._detector.detect([poor_scan(page, slope)])
        if not slope:
            return found
        back = Skew.turned(slope).back()
        return replace(found, box=moved_boxes(found.box, back, (page.width, page.height)))


def poor_scan(page: Page, slope: float = 0.0) -> Page:
    """Degraded picture of paper that was turned, no text layer; a page always gives the same scan."""
    askew = moved(page, Skew.turned(slope).matrix()) if slope else page
    return as_scan(askew, np.random.default_rng(_seed(page)))


def _seed(page: Page) -> int:
    return zlib.crc32(b"" if page.raster is None else page.raster.pixels.tobytes())
