# SPDX-License-Identifier: Apache-2.0
"""What every detector hands to the decoder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Page, PageNeeds


@dataclass(frozen=True)
class PageCandidates:
    """Candidates of one page in displayed points, one row each, in the detector's own stable order.

    Attributes:
        box: ``(n, 4)``.
        kind: ``(n,)`` class index into `acromeld.fields.KINDS`.
        score: ``(n,)`` confidence in 0..1.
        quality: ``(n,)`` expected localisation quality in 0..1, or none.
        origin: What each candidate came from (query source, evidence kind), length n.
        link: ``(n, d)`` unit vectors whose similarity says "same field", or none when the detector has none.
    """

    box: Boxes
    kind: npt.NDArray[np.int64]
    score: npt.NDArray[np.float64]
    origin: tuple[str, ...]
    quality: npt.NDArray[np.float64] | None = None
    link: npt.NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.origin)

    @classmethod
    def empty(cls) -> PageCandidates:
        """No candidates."""
        return cls(np.zeros((0, 4)), np.zeros(0, dtype=np.int64), np.zeros(0), ())


class Detector(Protocol):
    """A trained or rule-based finder of fields."""

    @property
    def ref(self) -> DetectorRef:
        """Name and weights digest, written into every fields.json."""

    @property
    def needs(self) -> PageNeeds:
        """What to read of each page."""

    @property
    def cap(self) -> int:
        """Fields of a page at the most."""

    @property
    def operating_point(self) -> OperatingPoint:
        """The calibrated thresholds the detector ships with."""

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page, same order."""
