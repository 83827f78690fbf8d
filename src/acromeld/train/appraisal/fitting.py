# SPDX-License-Identifier: Apache-2.0
"""Fitting the appraisal: what captions say beyond the network's score, then trees that know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from scipy.sparse import vstack

from acromeld.detect.acromeld.appraisal.columns import log_odds
from acromeld.detect.acromeld.appraisal.weights import AppraisalWeights
from acromeld.errors import AcromeldError
from acromeld.train.ffgbt.export import to_onnx
from acromeld.train.word_evidence import FOLDS, across_folds, fold_of, logistic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from acromeld.detect.acromeld.hashed_words import Evidence
    from acromeld.geometry import Floats
    from acromeld.train.appraisal.examples import AppraisedPage

    Flags = npt.NDArray[np.bool_]

TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.04,
    "num_leaves": 31,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "max_bin": 127,
    "verbosity": -1,
    "seed": 3407,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS = 200
FREEDOM = 0.3
"""Weight of a place against that of keeping word weights small."""


@dataclass(frozen=True)
class Fitted:
    """The weights, and mean log-loss of the network's scores and of trees of other folds on all places."""

    weights: AppraisalWeights
    before: float
    after: float


def fit_all(pages: Sequence[AppraisedPage], *, threads: int, log: Callable[[str], None]) -> Fitted:
    """Everything from the pages of a corpus."""
    label = np.concatenate([np.zeros(0, dtype=np.bool_), *(page.label for page in pages)])
    if label.all() or not label.any():
        raise AcromeldError("The training documents have no places to tell apart.")
    log(f"{len(label):,} places on {len(pages):,} pages, {int(label.sum()):,} of them fields")
    fold = np.repeat([fold_of(page.group, "appraisal") for page in pages], [len(p.label) for p in pages])
    measured = np.concatenate([page.columns for page in pages])
    names = pages[0].names
    score = measured[:, names.index("score")].astype(np.float64)
    words = vstack([page.words for page in pages], format="csr")
    known = log_odds(score)

    def said_by(some: Flags) -> Evidence:
        return logistic(words[some], label[some], np.full(some.sum(), FREEDOM), known[some])

    said, caption = across_folds(words, fold, said_by)
    features = np.column_stack([measured, said]).astype(np.float32)
    probability = np.zeros(len(label))
    for left_out in range(FOLDS):
        unseen = fold == left_out
        if unseen.any():
            trees = _trees(features[~unseen], label[~unseen], threads)
            probability[unseen] = np.asarray(trees.predict(features[unseen]))
    before, after = log_loss(score, label), log_loss(probability, label)
    log(f"log-loss of other folds: {after:.4f}, of the network's scores {before:.4f}")
    whole = to_onnx(_trees(features, label, threads), 1)
    return Fitted(AppraisalWeights(caption, whole, (*names, "caption says")), before, after)


def log_loss(probability: Floats, label: Flags) -> float:
    """Mean surprise at the labels."""
    odds = log_odds(probability)
    return float((np.logaddexp(0.0, odds) - label * odds).mean())


def _trees(features: npt.NDArray[np.float32], label: Flags, threads: int) -> lightgbm.Booster:
    data = lightgbm.Dataset(features, label.astype(np.float64))
    return lightgbm.train(TREES | {"num_threads": threads}, data, ROUNDS)
