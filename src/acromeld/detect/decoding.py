# SPDX-License-Identifier: Apache-2.0
"""From candidates to fields: the paper's containment-aware representative selection.

This is the only decoder. Runtime, calibration and training evaluation all call `decode`, so that a number
measured in the workshop is a number the user gets.

1. Candidates with a score below the raw floor of 0.01 are discarded.
2. A remaining candidate is eligible if its score reaches the threshold of its predicted class.
3. Eligible candidates are visited in stable descending score; one that no earlier representative suppresses
   (see `acromeld.detect.suppression`) becomes a representative.
4. A page keeps at most ``cap`` representatives.

What happened to every candidate is kept, because "why is this field missing?" is the first question asked.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Protocol

import numpy as np

from acromeld.detect.suppression import relate
from acromeld.fields import KINDS, Field, OperatingPoint, PageFields, PageRef

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.candidates import PageCandidates
    from acromeld.geometry import Floats

    Indices = npt.NDArray[np.intp]

FLOOR = 0.01
CAP = 896
NOBODY = -1


class Fate(IntEnum):
    """What became of a candidate."""

    KEPT = 0
    BELOW_FLOOR = 1
    BELOW_THRESHOLD = 2
    SUPPRESSED_NMS = 3
    SUPPRESSED_LINK = 4
    OVER_CAP = 5


@dataclass(frozen=True)
class Decoded:
    """Outcome of one page.

    Attributes:
        kept: Indices of the representatives in descending score.
        fate: ``(n,)`` of `Fate`, one per candidate.
        suppressed_by: ``(n,)`` index of the representative that suppressed it, `NOBODY` for the rest. A pair
            that meets both rules counts as NMS, the rule that needs no learned evidence.
    """

    kept: Indices
    fate: npt.NDArray[np.int8]
    suppressed_by: Indices


class PagePlace(Protocol):
    """What must be known of a page to put fields on it; `Page` and `PageRef` both do."""

    @property
    def index(self) -> int:
        """0-based."""

    @property
    def width(self) -> float:
        """Displayed points."""

    @property
    def height(self) -> float:
        """Displayed points."""


def raw_point(point: OperatingPoint) -> OperatingPoint:
    """The same suppression with class thresholds at the floor: every representative, for evaluation."""
    return point.model_copy(update={"text": FLOOR, "choice": FLOOR, "signature": FLOOR})


def stable_order(score: Floats) -> Indices:
    """Indices in descending score; equal scores keep the detector's order."""
    return np.argsort(-score, kind="stable")


def decode(candidates: PageCandidates, point: OperatingPoint, *, cap: int = CAP) -> Decoded:
    """Choose the representatives of a page at an operating point."""
    fate = _eligibility(candidates, point)
    suppressed_by = np.full(len(candidates), NOBODY, dtype=np.intp)
    order = stable_order(candidates.score)
    order = order[fate[order] == Fate.KEPT]
    link = None if candidates.link is None else candidates.link[order]
    relations = relate(candidates.box[order], link)
    overlapping, linked = relations.iou >= point.nms, relations.link >= point.link

    kept: list[int] = []
    waiting = np.ones(len(order), dtype=np.bool_)
    for rank, candidate in enumerate(order):
        if not waiting[rank]:
            continue
        if len(kept) == cap:
            fate[order[waiting]] = Fate.OVER_CAP
            break
        kept.append(int(candidate))
        waiting[rank] = False
        victims = np.flatnonzero(waiting & (overlapping[rank] | linked[rank]))
        waiting[victims] = False
        suppressed_by[order[victims]] = candidate
        fate[order[victims]] = np.where(overlapping[rank, victims], Fate.SUPPRESSED_NMS, Fate.SUPPRESSED_LINK)
    return Decoded(np.array(kept, dtype=np.intp), fate, suppressed_by)


def _eligibility(candidates: PageCandidates, point: OperatingPoint) -> npt.NDArray[np.int8]:
    """Fates that need no neighbours; eligible candidates are `Fate.KEPT` until suppressed.

    A score that is not a number counts as below the floor: nothing downstream could rank it.
    """
    fate = np.full(len(candidates), Fate.KEPT, dtype=np.int8)
    thresholds = np.array(point.thresholds())[candidates.kind]
    fate[candidates.score < thresholds] = Fate.BELOW_THRESHOLD
    fate[~(candidates.score >= FLOOR)] = Fate.BELOW_FLOOR
    return fate


def to_page_fields(
    page: PagePlace, candidates: PageCandidates, decoded: Decoded, notes: tuple[str, ...] = ()
) -> PageFields:
    """The representatives of a page as fields, best first.

    Coordinates are rounded to 1/100 point. A box without area after that cannot be a field; such boxes are
    left out and counted in a note.
    """
    box = np.round(candidates.box[decoded.kept], 2)
    solid = (box[:, 2] > box[:, 0]) & (box[:, 3] > box[:, 1])
    if not solid.all():
        notes = (*notes, f"detected boxes without area, left out: {int((~solid).sum())}")
    chosen = decoded.kept[solid]
    scores = _rounded_down(candidates.score)
    fields = tuple(
        _field(candidates, int(source), corners, float(scores[source]), f"p{page.index + 1}-{number}")
        for number, (source, corners) in enumerate(zip(chosen, box[solid].tolist(), strict=True), 1)
    )
    place = PageRef.of(page.index, page.width, page.height)
    return PageFields(page=place, fields=fields, notes=notes)


def _field(candidates: PageCandidates, source: int, corners: list[float], score: float, name: str) -> Field:
    quality = None if candidates.quality is None else round(float(candidates.quality[source]), 4)
    return Field(
        kind=KINDS[candidates.kind[source]],
        box=(corners[0], corners[1], corners[2], corners[3]),
        score=score,
        id=name,
        quality=quality,
        origin=candidates.origin[source],
    )


def _rounded_down(score: Floats) -> Floats:
    """Scores to six digits, never upwards: a candidate just below a threshold must stay below it in JSON."""
    nearest = np.round(score, 6)
    return np.maximum(np.where(nearest > score, np.round(nearest - 1e-6, 6), nearest), 0.0)
