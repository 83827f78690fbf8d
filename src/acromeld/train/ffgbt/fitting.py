# SPDX-License-Identifier: Apache-2.0
"""From examples to weights: first look, second look, snap network, quality.

Order matters. The second look reads first-look probabilities that come from models of other folds; the snap
network learns on every example that stands for a field; quality is the IoU a candidate has *after* snapping.

How many rounds the later two take is found by watching the loss of the last fold; the models that are kept
are then trained for as many rounds on all folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.ffgbt.snap import snap
from acromeld.train.ffgbt.boosting import (
    CLASSES,
    CLASSIFY,
    FIRST_LOOK,
    QUALITY,
    fit,
    probabilities,
    weights_of,
    with_context,
)
from acromeld.train.ffgbt.export import to_onnx
from acromeld.train.ffgbt.snapnet import fit_snap

if TYPE_CHECKING:
    from collections.abc import Callable

    import lightgbm
    import numpy.typing as npt

    from acromeld.geometry import Floats
    from acromeld.train.ffgbt.examples import Examples

    Log = Callable[[str], None]

_FIRST_ROUNDS, _ROUNDS = 60, 240
_OBVIOUS = 0.98
"""First-look probability of "no field" from which on background is obvious."""


@dataclass(frozen=True)
class Rounds:
    """Trees of the second look and of the quality estimate."""

    second: int
    quality: int


@dataclass(frozen=True)
class Fitted:
    """ONNX models by name, the layers of the snap network, and how many rounds the models took."""

    models: dict[str, bytes]
    layers: dict[str, npt.NDArray[np.float32]]
    rounds: Rounds


def fit_all(examples: Examples, *, rounds: Rounds | None = None, threads: int, log: Log) -> Fitted:
    """All weights; the rounds are found by watching the last fold unless they are given."""
    log(f"{len(examples):,} examples, {int((examples.label > 0).sum()):,} of them fields")
    first, probability = first_look(examples, threads=threads, log=log)
    features = with_context(examples, probability)
    obvious = (examples.label == 0) & (probability[:, 0] > _OBVIOUS)
    weight = weights_of(examples.label, obvious, keep=4)
    field = examples.label > 0
    log(f"{int((weight > 0).sum()):,} examples for a second look")
    layers = fit_snap(features[field], examples.box[field], examples.target[field], log=log)
    quality = after_snap(examples, features, layers)
    if rounds is None:
        watch = examples.fold == examples.fold.max()
        seen = fit(CLASSIFY, features, examples.label, weight, watch, rounds=_ROUNDS, threads=threads)
        judged = fit(QUALITY, features, quality, weight, watch, rounds=_ROUNDS, threads=threads)
        rounds = Rounds(seen.best_iteration, judged.best_iteration)
    log(f"second look: {rounds.second} rounds, quality: {rounds.quality} rounds")
    second = fit(CLASSIFY, features, examples.label, weight, None, rounds=rounds.second, threads=threads)
    judge = fit(QUALITY, features, quality, weight, None, rounds=rounds.quality, threads=threads)
    models = {
        "classify": to_onnx(first, CLASSES),
        "reconsider": to_onnx(second, CLASSES),
        "quality": to_onnx(judge, 1),
    }
    return Fitted(models, layers, rounds)


def first_look(examples: Examples, *, threads: int, log: Log) -> tuple[lightgbm.Booster, Floats]:
    """The first-look model, and honest probabilities ``(n, 4)`` of the training examples."""
    features, label = examples.features, examples.label
    weight = weights_of(label, label == 0, keep=3)
    probability = np.zeros((len(examples), CLASSES))
    rounds = []
    folds = np.unique(examples.fold)
    for half in np.array_split(folds, 2):
        unseen = np.isin(examples.fold, half)
        model = fit(FIRST_LOOK, features, label, weight, unseen, rounds=_FIRST_ROUNDS, threads=threads)
        probability[unseen] = probabilities(model, features[unseen])
        rounds.append(model.best_iteration)
    log(f"first look: {rounds} rounds")
    final = fit(FIRST_LOOK, features, label, weight, None, rounds=max(rounds), threads=threads)
    return final, probability


def after_snap(
    examples: Examples, features: npt.NDArray[np.float32], layers: dict[str, npt.NDArray[np.float32]]
) -> npt.NDArray[np.float32]:
    """IoU of each snapped candidate with the field it stands for; candidates that stand for none get 0."""
    moved = snap(examples.box.astype(np.float64), features, layers)
    target = examples.target.astype(np.float64)
    corner = np.minimum(moved[:, 2:], target[:, 2:]) - np.maximum(moved[:, :2], target[:, :2])
    shared = np.maximum(corner, 0.0).prod(1)
    areas = (moved[:, 2:] - moved[:, :2]).prod(1) + (target[:, 2:] - target[:, :2]).prod(1)
    fit_after = shared / np.maximum(areas - shared, 1e-9)
    return np.where(examples.label > 0, fit_after, 0.0).astype(np.float32)
