# SPDX-License-Identifier: Apache-2.0
"""Fitting the second look: words by logistic regression, then trees that know what the words say.

What the words say of a training page must not be flattered by having been learned from it, so the trees see
log-odds from the other folds of provenance groups. The probability that is enough is the highest at which
trees of the other folds have about the greatest F1 over places that the network takes for fields.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import lightgbm
import numpy as np
from scipy.sparse import vstack

from acromeld.detect.acromeld.signing.judge import place_probability
from acromeld.detect.acromeld.signing.places import same_place
from acromeld.detect.acromeld.signing.weights import Heard
from acromeld.errors import AcromeldError
from acromeld.geometry import intersection_over_smaller
from acromeld.train.ffgbt.export import to_onnx
from acromeld.train.word_evidence import (
    FOLDS,
    across_folds,
    balanced,
    caption_rows,
    fold_of,
    logistic,
    page_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    from scipy.sparse import csr_matrix

    from acromeld.detect.acromeld.hashed_words import Evidence
    from acromeld.geometry import Boxes, Floats
    from acromeld.train.signing.examples import SigningPage

    Log = Callable[[str], None]
    Flags = npt.NDArray[np.bool_]

TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 5,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.6,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "max_bin": 63,
    "verbosity": -1,
    "seed": 3407,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS = 150
FREEDOM = {"page": 50.0, "margin": 10.0, "caption": 2.0}
"""Weight of the data against that of keeping word weights small."""

_FOUND = 0.3
"""Overlap from which on a place is a field of the author, as in the native yardstick."""

_ABOUT = 0.005
"""F1 that two hundred fields cannot tell apart."""

_TOUCHING = 0.5
"""Share of the smaller of two boxes that lies in the other when the decoder would hardly keep both."""

_A_FIELD = 0.5
"""Score from which on the network takes a place for a field; about what calibration chooses for text."""


@dataclass(frozen=True)
class Fitted:
    """The parts of a weights file, and how the folds did.

    Attributes:
        heard: What words say.
        trees: ONNX bytes.
        columns: What the trees read, in order.
        enough: The probability from which on a place is a signature field.
        f1: Of the folds, at that probability.
        found: Signature fields found by the folds, of ``fields``, in ``places`` places.
    """

    heard: Heard
    trees: bytes
    columns: tuple[str, ...]
    enough: float
    f1: float
    found: int
    places: int
    fields: int


def fit_all(pages: Sequence[SigningPage], *, log: Log) -> Fitted:
    """All weights from the pages of a corpus."""
    if not any(len(page.signed) for page in pages):
        raise AcromeldError("The training documents have no signature field where a page asks for one.")
    fold = np.array([fold_of(page.group, "signing") for page in pages])
    counts = [len(page.label) for page in pages]
    of_place, label = np.repeat(fold, counts), np.concatenate([page.label for page in pages])
    bears = np.array([len(page.signed) > 0 for page in pages])
    log(f"{len(label):,} candidates on {len(pages):,} pages, {int(bears.sum())} with a signature field")
    said, heard = _listen(pages, bears, label, fold, of_place)
    weight = np.concatenate([1.0 / same_place(page.box).sum(axis=1) for page in pages])
    measured = np.concatenate([np.column_stack(list(p.places.columns.values())) for p in pages])
    columns = (*pages[0].places.columns, *(f"{name} says" for name in FREEDOM))
    features = np.column_stack([measured, said])
    probability = _of_other_folds(features, label, weight, of_place)
    fields = sum(len(p.signed) for p in pages)
    enough, found, places = best_threshold(_places(pages, probability), fields)
    trees = to_onnx(_trees(features, label, weight), 1)
    f1 = 2 * found / (places + fields)
    log(f"of other folds: {found} of {fields} signature fields in {places} places, F1 {f1:.3f}")
    return Fitted(heard, trees, columns, enough, f1, found, places, fields)


def _listen(
    pages: Sequence[SigningPage],
    bears: Flags,
    label: Flags,
    fold: npt.NDArray[np.int64],
    of_place: npt.NDArray[np.int64],
) -> tuple[Floats, Heard]:
    """What words of other folds say of each place, ``(n, 3)`` as in `FREEDOM`, and the words of all folds."""
    page, heard_page = _evidence(page_rows([p.places.page for p in pages]), bears, fold, FREEDOM["page"])
    margin, heard_margin = _evidence(
        page_rows([p.places.margin for p in pages]), bears, fold, FREEDOM["margin"]
    )
    around = vstack([caption_rows(p.places.captions) for p in pages], format="csr")
    caption, heard_caption = _evidence(around, label, of_place, FREEDOM["caption"])
    of_page = np.repeat(np.column_stack([page, margin]), [len(p.label) for p in pages], axis=0)
    return np.column_stack([of_page, caption]), Heard(heard_page, heard_margin, heard_caption)


def _evidence(
    rows: csr_matrix, label: Flags, fold: npt.NDArray[np.int64], freedom: float
) -> tuple[Floats, Evidence]:
    def fit(some: Flags) -> Evidence:
        return logistic(rows[some], label[some], balanced(label[some], freedom))

    return across_folds(rows, fold, fit)


def _of_other_folds(
    features: Floats, label: Flags, weight: Floats, fold: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The probability ``(n,)`` that trees of the other folds give each place."""
    probability = np.zeros(len(label))
    for left_out in range(FOLDS):
        unseen = fold == left_out
        others = _trees(features[~unseen], label[~unseen], weight[~unseen])
        probability[unseen] = np.asarray(others.predict(features[unseen]))
    return probability


def _trees(features: Floats, label: Flags, weight: Floats) -> lightgbm.Booster:
    """Trees that hear every place once, however many candidates speak of it."""
    data = lightgbm.Dataset(features.astype(np.float32), label.astype(np.float64), weight=weight)
    return lightgbm.train(TREES | {"num_threads": 1}, data, ROUNDS)


def _places(pages: Sequence[SigningPage], probability: Floats) -> npt.NDArray[np.float64]:
    """``(k, 2)`` probability of each place, and whether it is a signature field."""
    out, start = [], 0
    for page in pages:
        mine = probability[start : start + len(page.label)]
        start += len(page.label)
        out += page_places(page.box, page.places.columns["score"], mine, page.signed)
    return np.array(out).reshape(-1, 2)


def page_places(box: Boxes, score: Floats, probability: Floats, signed: Boxes) -> list[tuple[float, float]]:
    """The places of a page as the decoder would take them: probability, and whether one is a field.

    The best scored candidate speaks for a place, the likeliest says what it is, and a field is found once.
    """
    same = intersection_over_smaller(box, box) >= _TOUCHING
    reached = intersection_over_smaller(box, signed)
    likely = place_probability(box, probability)
    open_, left = score >= _A_FIELD, np.ones(len(signed), dtype=np.bool_)
    out = []
    for place in np.argsort(-score, kind="stable"):
        if not open_[place]:
            continue
        open_ &= ~same[place]
        within = np.where(left, reached[place], 0.0)
        hit = bool(len(signed)) and within.max() >= _FOUND
        if hit:
            left[within.argmax()] = False
        out.append((float(likely[place]), float(hit)))
    return out


def best_threshold(places: npt.NDArray[np.float64], fields: int) -> tuple[float, int, int]:
    """The highest probability with about the greatest F1; fields found and places taken at it.

    F1 hardly changes over a wide range, and every place that is taken may have been a text field.
    """
    levels = np.arange(5, 96) / 100
    taken = np.array([(places[:, 0] >= level).sum() for level in levels])
    found = np.array([places[places[:, 0] >= level, 1].sum() for level in levels])
    f1 = 2 * found / (taken + fields)
    best = int(np.flatnonzero(f1 >= f1.max() - _ABOUT)[-1])
    return float(levels[best]), int(found[best]), int(taken[best])
