# SPDX-License-Identifier: Apache-2.0
"""The trees of the group finder, fitted on what authors meant and not on what they left undone.

Many authors leave "yes" and "no" loose. A first model learns from forms whose authors group at all, each page
judged by a model of other folds; links that it finds likely although the author did not make them are left
out as undecided, from these forms and from those without any group. The second model learns from the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np

from acromeld.form.describe.group_links import describe_links
from acromeld.train.ffgbt.collect import FOLDS
from acromeld.train.groups.examples import grouping_forms

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.geometry import Floats
    from acromeld.train.groups.examples import GroupPage

    Table = npt.NDArray[np.float32]

PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 12,
    "min_data_in_leaf": 30,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "seed": 1,
    "deterministic": True,
    "force_row_wise": True,
    "verbose": -1,
}
FIRST_ROUNDS, ROUNDS = 160, 220
UNDECIDED = 0.5
"""Score of the first model above which a link that the author did not make teaches nothing."""


def fit(pages: Sequence[GroupPage], tables: Sequence[Table], threads: int) -> tuple[lightgbm.Booster, int]:
    """The second model, and how many links were left out as undecided."""
    grouping = grouping_forms(pages)
    X = np.vstack([describe_links(page.choices, page.links, tables[page.form.fold]) for page in pages])
    y = np.concatenate([page.label for page in pages])
    fold = np.concatenate([np.full(len(page.links), page.form.fold) for page in pages])
    weight = _weights([page.form.group for page in pages], [len(page.links) for page in pages])
    taught = np.concatenate([np.full(len(page.links), page.form.sha256 in grouping) for page in pages])
    likely = np.zeros(len(y))
    for number in range(FOLDS):
        rest = taught & (fold != number)
        model = _boost(X[rest], y[rest], weight[rest], FIRST_ROUNDS, threads)
        likely[fold == number] = np.asarray(model.predict(X[fold == number]))
    keep = y | (likely < UNDECIDED)
    return _boost(X[keep], y[keep], weight[keep], ROUNDS, threads), int((~keep).sum())


def _boost(
    X: npt.NDArray[np.float32], y: npt.NDArray[np.bool_], weight: Floats, rounds: int, threads: int
) -> lightgbm.Booster:
    data = lightgbm.Dataset(X, y.astype(np.int8), weight=weight)
    return lightgbm.train({**PARAMETERS, "num_threads": threads}, data, rounds)


def _weights(groups: list[str], lengths: list[int]) -> Floats:
    """One weight per link: a provenance group counts by the square root of its links."""
    total: dict[str, int] = {}
    for group, length in zip(groups, lengths, strict=True):
        total[group] = total.get(group, 0) + length
    weight = np.repeat([1 / np.sqrt(total[group]) for group in groups], lengths)
    return np.asarray(weight / weight.mean())
