# SPDX-License-Identifier: Apache-2.0
"""The decision about places to sign: the network says whether there is a field, the second look which kind.

All candidates of a place that is likely enough become signatures, all of one that is not become text, also
where the network took it for a signature: most lines to sign are. They are scored as fields to write in of
either kind, so nothing is brought in that the network has not seen, and the decoder takes the best box as
ever. Where nothing asks for a signature, the network has the last word.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.seen import CHOICE, SIGNATURE, TEXT
from acromeld.detect.acromeld.signing.places import places_to_sign, same_place
from acromeld.errors import IntegrityError
from acromeld.trees import Trees, sigmoid

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.seen import Seen
    from acromeld.detect.acromeld.signing.places import Places
    from acromeld.detect.acromeld.signing.weights import SigningWeights
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words


class SigningJudge:
    """The second look with its weights."""

    def __init__(self, weights: SigningWeights) -> None:
        self._weights = weights
        self._trees = Trees(weights.trees)

    def settle(
        self,
        seen: Seen,
        words: Words,
        size: tuple[float, float],
        kind: npt.NDArray[np.int64],
        score: Floats,
        *,
        appraised: bool = False,
    ) -> tuple[npt.NDArray[np.int64], Floats]:
        """Kinds and scores ``(Q,)`` of a page's queries after the second look; the page has this size.

        A place scores as a field of either kind; where it was appraised, it does so already.
        """
        places = places_to_sign(seen, words, size)
        if places is None:
            return kind, score
        kind, score = kind.copy(), score.copy()
        written = kind[places.rows] != CHOICE
        rows = places.rows[written]
        likely = place_probability(seen.box[rows], self.probability(places)[written])
        said = seen.probability[rows]
        if not appraised:
            score[rows] *= np.sqrt((said[:, TEXT] + said[:, SIGNATURE]) / said.max(axis=1))
        kind[rows] = np.where(likely >= self._weights.enough, SIGNATURE, TEXT)
        return kind, score

    def probability(self, places: Places) -> Floats:
        """How likely each of n places is a signature field, ``(n,)``."""
        return sigmoid(self._trees(measurements(places, self._weights))[:, 0])


def place_probability(box: Boxes, probability: Floats) -> Floats:
    """Of n candidates, the probability of the likeliest one that speaks of the same place, ``(n,)``."""
    if not len(box):
        return probability
    likeliest: Floats = np.where(same_place(box), probability[None], 0.0).max(axis=1)
    return likeliest


def measurements(places: Places, weights: SigningWeights) -> npt.NDArray[np.float32]:
    """The columns of the trees, ``(n, f)``: what was measured, then what the words say."""
    heard, here = weights.heard, np.ones(len(places.rows))
    columns = places.columns | {
        "page says": here * heard.page.of_page(places.page),
        "margin says": here * heard.margin.of_page(places.margin),
        "caption says": heard.caption.of_captions(places.captions),
    }
    if tuple(columns) != weights.columns:
        raise IntegrityError("The second look at signatures was trained on other columns than are measured.")
    return np.column_stack(list(columns.values())).astype(np.float32)
