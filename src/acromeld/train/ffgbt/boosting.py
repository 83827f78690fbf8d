# SPDX-License-Identifier: Apache-2.0
"""The boosted trees: a first look, a second look that knows the first, and a quality estimate.

How many rounds each takes is found on held-out provenance groups. For the second look the first-look
probabilities of the training pages must not be flattered by having been trained on them, so they come from
models of other folds. Four of five examples are background, most of it obvious: the first look sees a third
of it, the later ones all that the first found hard and a quarter of the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np

from acromeld.detect.ffgbt.context import context
from acromeld.detect.ffgbt.features import matrix
from acromeld.trees import softmax

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Floats
    from acromeld.train.ffgbt.examples import Examples

CLASSES = 4

CLASSIFY: dict[str, Any] = {
    "objective": "multiclass",
    "num_class": CLASSES,
    "learning_rate": 0.12,
    "num_leaves": 63,
    "min_data_in_leaf": 60,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.6,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "verbosity": -1,
    "seed": 3407,
    "deterministic": True,
    "force_row_wise": True,
}
FIRST_LOOK: dict[str, Any] = CLASSIFY | {"learning_rate": 0.25, "num_leaves": 31}
QUALITY: dict[str, Any] = CLASSIFY | {"objective": "cross_entropy", "num_class": 1, "num_leaves": 31}

SIGNATURE_WEIGHT = 5.0
"""Signature examples are one in five hundred, and most signature lines are text fields or none at all."""


def fit(
    parameters: dict[str, Any],
    features: npt.NDArray[np.float32],
    target: npt.NDArray[Any],
    weight: Floats,
    held_out: npt.NDArray[np.bool_] | None,
    *,
    rounds: int,
    threads: int,
) -> lightgbm.Booster:
    """Train on all rows; or on those not held out, until the held-out loss has not fallen for 25 rounds.

    Rows of weight 0 are left out.
    """
    parameters = parameters | {"num_threads": threads}

    def data(rows: npt.NDArray[np.bool_], like: lightgbm.Dataset | None = None) -> lightgbm.Dataset:
        return lightgbm.Dataset(features[rows], target[rows], weight=weight[rows], reference=like)

    if held_out is None:
        return lightgbm.train(parameters, data(weight > 0), rounds)
    train = data(~held_out & (weight > 0))
    watch = data(held_out & (weight > 0), train)
    stop = lightgbm.early_stopping(25, verbose=False)
    return lightgbm.train(parameters, train, rounds, valid_sets=[watch], callbacks=[stop])


def weights_of(label: npt.NDArray[np.int8], thinned: npt.NDArray[np.bool_], keep: int) -> Floats:
    """Weight of each example ``(n,)``.

    Of the ``thinned`` rows, which must be background, every ``keep``-th is kept and counts for all of them.
    """
    weight = np.where(label == CLASSES - 1, SIGNATURE_WEIGHT, 1.0)
    rows = np.flatnonzero(thinned)
    weight[rows] = 0.0
    weight[rows[::keep]] = float(keep)
    return weight


def probabilities(model: lightgbm.Booster, features: npt.NDArray[np.float32]) -> Floats:
    """Class probabilities ``(n, 4)``."""
    return softmax(np.asarray(model.predict(features, raw_score=True)))


def with_context(examples: Examples, probability: Floats) -> npt.NDArray[np.float32]:
    """Features and context columns ``(n, more)``; context is taken page by page."""
    edges = np.flatnonzero(np.diff(examples.page, prepend=-1))
    ends = np.append(edges[1:], len(examples))
    blocks = [
        matrix(
            context(
                examples.box[a:b].astype(np.float64),
                examples.features[a:b, 0].astype(np.int8),
                probability[a:b],
            )
        )
        for a, b in zip(edges, ends, strict=True)
    ]
    return np.hstack([examples.features, np.concatenate(blocks)])
