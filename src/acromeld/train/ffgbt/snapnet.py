# SPDX-License-Identifier: Apache-2.0
"""Trains SnapNet-E3: from the features of a candidate to the sides of the widget an author would draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import nn

from acromeld.detect.ffgbt.snap import REACH, UNIT, standardise

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Layers = dict[str, npt.NDArray[np.float32]]

HIDDEN = (192, 128)
_BATCH = 2048


def fit_snap(
    features: npt.NDArray[np.float32],
    box: npt.NDArray[np.float32],
    target: npt.NDArray[np.float32],
    *,
    epochs: int = 30,
    seed: int = 3407,
    log: Callable[[str], None] | None = None,
) -> Layers:
    """Layers of the network after all epochs; inputs are rows that stand for a field.

    The rate falls to nothing, and on held-out provenance groups the loss fell to the end, so there is no
    epoch to choose.
    """
    torch.manual_seed(seed)
    layers = _scaling(features)
    inputs = torch.from_numpy(standardise(features, layers))
    boxes, targets = torch.from_numpy(box), torch.from_numpy(target)
    network = _network(inputs.shape[1])
    optimiser = torch.optim.AdamW(network.parameters(), lr=2e-3, weight_decay=1e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, 2e-3, epochs=epochs, steps_per_epoch=max(1, -(-len(inputs) // _BATCH))
    )
    for epoch in range(epochs):
        spent = 0.0
        for rows in torch.split(torch.randperm(len(inputs)), _BATCH):
            optimiser.zero_grad()
            loss = snap_loss(network(inputs[rows]), boxes[rows], targets[rows])
            torch.autograd.backward(loss)
            optimiser.step()
            schedule.step()
            spent += loss.item() * len(rows)
        if log is not None and (epoch + 1) % 10 == 0:
            log(f"snap epoch {epoch + 1}: loss {spent / len(inputs):.4f}")
    return layers | _as_layers(network)


def snap_loss(offset: torch.Tensor, box: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Smooth L1 of the sides, capped at the reach, plus ``1 - IoU`` of the moved boxes; inputs ``(n, 4)``."""
    wanted = (target - box).clamp(-REACH, REACH) / UNIT
    sides = nn.functional.smooth_l1_loss(offset, wanted, beta=0.1)
    moved = box + offset * UNIT
    corner = torch.minimum(moved[:, 2:], target[:, 2:]) - torch.maximum(moved[:, :2], target[:, :2])
    shared = corner.clamp(min=0).prod(1)
    areas = (moved[:, 2:] - moved[:, :2]).clamp(min=0.1).prod(1) + (target[:, 2:] - target[:, :2]).prod(1)
    return sides + (1 - shared / (areas - shared)).mean()


def _scaling(features: npt.NDArray[np.float32]) -> Layers:
    spread = features.std(axis=0)
    return {"mean": features.mean(axis=0), "spread": np.where(spread > 1e-6, spread, 1.0).astype(np.float32)}


def _network(width: int) -> nn.Sequential:
    parts: list[nn.Module] = []
    for size in HIDDEN:
        parts += [nn.Linear(width, size), nn.ReLU(), nn.Dropout(0.05)]
        width = size
    last = nn.Linear(width, 4)
    # Starting from "do not move" keeps the first steps sane.
    nn.init.zeros_(last.weight)
    nn.init.zeros_(last.bias)
    return nn.Sequential(*parts, last)


def _as_layers(network: nn.Sequential) -> Layers:
    linear = [module for module in network if isinstance(module, nn.Linear)]
    layers: Layers = {}
    for number, module in enumerate(linear):
        layers[f"weight{number}"] = module.weight.detach().numpy().T.copy()
        layers[f"bias{number}"] = module.bias.detach().numpy().copy()
    return layers
