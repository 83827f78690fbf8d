# SPDX-License-Identifier: Apache-2.0
"""The two operating adapters of the paper (its table "Evaluation adapters").

========  =============  ============  ===============================
adapter   match          per-page cap  what for
========  =============  ============  ===============================
native    ov >= 0.3      896           selection, calibration, gate
strict    IoU >= 0.5     300           localisation
========  =============  ============  ===============================

The cap is stable and class-global: the best predictions of a page stay, whatever their class. Then they are
matched greedily in stable descending score, one-to-one within page and class. Numbers of the two adapters are
not interchangeable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.evaluate.counts import Counts
from acromeld.evaluate.matching import UNMATCHED, Measure, greedy_match, page_pairs
from acromeld.evaluate.pages import PredictedPage
from acromeld.fields import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from acromeld.evaluate.matching import Pairs
    from acromeld.evaluate.pages import PageKey, TargetPage
    from acromeld.fields import OperatingPoint

    Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Adapter:
    """A criterion for "found" and the most predictions a page may have."""

    name: str
    measure: Measure
    threshold: float
    cap: int


NATIVE = Adapter("native", "overlap", 0.3, 896)
STRICT = Adapter("strict", "iou", 0.5, 300)


@dataclass(frozen=True)
class Comparison:
    """One page, both sides, and the pairs between them; computed once, scored at many points."""

    predicted: PredictedPage
    targets: TargetPage
    pairs: Pairs


@dataclass(frozen=True)
class PageOutcome:
    """One page scored by one adapter at one operating point.

    Attributes:
        chosen: Indices of the predictions within the cap, in descending score.
        hit: ``(len(chosen),)`` true for true positives.
        table: ``(3, 3)`` rows are classes, columns matched, predicted, targets.
    """

    chosen: Indices
    hit: npt.NDArray[np.bool_]
    table: npt.NDArray[np.int64]

    def counts(self, kind: int | None = None) -> Counts:
        """Counts of one class, or of all together."""
        row = self.table.sum(axis=0) if kind is None else self.table[kind]
        return Counts(*(int(value) for value in row))


def compare(
    predicted: Mapping[PageKey, PredictedPage], targets: Mapping[PageKey, TargetPage]
) -> list[Comparison]:
    """Both sides page by page, in the order of the targets; a page without a line has no predictions."""
    return [
        Comparison(page, target, page_pairs(page.candidates, target))
        for target in targets.values()
        for page in [predicted.get(target.key) or _silent(target)]
    ]


def _silent(target: TargetPage) -> PredictedPage:
    return PredictedPage(target.document, target.index, target.width, target.height, PageCandidates.empty())


def score_page(page: Comparison, adapter: Adapter, point: OperatingPoint) -> PageOutcome:
    """Filter or decode at the point, cap, match, count."""
    chosen = page.predicted.select(point)[: adapter.cap]
    match = greedy_match(page.pairs, chosen, adapter.measure, adapter.threshold)
    hit = match != UNMATCHED
    kind = page.predicted.candidates.kind[chosen]
    table = np.column_stack(
        [np.bincount(kinds, minlength=len(KINDS)) for kinds in (kind[hit], kind, page.targets.kind)]
    )
    return PageOutcome(chosen, hit, table.astype(np.int64))


def total(outcomes: Iterable[PageOutcome]) -> PageOutcome:
    """The sum of many pages, as one outcome without predictions of its own."""
    zero = np.zeros((len(KINDS), 3), dtype=np.int64)
    table = sum((outcome.table for outcome in outcomes), zero)
    return PageOutcome(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.bool_), table)


def summary(outcomes: Iterable[PageOutcome]) -> dict[str, object]:
    """JSON-ready micro and per-class counts and ratios."""
    all_pages = total(outcomes)
    classes = {kind.value: all_pages.counts(index).as_dict() for index, kind in enumerate(KINDS)}
    return {"micro": all_pages.counts().as_dict(), "classes": classes}
