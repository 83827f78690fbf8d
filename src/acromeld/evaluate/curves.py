# SPDX-License-Identifier: Apache-2.0
"""Data behind two figures: precision against recall, and how far a confidence can be believed.

Both use the native criterion on every representative above the floor, all pages together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.decoding import raw_point
from acromeld.evaluate.adapters import NATIVE, score_page
from acromeld.evaluate.counts import Counts, ratio
from acromeld.fields import KINDS, OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.evaluate.adapters import Comparison
    from acromeld.geometry import Floats

THRESHOLDS = np.arange(1, 100) / 100


@dataclass(frozen=True)
class Ranking:
    """Predictions of all pages: score, class, and whether each is a true positive; targets per class."""

    score: Floats
    kind: npt.NDArray[np.int64]
    hit: npt.NDArray[np.bool_]
    targets: npt.NDArray[np.int64]


def native_ranking(pages: Sequence[Comparison], point: OperatingPoint | None = None) -> Ranking:
    """Score every representative once; class thresholds are not applied."""
    point = raw_point(point or OperatingPoint())
    scores, kinds, hits = [np.zeros(0)], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.bool_)]
    targets = np.zeros(len(KINDS), dtype=np.int64)
    for page in pages:
        outcome = score_page(page, NATIVE, point)
        scores.append(page.predicted.candidates.score[outcome.chosen])
        kinds.append(page.predicted.candidates.kind[outcome.chosen])
        hits.append(outcome.hit)
        targets += outcome.table[:, 2]
    return Ranking(np.concatenate(scores), np.concatenate(kinds), np.concatenate(hits), targets)


def precision_recall(ranking: Ranking) -> dict[str, list[dict[str, float | int | None]]]:
    """For each class, counts and ratios at thresholds 0.01 to 0.99.

    Greedy matching has the prefix property (`threshold_events`), so one matching serves all thresholds.
    """
    curves: dict[str, list[dict[str, float | int | None]]] = {}
    for index, kind in enumerate(KINDS):
        own = ranking.kind == index
        order = np.argsort(ranking.score[own], kind="stable")
        score, hit = ranking.score[own][order], ranking.hit[own][order]
        above = len(score) - np.searchsorted(score, THRESHOLDS, side="left")
        found = np.append(np.cumsum(hit[::-1])[::-1], 0)[len(score) - above]
        curves[kind.value] = [
            {
                "threshold": float(threshold),
                **Counts(int(matched), int(predicted), int(ranking.targets[index])).as_dict(),
            }
            for threshold, matched, predicted in zip(THRESHOLDS, found, above, strict=True)
        ]
    return curves


def reliability(ranking: Ranking, bins: int = 10) -> list[dict[str, float | int | None]]:
    """Mean score and share of true positives in equal score bins; an honest score has them equal."""
    which = np.minimum((ranking.score * bins).astype(np.int64), bins - 1)
    count = np.bincount(which, minlength=bins)
    total = np.bincount(which, weights=ranking.score, minlength=bins)
    right = np.bincount(which, weights=ranking.hit, minlength=bins)
    return [
        {
            "low": index / bins,
            "high": (index + 1) / bins,
            "predictions": int(count[index]),
            "mean_score": ratio(float(total[index]), int(count[index])),
            "precision": ratio(float(right[index]), int(count[index])),
        }
        for index in range(bins)
    ]
