# SPDX-License-Identifier: Apache-2.0
"""Average precision: COCO's, and the same ranking measure under the native criterion.

COCO AP (Lin et al. 2014) as pycocotools computes it, for one area range and no crowd regions: for each class
and each IoU threshold .50:.05:.95, detections of a page in stable descending score take the free target with
the highest IoU; all pages together are ranked by score (stable); precision is made monotone from the right
and read at 101 recall levels. A class without targets is undefined and left out of means; one with targets
and no detections has AP 0.

The cap is the paper's: the stable class-global Top-300 of a page, taken before classes part. pycocotools'
own ``maxDets=300`` per class then never bites. Overlap AP uses the native criterion and cap (ov >= 0.3, 896).
Both are free of class thresholds: they rank every representative above the raw floor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.decoding import raw_point
from acromeld.evaluate.adapters import NATIVE, STRICT
from acromeld.evaluate.matching import UNMATCHED, greedy_match
from acromeld.fields import KINDS, OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.evaluate.adapters import Comparison
    from acromeld.geometry import Floats

    Flags = npt.NDArray[np.bool_]

IOU_THRESHOLDS = np.linspace(0.5, 0.95, 10)
RECALL_LEVELS = np.linspace(0.0, 1.0, 101)
_BELOW_ONE = 1 - 1e-10
_EPSILON = float(np.spacing(1))


def ranked_precision(score: Floats, hit: Flags, targets: int) -> float | None:
    """101-point interpolated AP of one ranking.

    Args:
        score: ``(n,)`` of all pages, page by page.
        hit: ``(n,)`` true positives.
        targets: How many there were to find; none makes the result undefined.
    """
    if targets == 0:
        return None
    ranked = hit[np.argsort(-score, kind="mergesort")]
    found = np.cumsum(ranked, dtype=np.float64)
    if not len(found):
        return 0.0
    recall = found / targets
    precision = found / (np.arange(1, len(found) + 1) + _EPSILON)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    position = np.searchsorted(recall, RECALL_LEVELS, side="left")
    reached = position < len(envelope)
    return float(np.where(reached, envelope[np.minimum(position, len(envelope) - 1)], 0.0).mean())


def coco_ap(pages: Sequence[Comparison], point: OperatingPoint | None = None) -> dict[str, object]:
    """COCO AP, AP50 and AP75, over classes and per class.

    The point only matters for candidate lines, where it says how to suppress; its thresholds are not used.
    """
    point = raw_point(point or OperatingPoint())
    chosen = [page.predicted.select(point)[: STRICT.cap] for page in pages]
    hits = [
        [
            greedy_match(page.pairs, order, "iou", min(threshold, _BELOW_ONE), last_of_ties=True) != UNMATCHED
            for page, order in zip(pages, chosen, strict=True)
        ]
        for threshold in IOU_THRESHOLDS
    ]
    score, kind = _pooled(pages, chosen)
    table = [_per_class(score, kind, _joined(flags), pages) for flags in hits]
    return _coco_summary(table)


def overlap_ap(pages: Sequence[Comparison], point: OperatingPoint | None = None) -> dict[str, object]:
    """AP under the native criterion (ov >= 0.3, cap 896), over classes and per class."""
    point = raw_point(point or OperatingPoint())
    chosen = [page.predicted.select(point)[: NATIVE.cap] for page in pages]
    hits = [
        greedy_match(page.pairs, order, NATIVE.measure, NATIVE.threshold) != UNMATCHED
        for page, order in zip(pages, chosen, strict=True)
    ]
    score, kind = _pooled(pages, chosen)
    values = _per_class(score, kind, _joined(hits), pages)
    classes = {name.value: value for name, value in zip(KINDS, values, strict=True)}
    return {"ap": mean_defined(values), "classes": classes}


def mean_defined(values: Sequence[float | None]) -> float | None:
    """Mean of what is defined; none when nothing is."""
    defined = [value for value in values if value is not None]
    return float(np.mean(defined)) if defined else None


def _pooled(
    pages: Sequence[Comparison], chosen: Sequence[npt.NDArray[np.intp]]
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Scores and classes of all chosen predictions, page by page."""
    if not pages:
        return np.zeros(0), np.zeros(0, dtype=np.int64)
    found = [page.predicted.candidates for page in pages]
    score = np.concatenate([each.score[order] for each, order in zip(found, chosen, strict=True)])
    kind = np.concatenate([each.kind[order] for each, order in zip(found, chosen, strict=True)])
    return score, kind


def _joined(flags: Sequence[Flags]) -> Flags:
    return np.concatenate(flags) if flags else np.zeros(0, dtype=np.bool_)


def _per_class(
    score: Floats, kind: npt.NDArray[np.int64], hit: Flags, pages: Sequence[Comparison]
) -> list[float | None]:
    targets = sum(
        (np.bincount(page.targets.kind, minlength=len(KINDS)) for page in pages), np.zeros(len(KINDS), int)
    )
    return [
        ranked_precision(score[kind == index], hit[kind == index], int(targets[index]))
        for index in range(len(KINDS))
    ]


def _coco_summary(table: list[list[float | None]]) -> dict[str, object]:
    """Rows are IoU thresholds, columns classes; the mean runs over everything defined, as in COCO."""
    fifty, seventy_five = table[0], table[5]
    classes = {
        kind.value: {
            "ap": mean_defined([row[index] for row in table]),
            "ap50": fifty[index],
            "ap75": seventy_five[index],
        }
        for index, kind in enumerate(KINDS)
    }
    return {
        "map": mean_defined([value for row in table for value in row]),
        "ap50": mean_defined(fifty),
        "ap75": mean_defined(seventy_five),
        "classes": classes,
    }
