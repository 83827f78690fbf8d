# SPDX-License-Identifier: Apache-2.0
"""Scores of every intervention, gathered page by page.

Candidates are decoded as they come. What stays of a page are its counts and, for average precision, at most
300 representatives without their link vectors, so that thousands of pages under ten interventions fit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import raw_point
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page, summary
from acromeld.evaluate.average_precision import coco_ap
from acromeld.evaluate.bootstrap import RESAMPLES, Interval, paired_bootstrap
from acromeld.evaluate.interventions.catalogue import BASELINE
from acromeld.evaluate.pages import PredictedPage
from acromeld.evaluate.report_data import document_counts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from acromeld.evaluate.adapters import PageOutcome
    from acromeld.evaluate.interventions.catalogue import Intervention
    from acromeld.evaluate.pages import PageKey, TargetPage
    from acromeld.fields import OperatingPoint


@dataclass(frozen=True)
class Difference:
    """What an intervention changed, and the paired 95 % interval; none where it is not defined."""

    value: float | None
    interval: Interval | None = None


@dataclass(frozen=True)
class Cost:
    """One row of the table.

    Attributes:
        intervention: Which.
        native: Micro and per-class counts and ratios (`acromeld.evaluate.adapters.summary`).
        strict: The same under the strict adapter.
        coco: Average precision (`acromeld.evaluate.average_precision.coco_ap`).
        native_difference: Native micro-F1 less that of the baseline.
        strict_difference: Strict micro-F1 less that of the baseline.
        map_difference: COCO mAP less that of the baseline; it has no interval.
    """

    intervention: Intervention
    native: dict[str, Any]
    strict: dict[str, Any]
    coco: dict[str, Any]
    native_difference: Difference
    strict_difference: Difference
    map_difference: Difference


@dataclass(frozen=True)
class _Row:
    """What is kept of the pages under one intervention."""

    native: dict[PageKey, PageOutcome] = field(default_factory=dict)
    strict: dict[PageKey, PageOutcome] = field(default_factory=dict)
    ranked: dict[PageKey, PredictedPage] = field(default_factory=dict)


@dataclass(frozen=True)
class _Scores:
    """A finished row; counts are ``(documents, 3)``."""

    native: dict[str, Any]
    strict: dict[str, Any]
    coco: dict[str, Any]
    native_counts: npt.NDArray[np.int64]
    strict_counts: npt.NDArray[np.int64]


class Tally:
    """Adds up pages under each intervention; every page of the targets must be added once."""

    def __init__(
        self,
        interventions: Sequence[Intervention],
        targets: Mapping[PageKey, TargetPage],
        point: OperatingPoint,
    ) -> None:
        self._targets = targets
        self._points = {each: each.point(point) for each in interventions}
        self._rows = {each: _Row() for each in interventions}

    def add(self, page: PredictedPage, found: Mapping[str, PageCandidates]) -> None:
        """One page with the candidates of each intervention by name; a page without any has none."""
        for each, row in self._rows.items():
            candidates = found.get(each.name, PageCandidates.empty())
            predicted = _with_candidates(page, candidates, decoded=False)
            (comparison,) = compare({page.key: predicted}, {page.key: self._targets[page.key]})
            point = self._points[each]
            row.native[page.key] = score_page(comparison, NATIVE, point)
            row.strict[page.key] = score_page(comparison, STRICT, point)
            row.ranked[page.key] = _representatives(predicted, point)

    def costs(self, resamples: int = RESAMPLES) -> list[Cost]:
        """Every row, the baseline first."""
        scores = {each: self._scores(row, self._points[each]) for each, row in self._rows.items()}
        return [_cost(each, scores[each], scores[BASELINE], resamples) for each in scores]

    def _scores(self, row: _Row, point: OperatingPoint) -> _Scores:
        pages = compare(row.ranked, self._targets)
        native = [row.native[key] for key in self._targets]
        strict = [row.strict[key] for key in self._targets]
        return _Scores(
            summary(native),
            summary(strict),
            coco_ap(pages, point),
            document_counts(pages, native),
            document_counts(pages, strict),
        )


def _with_candidates(page: PredictedPage, candidates: PageCandidates, *, decoded: bool) -> PredictedPage:
    return PredictedPage(
        page.document, page.index, page.width, page.height, candidates, decoded=decoded, cap=page.cap
    )


def _representatives(page: PredictedPage, point: OperatingPoint) -> PredictedPage:
    """The page as average precision sees it: representatives above the floor, within the cap."""
    kept = page.select(raw_point(point))[: STRICT.cap]
    found = page.candidates
    origin = tuple(found.origin[row] for row in kept)
    slim = PageCandidates(found.box[kept], found.kind[kept], found.score[kept], origin)
    return _with_candidates(page, slim, decoded=True)


def _cost(intervention: Intervention, scores: _Scores, baseline: _Scores, resamples: int) -> Cost:
    return Cost(
        intervention,
        scores.native,
        scores.strict,
        scores.coco,
        _f1_difference(
            scores.native, baseline.native, scores.native_counts, baseline.native_counts, resamples
        ),
        _f1_difference(
            scores.strict, baseline.strict, scores.strict_counts, baseline.strict_counts, resamples
        ),
        Difference(_less(scores.coco["map"], baseline.coco["map"])),
    )


def _f1_difference(
    scores: dict[str, Any],
    baseline: dict[str, Any],
    counts: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    resamples: int,
) -> Difference:
    value = _less(scores["micro"]["f1"], baseline["micro"]["f1"])
    if value is None or not resamples:
        return Difference(value)
    return Difference(value, paired_bootstrap(before, counts, resamples=resamples))


def _less(value: float | None, before: float | None) -> float | None:
    return None if value is None or before is None else value - before
