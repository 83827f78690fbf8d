# SPDX-License-Identifier: Apache-2.0
"""The second look at every place: trees' probability that there is a field takes the network's place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.appraisal.columns import measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.contract import SOURCES
from acromeld.detect.decoding import NOBODY
from acromeld.errors import IntegrityError
from acromeld.trees import Trees, sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.appraisal.columns import Measured
    from acromeld.detect.acromeld.appraisal.weights import AppraisalWeights
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.detect.acromeld.opinions import Opinions
    from acromeld.detect.acromeld.seen import Seen
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Words


@dataclass(frozen=True)
class Appraised:
    """What a page's Q queries are worth.

    Attributes:
        score: ``(Q,)``.
        speakers: ``(r,)`` the queries that speak for a place, one each.
    """

    score: Floats
    speakers: npt.NDArray[np.intp]


class Appraiser:
    """The trees with their weights, for the queries of one contract."""

    def __init__(self, weights: AppraisalWeights, contract: RuntimeContract) -> None:
        self._weights = weights
        self._trees = Trees(weights.trees)
        self._source = sources(contract)

    def appraise(
        self, seen: Seen, opinions: Opinions, words: Words | None, size: tuple[float, float]
    ) -> Appraised:
        """New scores of a page's queries, the page having this size.

        Equation (score) with the trees' probability of the speaker for the network's:
        ``sqrt(P * q)``. The queries it speaks for rise and fall with it, so that it stays the best of them.
        """
        spoken = speakers(seen)
        if not len(spoken.rows):
            return Appraised(seen.score, spoken.rows)
        measured = measure(seen, spoken, self._source, opinions, words, size)
        network = seen.probability[spoken.rows].max(axis=1)
        factor = np.sqrt(self.probability(measured) / network)
        score = np.where(spoken.of == NOBODY, seen.score, seen.score * factor[spoken.of])
        return Appraised(score, spoken.rows)

    def probability(self, measured: Measured) -> Floats:
        """How likely each of r places holds a field of the author, ``(r,)``."""
        said = {"caption says": self._weights.caption.of_captions(measured.captions)}
        columns = measured.columns | said
        if tuple(columns) != self._weights.columns:
            raise IntegrityError("The appraisal was trained on other columns than are measured.")
        features = np.column_stack(list(columns.values())).astype(np.float32)
        return sigmoid(self._trees(features)[:, 0])


def sources(contract: RuntimeContract) -> npt.NDArray[np.int64]:
    """Which of `SOURCES` each query is from, ``(Q,)``."""
    return np.array([SOURCES.index(origin) for origin in contract.origins], dtype=np.int64)
