# SPDX-License-Identifier: Apache-2.0
"""The three tree ensembles: single texts, pairs of texts, kinds of text.

The pair scorer is trained on scores that the single scorer of other folds gave, so that it learns how far
these can be trusted. Folds are made of whole provenance groups. Big documents have hundreds of fields named
in one style; each document counts with the square root of its number of examples.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np

from acromeld.form.describe.label_features import matrix
from acromeld.form.describe.label_pairs import describe_pairs, make_pairs, pair_texts
from acromeld.form.describe.texts import token_f1, tokens
from acromeld.train.ffgbt.export import to_onnx

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from acromeld.geometry import Floats
    from acromeld.train.labels.examples import PageExamples

    Matrix = npt.NDArray[np.float32]
    Log = Callable[[str], None]

FOLDS = 3
_COMMON: dict[str, Any] = {
    "learning_rate": 0.1,
    "min_data_in_leaf": 80,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "verbosity": -1,
    "seed": 3407,
    "deterministic": True,
    "force_row_wise": True,
}
SINGLE: dict[str, Any] = _COMMON | {"objective": "regression", "num_leaves": 40}
PAIR: dict[str, Any] = _COMMON | {"objective": "regression", "num_leaves": 31}
KIND: dict[str, Any] = _COMMON | {"objective": "multiclass", "num_class": 3, "num_leaves": 15}
ROUNDS = {"single": 220, "pair": 160, "kind": 60}


def fit_all(pages: Sequence[PageExamples], *, threads: int, log: Log) -> dict[str, lightgbm.Booster]:
    """The three models."""
    fold = np.array([fold_of(page.group) for page in pages])
    columns = np.concatenate([page.columns for page in pages])
    target = np.concatenate([page.target for page in pages])
    counts = [len(page.target) for page in pages]
    weight = document_weights(pages, counts)
    row_fold = np.repeat(fold, counts)
    log(f"Single texts: {len(target)} examples of {len(pages)} pages.")
    score = np.zeros(len(target))
    for number in range(FOLDS):
        rows = row_fold != number
        model = _fit(SINGLE, columns[rows], target[rows], weight[rows], ROUNDS["single"] // 2, threads)
        score[~rows] = np.asarray(model.predict(columns[~rows]), dtype=np.float64)
    single = _fit(SINGLE, columns, target, weight, ROUNDS["single"], threads)
    names = pages[0].names
    log(f"Single texts by use: {_by_use(single, names)}")
    del columns
    pair = _fit_pairs(pages, np.split(score, np.cumsum(counts)[:-1]), threads, log)
    kind = _fit(
        KIND,
        np.concatenate([page.kind_columns for page in pages]),
        np.concatenate([page.kind for page in pages]),
        document_weights(pages, [len(page.kind) for page in pages]),
        ROUNDS["kind"],
        threads,
    )
    log(f"Kinds by use: {_by_use(kind, pages[0].kind_names)}")
    return {"single": single, "pair": pair, "kind": kind}


def as_onnx(models: dict[str, lightgbm.Booster]) -> dict[str, bytes]:
    """The models as ONNX bytes, by name."""
    return {name: to_onnx(model, 3 if name == "kind" else 1) for name, model in models.items()}


def feature_names(pages: Sequence[PageExamples]) -> dict[str, tuple[str, ...]]:
    """The columns of each model, by name; the same on every page."""
    first = next(page for page in pages if len(page.target))
    described, _ = pair_examples(first, first.target.astype(np.float64))
    return {"single": first.names, "pair": tuple(described), "kind": first.kind_names}


def fold_of(group: str) -> int:
    """Fold of a provenance group."""
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % FOLDS


def document_weights(pages: Sequence[PageExamples], counts: Sequence[int]) -> Floats:
    """One weight per example: a document counts with the square root of its examples."""
    total: Counter[str] = Counter()
    for page, count in zip(pages, counts, strict=True):
        total[page.document] += count
    each = np.repeat([1.0 / np.sqrt(max(total[page.document], 1)) for page in pages], counts)
    return np.asarray(each / each.mean(), dtype=np.float64)


def pair_examples(page: PageExamples, score: Floats) -> tuple[dict[str, Floats], Floats]:
    """Columns and targets of the pairs of a page, given the scores ``(c,)`` of its single texts."""
    columns = {name: page.columns[:, number].astype(np.float64) for number, name in enumerate(page.names)}
    pairs = make_pairs(page.around, page.found, score)
    described = describe_pairs(page.around, page.found, pairs, columns, score)
    target = [
        token_f1(tokens(text), list(page.truth[field] or ()))
        for field, text in zip(pairs.field.tolist(), pair_texts(page.around, page.found, pairs), strict=True)
    ]
    return described, np.array(target)


def _fit_pairs(
    pages: Sequence[PageExamples], scores: Sequence[Floats], threads: int, log: Log
) -> lightgbm.Booster:
    made = [pair_examples(page, score) for page, score in zip(pages, scores, strict=True)]
    target = np.concatenate([some for _, some in made])
    log(f"Pairs: {len(target)} examples.")
    weight = document_weights(pages, [len(some) for _, some in made])
    columns = np.concatenate([matrix(described) for described, _ in made])
    model = _fit(PAIR, columns, target, weight, ROUNDS["pair"], threads)
    log(f"Pairs by use: {_by_use(model, tuple(made[0][0]))}")
    return model


def _fit(
    parameters: dict[str, Any],
    columns: Matrix,
    target: npt.NDArray[Any],
    weight: Floats,
    rounds: int,
    threads: int,
) -> lightgbm.Booster:
    data = lightgbm.Dataset(columns, target, weight=weight)
    return lightgbm.train(parameters | {"num_threads": threads}, data, rounds)


def _by_use(model: lightgbm.Booster, names: Sequence[str]) -> str:
    """The ten columns that helped most."""
    gain = model.feature_importance("gain")
    return ", ".join(names[row] for row in np.argsort(-gain)[:10])
