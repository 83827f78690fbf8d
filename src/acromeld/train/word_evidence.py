# SPDX-License-Identifier: Apache-2.0
"""Learning what words say: hashed words as sparse rows, weighed by logistic regression.

Rows are scaled as `Evidence` adds them up at use, so that learning and use see the same sums. What is handed
on to trees must not be flattered by having been learned from the same page, so `across_folds` gives every row
the log-odds learned from the other folds.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

from acromeld.detect.acromeld.hashed_words import BUCKETS, Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from acromeld.detect.acromeld.hashed_words import Captions
    from acromeld.geometry import Floats

    Flags = npt.NDArray[np.bool_]

FOLDS = 5
_ROUNDS = 200


def fold_of(group: str, purpose: str) -> int:
    """Folds are made of whole provenance groups."""
    return int(hashlib.sha256(f"{purpose} {group}".encode()).hexdigest(), 16) % FOLDS


def page_rows(buckets: Sequence[npt.NDArray[np.intp]]) -> csr_matrix:
    """A row a page, as `Evidence.of_page` adds it up; ``(pages, BUCKETS)``."""
    value = [np.full(len(row), 1 / np.sqrt(max(len(row), 1))) for row in buckets]
    start = np.cumsum([0, *map(len, buckets)])
    return csr_matrix((np.concatenate(value), np.concatenate(buckets), start), (len(buckets), BUCKETS))


def caption_rows(captions: Captions) -> csr_matrix:
    """A row a place of a page, as `Evidence.of_captions` adds it up; ``(places, BUCKETS)``."""
    rows, columns = [np.zeros(0, dtype=np.intp)], [np.zeros(0, dtype=np.intp)]
    for standing, buckets in captions.parts:
        place, word = np.nonzero(standing)
        rows.append(place)
        columns.append(buckets[word])
    place = np.concatenate(rows)
    value = 1 / np.sqrt(np.maximum(captions.count, 1))
    return csr_matrix((value[place], (place, np.concatenate(columns))), (len(captions.count), BUCKETS))


def balanced(label: Flags, freedom: float) -> Floats:
    """Weights ``(n,)`` with which both labels weigh the same; ``freedom`` is that of the mean row."""
    share = np.clip(label.mean(), 1e-6, 1 - 1e-6)
    weight: Floats = np.where(label, 0.5 / share, 0.5 / (1 - share)) * freedom
    return weight


def logistic(rows: csr_matrix, label: Flags, weight: Floats, known: Floats | None = None) -> Evidence:
    """Logistic regression that prefers small weights.

    Args:
        rows: ``(n, BUCKETS)``.
        label: ``(n,)``.
        weight: ``(n,)`` of the rows, against that of keeping word weights small.
        known: ``(n,)`` log-odds that are known without the words, which then learn the rest.
    """
    given = np.zeros(len(label)) if known is None else known

    def loss(theta: Floats) -> tuple[float, Floats]:
        odds = rows @ theta[:-1] + theta[-1] + given
        wrong = weight * (1 / (1 + np.exp(-odds)) - label)
        value = (weight * (np.logaddexp(0, odds) - label * odds)).sum() + 0.5 * theta[:-1] @ theta[:-1]
        return float(value), np.append(rows.T @ wrong + theta[:-1], wrong.sum())

    start = np.zeros(rows.shape[1] + 1)
    theta = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": _ROUNDS}).x
    # Half precision is what the file holds, so it is what everything after sees.
    return Evidence(theta[:-1].astype(np.float16).astype(np.float32), float(theta[-1]))


def across_folds(
    rows: csr_matrix, fold: npt.NDArray[np.int64], fit: Callable[[Flags], Evidence]
) -> tuple[Floats, Evidence]:
    """Log-odds of every row from the other folds, and the evidence of all; ``fit`` learns from some rows."""
    said = np.zeros(rows.shape[0])
    for left_out in range(FOLDS):
        unseen = fold == left_out
        learned = fit(~unseen)
        said[unseen] = rows[unseen] @ learned.weight + learned.bias
    return said, fit(np.ones(len(fold), dtype=np.bool_))
