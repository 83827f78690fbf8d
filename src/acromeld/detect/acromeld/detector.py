# SPDX-License-Identifier: Apache-2.0
"""The AcroMELD detector: read, run, name the answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.weights import Weights, read_weights, shipped_file
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import CAP, FLOOR
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.fields import DetectorRef, OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.detect.acromeld.canvas import Placement
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.acromeld.inputs import Expert
    from acromeld.pdf.page import Page, PageNeeds


class AcromeldDetector:
    """The model of the paper as an ONNX graph; needs onnxruntime and nothing of the workshop.

    Args:
        weights: An opened file; none for the one inside the package.
        threads: Threads of one page's forward pass; none leaves it to onnxruntime.
    """

    cap = CAP
    takes_threads = True

    def __init__(self, weights: Weights | None = None, *, threads: int | None = None) -> None:
        self._weights = weights or read_weights(shipped_file(), threads)
        self._expert = load_expert(self._weights)

    @classmethod
    def from_file(cls, path: Path, *, threads: int | None = None) -> AcromeldDetector:
        """The detector with the weights of a file, at the operating point beside it."""
        return cls(read_weights(path, threads))

    @property
    def ref(self) -> DetectorRef:
        """Name and digest of the weights file."""
        return DetectorRef(name="acromeld", weights=self._weights.digest)

    @property
    def contract(self) -> RuntimeContract:
        """How it reads pages."""
        return self._weights.contract

    @property
    def needs(self) -> PageNeeds:
        """A picture and primitives."""
        return self.contract.needs

    @property
    def operating_point(self) -> OperatingPoint:
        """As calibrated for these weights; the training-time point if they have none."""
        return self._weights.point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page; one page at a time, because pages differ in canvas and tokens."""
        return [self._page(page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        inputs = read_inputs(page, self.contract, expert=self._expert)
        return as_candidates(self._weights.answers(feed(inputs)), inputs.place, self.contract)


def load_expert(weights: Weights) -> Expert | None:
    """The FFGBT whose opinion the model reads, if it reads one."""
    return None if weights.expert is None else FfgbtDetector(weights.expert)


def as_candidates(
    answers: Mapping[str, npt.NDArray[np.float32]], place: Placement, contract: RuntimeContract
) -> PageCandidates:
    """Answers of the Q queries of one page (`OUTPUTS` without the batch) as candidates in points.

    Equation (score): ``sqrt(max_c p_c * q)`` of the best field class, times the page evidence where the
    contract asks for it. Queries below the decoder's floor are left out, as are boxes that lie beside the
    page, where the canvas is only padding.
    """
    probability = answers["probability"].astype(np.float64)
    quality = answers["quality"].astype(np.float64)
    box = place.to_page(answers["corners"])
    on_page = (box[:, 2:] > box[:, :2]).all(axis=1)
    score = np.sqrt(probability.max(axis=1) * quality)
    score *= score.max(where=on_page, initial=0.0) ** contract.page_evidence
    origins = contract.origins
    keep = np.flatnonzero((score >= FLOOR) & on_page)
    return PageCandidates(
        box=box[keep],
        kind=probability.argmax(axis=1)[keep].astype(np.int64),
        score=score[keep],
        origin=tuple(origins[row] for row in keep),
        quality=quality[keep],
        link=answers["link"][keep].astype(np.float64),
    )
