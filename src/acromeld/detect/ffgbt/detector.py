# SPDX-License-Identifier: Apache-2.0
"""The FFGBT detector: propose, describe, score twice, snap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.ffgbt.candidates import MARKS, CandidateKind, page_candidates
from acromeld.detect.ffgbt.context import context
from acromeld.detect.ffgbt.features import describe, matrix
from acromeld.detect.ffgbt.links import link_vectors
from acromeld.detect.ffgbt.snap import snap
from acromeld.detect.ffgbt.weights import Weights, shipped, shipped_point, unpack
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.pdf.page import PageNeeds
from acromeld.structure.availability import usable_primitives
from acromeld.trees import Trees, sigmoid, softmax

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from acromeld.pdf.page import Page

NEEDS = PageNeeds(raster_long_side=1600)
_FLOOR = 0.01


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
        try:
            return cls(unpack(path.read_bytes(), path.name))
        except OSError as error:
            raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None

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
        return [self._page(page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        primitives, inferred = usable_primitives(page)
        if primitives is None:
            return PageCandidates.empty()
        found = page_candidates(primitives, page.width, page.height)
        if len(found) == 0:
            return PageCandidates.empty()
        columns = describe(page, primitives, found, self._weights.table, inferred=inferred)
        first = matrix(columns)
        probability = softmax(self._classify(first))
        columns |= context(found.box, found.kind, probability)
        if tuple(columns) != self._weights.features:
            raise IntegrityError("The weights of ffgbt were trained on other features than this version has.")
        features = matrix(columns)
        probability = softmax(self._reconsider(features))
        quality = sigmoid(self._quality(features)[:, 0])
        kind = probability[:, 1:].argmax(1)
        score = np.sqrt(probability[np.arange(len(kind)), 1 + kind] * quality)
        box = snap(found.box, features, self._weights.snap)
        box = np.clip(box, 0.0, [page.width, page.height, page.width, page.height])
        keep = (score >= _FLOOR) & (box[:, 2:] > box[:, :2]).all(1)
        source = found.kind[keep]
        link = link_vectors(box[keep], score[keep], np.isin(source, MARKS))
        origin = tuple(CandidateKind(number).name.lower() for number in source)
        return PageCandidates(box[keep], kind[keep], score[keep], origin, quality[keep], link)
