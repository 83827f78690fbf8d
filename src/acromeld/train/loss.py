# SPDX-License-Identifier: Apache-2.0
"""The whole objective with the paper's weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from acromeld.model.visual.interface import DenseNative, EcdetNative
from acromeld.train.dense_loss import dense_loss
from acromeld.train.fieldness import fieldness_loss
from acromeld.train.matching import match_set
from acromeld.train.relation import relation_loss
from acromeld.train.set_loss import DECAY, set_loss
from acromeld.train.visual_loss import ecdet_loss

if TYPE_CHECKING:
    from acromeld.model.acromeld import Output
    from acromeld.model.batch import Batch

VISUAL_WEIGHT, RELATION_WEIGHT, FIELDNESS_WEIGHT = 0.5, 0.2, 0.2


@dataclass(frozen=True)
class Loss:
    """The objective and its weighted terms; ``total`` is their sum."""

    total: Tensor
    terms: dict[str, Tensor]

    def floats(self) -> dict[str, float]:
        """Total and terms for the log."""
        values = {"total": self.total, **self.terms}
        return {name: float(value.detach()) for name, value in values.items()}


def total_loss(output: Output, batch: Batch) -> Loss:
    """Set loss of every graph layer, native loss of the raster branch, relation and fieldness.

    Layer l of L counts ``0.65 ** (L - l)``. Without native output (cached proposals) the raster branch is not
    trained and its term is left out.
    """
    targets, final = batch.targets, output.final
    terms: dict[str, Tensor] = {}
    for distance, layer in enumerate(reversed(output.layers)):
        matches = match_set(layer.logits, layer.boxes, targets)
        for name, value in set_loss(layer, targets, matches).items():
            terms[name] = terms.get(name, torch.zeros_like(value)) + DECAY**distance * value
    native = output.visual.native
    if native is not None:
        terms["visual"] = VISUAL_WEIGHT * visual_loss(native, batch)
    terms["relation"] = RELATION_WEIGHT * relation_loss(output.link, final.boxes, targets)
    fieldness = fieldness_loss(output.fieldness, output.eligible, batch.tokens.box, targets)
    terms["fieldness"] = FIELDNESS_WEIGHT * fieldness
    return Loss(torch.stack(list(terms.values())).sum(), terms)


def visual_loss(native: EcdetNative | DenseNative, batch: Batch) -> Tensor:
    """The criterion that belongs to the raster branch."""
    if isinstance(native, DenseNative):
        terms = dense_loss(native, batch.targets)
    else:
        terms = ecdet_loss(native, batch.targets)
    return torch.stack(list(terms.values())).sum()
