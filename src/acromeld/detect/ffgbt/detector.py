# SPDX-License-Identifier: Apache-2.0
"""The FFGBT detector: propose, describe, score twice, snap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.ffgbt.candidates import MARKS, CandidateKind, page_candidates
from acromeld.detect.ffgbt.context import context
from acromeld.detect.ffgbt.features import describe, matrix
from acromeld.detect.ffgbt.links import link_vectors
from acromeld.detect.ffgbt.snap import snap, standardise
from acromeld.detect.ffgbt.weights import Weights, shipped, shipped_point, unpack, weights_file
from acromeld.detect.reading import read
from acromeld.detect.threads import one_thread
from acromeld.errors import IntegrityError
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.pdf.page import PageNeeds
from acromeld.structure.availability import usable_primitives
from acromeld.trees import Trees, sigmoid, softmax

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.detect.ffgbt.candidates import Candidates
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Page, Primitives

NEEDS = PageNeeds(raster_long_side=1600)
_FLOOR = 0.01


@dataclass(frozen=True)
class Study:
    """All that FFGBT knows about the n candidates of a page.

    Attributes:
        kind: ``(n,)`` of `CandidateKind`.
        box: ``(n, 4)`` after snapping, within the page.
        features: ``(n, features)`` standardised: centred, scaled, cut at five deviations.
        probability: ``(n, 4)`` no field, text, choice, signature.
        quality: ``(n,)`` expected IoU with the field.
    """

    kind: npt.NDArray[np.int8]
    box: Boxes
    features: npt.NDArray[np.float32]
    probability: Floats
    quality: Floats

    def __len__(self) -> int:
        return len(self.kind)


class FfgbtDetector:
    """Boosted trees over candidates from PDF structure; pages without structure are read off their raster."""

    cap = 300

    def __init__(self, weights: Weights | None = None, point: OperatingPoint | None = None) -> None:
        self._weights = weights or shipped()
        self._point = point or (shipped_point() if weights is None else OperatingPoint())
        self._classify = Trees(self._weights.classify)
        self._reconsider = Trees(self._weights.reconsider)
        self._quality = Trees(self._weights.quality)

    @classmethod
    def from_file(cls, path: Path) -> FfgbtDetector:
        """The detector with the weights of a file, at the training-time operating point."""
        return cls(unpack(weights_file(path), path.name))

    @property
    def ref(self) -> DetectorRef:
        """Name and digest of the weights."""
        return DetectorRef(name="ffgbt", weights=self._weights.digest)

    @property
    def needs(self) -> PageNeeds:
        """Primitives, and a picture for the ink and for scans."""
        return NEEDS

    @property
    def operating_point(self) -> OperatingPoint:
        """As calibrated for the shipped weights; the training-time point for others."""
        return self._point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page."""
        return [read(page, self._page) for page in pages]

    def study(self, page: Page, primitives: Primitives, *, inferred: bool) -> Study | None:
        """What is known about every candidate of a page; none when there is no candidate."""
        found = page_candidates(primitives, page.width, page.height)
        if len(found) == 0:
            return None
        with one_thread():
            return self._study(page, primitives, found, inferred=inferred)

    def _study(self, page: Page, primitives: Primitives, found: Candidates, *, inferred: bool) -> Study:
        columns = describe(page, primitives, found, self._weights.table, inferred=inferred)
        columns |= context(found.box, found.kind, softmax(self._classify(matrix(columns))))
        if tuple(columns) != self._weights.features:
            raise IntegrityError("The weights of ffgbt were trained on other features than this version has.")
        features = matrix(columns)
        moved = snap(found.box, features, self._weights.snap)
        return Study(
            kind=found.kind,
            box=np.clip(moved, 0.0, [page.width, page.height, page.width, page.height]),
            features=standardise(features, self._weights.snap),
            probability=softmax(self._reconsider(features)),
            quality=sigmoid(self._quality(features)[:, 0]),
        )

    def _page(self, page: Page) -> PageCandidates:
        primitives, inferred = usable_primitives(page)
        known = self.study(page, primitives, inferred=inferred) if primitives is not None else None
        if known is None:
            return PageCandidates.empty()
        kind = known.probability[:, 1:].argmax(1)
        score = np.sqrt(known.probability[np.arange(len(kind)), 1 + kind] * known.quality)
        keep = (score >= _FLOOR) & (known.box[:, 2:] > known.box[:, :2]).all(1)
        box, source = known.box[keep], known.kind[keep]
        link = link_vectors(box, score[keep], np.isin(source, MARKS))
        origin = tuple(CandidateKind(number).name.lower() for number in source)
        return PageCandidates(box, kind[keep], score[keep], origin, known.quality[keep], link)
