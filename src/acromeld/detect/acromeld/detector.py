# SPDX-License-Identifier: Apache-2.0
"""The AcroMELD detector: read, run, name the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.appraisal.appraiser import Appraiser
from acromeld.detect.acromeld.inputs import feed, read_inputs
from acromeld.detect.acromeld.opinions import opinions_in
from acromeld.detect.acromeld.seen import look
from acromeld.detect.acromeld.signing.judge import SigningJudge
from acromeld.detect.acromeld.weights import Weights, read_weights, shipped_file
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import CAP, FLOOR
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.detect.reading import read
from acromeld.detect.threads import one_thread
from acromeld.fields import DetectorRef, OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.detect.acromeld.canvas import Placement
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.acromeld.inputs import Expert
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Page, PageNeeds, Words
    from acromeld.structure.tokens import Tokens


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
        self._looks = load_looks(self._weights)

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
        with one_thread():
            return [read(page, self._page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        inputs = read_inputs(page, self.contract, expert=self._expert)
        words = page.primitives.words if page.primitives is not None else None
        answers = self._weights.answers(feed(inputs))
        return as_candidates(
            answers, inputs.place, self.contract, self._looks, words=words, tokens=inputs.tokens
        )


@dataclass(frozen=True)
class SecondLooks:
    """What looks again at the network's answers.

    Attributes:
        appraiser: At every place: is there a field?
        judge: At places to sign: what kind of field?
    """

    appraiser: Appraiser | None = None
    judge: SigningJudge | None = None


def load_expert(weights: Weights) -> Expert | None:
    """The FFGBT whose opinion the model reads, if it reads one."""
    return None if weights.expert is None else FfgbtDetector(weights.expert)


def load_looks(weights: Weights) -> SecondLooks:
    """The second looks that the file has."""
    return SecondLooks(
        None if weights.appraisal is None else Appraiser(weights.appraisal, weights.contract),
        None if weights.signing is None else SigningJudge(weights.signing),
    )


def as_candidates(
    answers: Mapping[str, npt.NDArray[np.float32]],
    place: Placement,
    contract: RuntimeContract,
    looks: SecondLooks | None = None,
    *,
    words: Words | None = None,
    tokens: Tokens | None = None,
) -> PageCandidates:
    """Answers of the Q queries of one page as candidates in points.

    Scores are those of `look`, or of the appraiser where there is one and the tokens that the network read
    are given; times the page evidence where the contract asks for it, for which an appraised place has one
    voice. The judge then decides about places where the words of the page ask for a signature. Queries below
    the decoder's floor are left out.
    """
    looks = looks or SecondLooks()
    seen = look(answers, place)
    kind, score = seen.probability.argmax(axis=1).astype(np.int64), seen.score
    voices, appraised = score, None
    if looks.appraiser is not None and tokens is not None:
        appraised = looks.appraiser.appraise(seen, opinions_in(tokens, place.page), words, place.page)
        score, voices = appraised.score, appraised.score[appraised.speakers]
    score = score * page_evidence(voices, contract)
    if looks.judge is not None and words is not None:
        kind, score = looks.judge.settle(
            seen, words, place.page, kind, score, appraised=appraised is not None
        )
    origins = contract.origins
    keep = np.flatnonzero(score >= FLOOR)
    return PageCandidates(
        box=seen.box[keep],
        kind=kind[keep],
        score=score[keep],
        origin=tuple(origins[row] for row in keep),
        quality=seen.quality[keep],
        link=seen.link[keep],
    )


def page_evidence(score: Floats, contract: RuntimeContract) -> float:
    """The factor that the best scores of a page put on all of them: their mean to the contract's power.

    Scores that there are not count as nothing.
    """
    best = np.sort(score)[::-1][: contract.evidence_scores]
    return float((best.sum() / contract.evidence_scores) ** contract.page_evidence)
