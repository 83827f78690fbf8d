# SPDX-License-Identifier: Apache-2.0
"""The two sides of every comparison: a page as predicted and the same page as authored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.decoding import CAP, FLOOR, decode, stable_order

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.candidates import PageCandidates
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.geometry import Boxes

    Indices = npt.NDArray[np.intp]

PageKey = tuple[str, int]
"""Content hash of the document and 0-based page index: the identity of a page everywhere."""


@dataclass(frozen=True)
class PredictedPage:
    """What one system said about one page.

    Attributes:
        document: SHA-256 of the file.
        index: 0-based.
        width: Displayed points.
        height: Displayed points.
        candidates: The boxes. A missing origin is an empty string.
        decoded: True when the boxes are representatives already (prediction lines), so that an operating
            point only filters by class threshold; false when they are candidates that the decoder has yet to
            choose from (candidate lines).
        detector: Which system, when it says so.
        cap: Most fields the decoder may keep of the page.
    """

    document: str
    index: int
    width: float
    height: float
    candidates: PageCandidates
    decoded: bool = True
    detector: DetectorRef | None = None
    cap: int = CAP
    _chosen: dict[OperatingPoint, Indices] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    @property
    def key(self) -> PageKey:
        """Identity of the page."""
        return self.document, self.index

    def select(self, point: OperatingPoint) -> Indices:
        """Indices of the boxes that stand at an operating point, in stable descending score.

        For prediction lines the thresholds act after suppression, because what was suppressed is not in the
        file. This equals the decoder within a class; across classes it can lose a box whose suppressor falls
        below its own threshold. Candidate lines have no such gap. The answer is remembered, as every adapter
        asks again.
        """
        if point not in self._chosen:
            self._chosen[point] = self._select(point)
        return self._chosen[point]

    def _select(self, point: OperatingPoint) -> Indices:
        if not self.decoded:
            return decode(self.candidates, point, cap=self.cap).kept
        thresholds = np.maximum(np.array(point.thresholds()), FLOOR)[self.candidates.kind]
        order = stable_order(self.candidates.score)
        passing: Indices = order[self.candidates.score[order] >= thresholds[order]]
        return passing


@dataclass(frozen=True)
class TargetPage:
    """The native widgets of one page.

    Attributes:
        document: SHA-256 of the file.
        index: 0-based.
        width: Displayed points.
        height: Displayed points.
        box: ``(m, 4)`` displayed points.
        kind: ``(m,)`` class index into `acromeld.fields.KINDS`.
        vector: Whether the page has vector primitives; none when nobody looked.
    """

    document: str
    index: int
    width: float
    height: float
    box: Boxes
    kind: npt.NDArray[np.int64]
    vector: bool | None = None

    @property
    def key(self) -> PageKey:
        """Identity of the page."""
        return self.document, self.index

    def __len__(self) -> int:
        return len(self.kind)
