# SPDX-License-Identifier: Apache-2.0
"""Greedy one-to-one matching within a page and class, shared by every adapter.

Only a few of the predictions of a page touch a target at all, so the overlaps are kept as a list of pairs.
Every criterion in use (overlap >= 0.3, IoU >= 0.5 and above) implies overlap >= 0.3, so one list serves all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from acromeld.geometry import iou, overlap

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.candidates import PageCandidates
    from acromeld.evaluate.pages import TargetPage
    from acromeld.geometry import Floats

    Indices = npt.NDArray[np.intp]

Measure = Literal["overlap", "iou"]
LEAST_OVERLAP = 0.3
UNMATCHED = -1


@dataclass(frozen=True)
class Pairs:
    """Predictions and targets of one page that share class and place.

    Attributes:
        prediction: ``(p,)`` index of the prediction.
        target: ``(p,)`` index of the target.
        overlap: ``(p,)`` the paper's containment-aware overlap, at least 0.3.
        iou: ``(p,)``.
    """

    prediction: Indices
    target: Indices
    overlap: Floats
    iou: Floats


def page_pairs(candidates: PageCandidates, targets: TargetPage) -> Pairs:
    """All class-consistent pairs of a page with overlap >= 0.3."""
    contained = overlap(candidates.box, targets.box)
    near = (contained >= LEAST_OVERLAP) & (candidates.kind[:, None] == targets.kind[None, :])
    prediction, target = np.nonzero(near)
    shared = iou(candidates.box, targets.box)[prediction, target]
    return Pairs(prediction, target, contained[prediction, target], shared)


def greedy_match(
    pairs: Pairs,
    order: Indices,
    measure: Measure,
    threshold: float,
    *,
    last_of_ties: bool = False,
) -> Indices:
    """Target of each prediction in ``order``, `UNMATCHED` for false positives; shape ``(len(order),)``.

    Predictions take turns in the given order; each takes the free target of its class with the highest
    measure, if that reaches the threshold. Among equal measures the first target wins, or the last where COCO
    must be reproduced.
    """
    if not len(order) or not len(pairs.prediction):
        return np.full(len(order), UNMATCHED, dtype=np.intp)
    turn = np.full(max(int(pairs.prediction.max()), int(order.max())) + 1, -1, dtype=np.intp)
    turn[order] = np.arange(len(order))
    value = pairs.overlap if measure == "overlap" else pairs.iou
    eligible = np.flatnonzero((value >= threshold) & (turn[pairs.prediction] >= 0))
    target = pairs.target[eligible]
    whose = turn[pairs.prediction[eligible]]
    visit = np.lexsort((-target if last_of_ties else target, -value[eligible], whose))
    return _take_turns(whose[visit].tolist(), target[visit].tolist(), len(order))


def _take_turns(whose: list[int], target: list[int], count: int) -> Indices:
    """Walk the pairs, sorted by turn and then preference; plain lists are faster than arrays here."""
    match = [UNMATCHED] * count
    taken: set[int] = set()
    for turn, wanted in zip(whose, target, strict=True):
        if match[turn] == UNMATCHED and wanted not in taken:
            match[turn] = wanted
            taken.add(wanted)
    return np.array(match, dtype=np.intp)
