# SPDX-License-Identifier: Apache-2.0
"""How much a micro score would vary with other documents: percentile bootstrap clustered by PDF.

Pages of one document resemble each other, so documents are drawn, not pages. Each resample draws as many
documents as there are, with replacement, adds up their counts, and computes the micro ratios; the interval is
the 2.5th to 97.5th percentile. The paper's setting is 10,000 resamples with seed 12345.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Floats

RESAMPLES = 10_000
SEED = 12345
_CHUNK_DRAWS = 2_000_000
"""Documents drawn at a time, which bounds memory to some tens of megabytes."""


@dataclass(frozen=True)
class Interval:
    """A 95 % percentile interval; none when no resample defines the ratio."""

    low: float
    high: float
    undefined_resamples: int = 0


def cluster_bootstrap(
    counts: npt.NDArray[np.int64], *, resamples: int = RESAMPLES, seed: int = SEED
) -> dict[str, Interval | None]:
    """Intervals of micro precision, recall and F1.

    Args:
        counts: ``(documents, 3)`` matched, predicted, targets of each document.
        resamples: How many.
        seed: Of the generator, so that a report can be made again.
    """
    if not len(counts):
        return dict.fromkeys(("precision", "recall", "f1"))
    sums = resampled_sums(counts, resamples, seed).astype(np.float64)
    matched, predicted, targets = sums.T
    return {
        "precision": _interval(matched, predicted),
        "recall": _interval(matched, targets),
        "f1": _interval(2 * matched, predicted + targets),
    }


def paired_bootstrap(
    before: npt.NDArray[np.int64],
    after: npt.NDArray[np.int64],
    *,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval | None:
    """Interval of micro-F1 after less micro-F1 before, both on the same documents in every resample.

    Args:
        before: ``(documents, 3)`` matched, predicted, targets of each document.
        after: ``(documents, 3)`` of the same documents in the same order.
        resamples: How many.
        seed: Of the generator.
    """
    if not len(before):
        return None
    sums = resampled_sums(np.hstack([before, after]), resamples, seed)
    matched, found = 2.0 * sums[:, [0, 3]], (sums[:, [1, 4]] + sums[:, [2, 5]]).astype(np.float64)
    defined = (found > 0).all(axis=1)
    if not defined.any():
        return None
    f1 = matched[defined] / found[defined]
    low, high = np.percentile(f1[:, 1] - f1[:, 0], [2.5, 97.5])
    return Interval(float(low), float(high), int((~defined).sum()))


def resampled_sums(counts: npt.NDArray[np.int64], resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """Total counts of each resample, ``(documents, columns)`` to ``(resamples, columns)``."""
    generator = np.random.default_rng(seed)
    documents = len(counts)
    rows = max(1, _CHUNK_DRAWS // documents)
    chunks: list[npt.NDArray[np.int64]] = []
    for start in range(0, resamples, rows):
        drawn = generator.integers(documents, size=(min(rows, resamples - start), documents))
        chunks.append(np.stack([column[drawn].sum(axis=1) for column in counts.T], axis=1))
    return np.concatenate(chunks)


def _interval(numerator: Floats, denominator: Floats) -> Interval | None:
    defined = denominator > 0
    if not defined.any():
        return None
    low, high = np.percentile(numerator[defined] / denominator[defined], [2.5, 97.5])
    return Interval(float(low), float(high), int((~defined).sum()))
