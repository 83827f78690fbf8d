# SPDX-License-Identifier: Apache-2.0
"""Training plans: every number of a run, typed, frozen and digestible.

`paper` is the registered run of the paper. `compact` is the same engine for two cores. It trains everything
at once from random weights: opinions give the graph something to correct from the first step on, so there is
no need to wait for the raster branch, and a step that trains both costs as much as two that train one each.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator

from acromeld.fields import OperatingPoint
from acromeld.provenance.digests import canonical_json, sha256_object
from acromeld.train.data.augment import Augmentation
from acromeld.train.data.halves import Half
from acromeld.train.data.structure import MissingStructure

Part = Literal["all", "visual", "graph"]
"""What a phase trains: the whole model, the raster branch, or what comes after it."""

Precision = Literal["fp32", "bf16", "bf16-visual"]
"""Of forward passes: the last one computes all that follows the raster branch in full precision."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Rates(_Frozen):
    """Learning rates of graph and structure modules, of the raster branch, and of its backbone."""

    graph: float = 2e-4
    visual: float = 1e-4
    backbone: float = 4e-6


class Phase(_Frozen):
    """One phase of a run; all but the first begin with the best averaged weights so far.

    Attributes:
        name: For records.
        trains: Which part of the model.
        min_epochs: Patience does not act before.
        max_epochs: The cap.
        patience: Evaluations without an increment before the phase ends; none to run to the cap.
        min_increment: What counts as an increment for patience; any improvement is saved.
        rates: Highest learning rates.
        warmup_steps: Linear rise.
        decay_to: Share of the rate at the cap, by cosine; 1 keeps it.
        frozen_backbone_epochs: Epochs at the start in which the backbone does not learn.
        effective_batch: Pages of an optimiser step over all devices.
        per_device: Pages a device takes at a time; a batch trial may say otherwise.
        augment: Whether pictures are augmented. Missing structure is not augmentation and stays.
        own_selection: Whether "best" starts anew, because scores of different parts do not compare.
    """

    name: str
    trains: Part = "all"
    min_epochs: PositiveInt = 1
    max_epochs: PositiveInt
    patience: PositiveInt | None = None
    min_increment: float = 0.0005
    rates: Rates = Rates()
    warmup_steps: NonNegativeInt = 0
    decay_to: float = 1.0
    frozen_backbone_epochs: NonNegativeInt = 0
    effective_batch: PositiveInt = 32
    per_device: PositiveInt = 4
    augment: bool = True
    own_selection: bool = False


class TrainingPlan(_Frozen):
    """Everything that decides a run besides data, model contract and code; the defaults are the paper's.

    Attributes:
        clip: Greatest norm of the gradient.
        ema_warmup: Let the average follow quickly at first, for runs of few steps.
        precision: Of forward passes; devices without bf16 compute in fp32.
        signature_weight: Visits of a real page with a signature in an epoch.
        synthetic_signatures: Whether synthetic pages that bear a signature are visited.
        half: Learn from one half of the real pages only (`halves`); none for all.
        point: Decoder settings of development evaluations.
    """

    name: str
    contract: str
    phases: tuple[Phase, ...]
    seed: NonNegativeInt = 3407
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 1e-4
    clip: float = 0.1
    ema_decay: float = 0.9998
    ema_warmup: bool = False
    precision: Precision = "bf16"
    signature_weight: PositiveInt = 3
    synthetic_signatures: bool = True
    half: Half | None = Field(default=None, exclude_if=lambda half: half is None)
    augmentation: Augmentation = Augmentation()
    missing: MissingStructure = MissingStructure()
    point: OperatingPoint = OperatingPoint(text=0.3, choice=0.3, signature=0.3, nms=0.9, link=0.8)

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if len({phase.name for phase in self.phases}) != len(self.phases) or not self.phases:
            raise ValueError("A plan needs phases with names of their own.")
        if any(phase.min_epochs > phase.max_epochs for phase in self.phases):
            raise ValueError("A phase cannot last longer than its cap.")
        return self

    def canonical(self) -> str:
        """The one JSON text of this plan."""
        return canonical_json(self.model_dump(mode="json"))

    def digest(self) -> str:
        """SHA-256 of the canonical JSON."""
        return sha256_object(self.model_dump(mode="json"))

    def with_epochs(self, epochs: dict[str, int]) -> TrainingPlan:
        """The plan with other caps for some phases; zero leaves a phase out."""
        unknown = epochs.keys() - {phase.name for phase in self.phases}
        if unknown:
            raise ValueError(f"The plan has no phase {', '.join(sorted(unknown))}.")
        kept = [phase for phase in self.phases if epochs.get(phase.name, 1) > 0]
        phases = [_capped(phase, epochs.get(phase.name, phase.max_epochs)) for phase in kept]
        return TrainingPlan.model_validate(self.model_dump() | {"phases": phases})


def _capped(phase: Phase, cap: int) -> Phase:
    return phase.model_copy(update={"max_epochs": cap, "min_epochs": min(phase.min_epochs, cap)})


PAPER = TrainingPlan(
    name="paper",
    contract="paper",
    phases=(
        Phase(
            name="main",
            min_epochs=7,
            max_epochs=30,
            patience=5,
            warmup_steps=1500,
            decay_to=0.05,
            frozen_backbone_epochs=2,
        ),
        Phase(
            name="finale",
            min_epochs=3,
            max_epochs=3,
            rates=Rates(graph=2e-5, visual=1e-5, backbone=4e-7),
            augment=False,
        ),
    ),
)

COMPACT = TrainingPlan(
    name="compact",
    contract="compact",
    clip=5.0,
    ema_decay=0.999,
    ema_warmup=True,
    # Half precision knows where a box is to a pixel or two; the graph is there to do better.
    precision="bf16-visual",
    # A laptop always has some structure, if only what it sees in the picture.
    missing=MissingStructure(pages=0.06, tokens=0.03, inferred=0.15, synthetic=True),
    phases=(
        Phase(
            name="joint", max_epochs=8, rates=Rates(graph=3e-4, visual=1e-3, backbone=1e-3),
            warmup_steps=300, decay_to=0.03, effective_batch=4, per_device=2,
        ),
        Phase(
            name="finale", max_epochs=1, rates=Rates(graph=3e-5, visual=5e-5, backbone=5e-5),
            effective_batch=4, per_device=2, augment=False,
        ),
    ),
)  # fmt: skip

PLANS: dict[str, TrainingPlan] = {plan.name: plan for plan in (PAPER, COMPACT)}
