# SPDX-License-Identifier: Apache-2.0
"""Who learns how fast: parameter groups, frozen parts, and the optimiser of a phase."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import nn

    from acromeld.model.acromeld import AcroMeld
    from acromeld.train.engine.plan import Part, Phase, TrainingPlan

GROUPS = ("graph", "visual", "backbone")


def group_of(name: str) -> str:
    """The group of a parameter.

    The compact branch's projection into the query space belongs to the graph: nothing before the graph
    teaches it.
    """
    if not name.startswith("visual.") or name.startswith("visual.project."):
        return "graph"
    return "backbone" if name.startswith("visual.backbone.") else "visual"


def trained_groups(part: Part) -> tuple[str, ...]:
    """Groups that learn in a phase that trains the given part."""
    return {"all": GROUPS, "visual": ("visual", "backbone"), "graph": ("graph",)}[part]


def grouped(model: AcroMeld, part: Part) -> dict[str, list[nn.Parameter]]:
    """Parameters of each group that learns, in the model's order; the frozen scalars of ECDet never do."""
    groups: dict[str, list[nn.Parameter]] = {name: [] for name in trained_groups(part)}
    for name, parameter in model.named_parameters():
        if group_of(name) in groups and not name.endswith((".up", ".reg_scale")):
            groups[group_of(name)].append(parameter)
    return groups


def set_learning(model: AcroMeld, phase: Phase, epoch: int) -> None:
    """Switch gradients and modes for an epoch of a phase, counted from 0.

    What does not learn is in evaluation mode, too: its norms keep their statistics.
    """
    learning = set(trained_groups(phase.trains))
    if epoch < phase.frozen_backbone_epochs:
        learning.discard("backbone")
    trained = {id(p) for parameters in grouped(model, phase.trains).values() for p in parameters}
    model.train()
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(id(parameter) in trained and group_of(name) in learning)
    if "visual" not in learning:
        model.visual.eval()
    if "backbone" not in learning:
        model.visual.backbone.eval()


def make_optimiser(model: AcroMeld, phase: Phase, plan: TrainingPlan) -> torch.optim.AdamW:
    """AdamW with one group for each rate."""
    groups = [
        {"params": parameters, "lr": getattr(phase.rates, name), "name": name}
        for name, parameters in grouped(model, phase.trains).items()
    ]
    return torch.optim.AdamW(groups, betas=plan.betas, weight_decay=plan.weight_decay, fused=True)


def set_rates(optimiser: torch.optim.Optimizer, phase: Phase, share: float) -> None:
    """Set every group to its share of the phase's rate."""
    for group in optimiser.param_groups:
        group["lr"] = getattr(phase.rates, group["name"]) * share
