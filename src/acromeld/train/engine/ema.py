# SPDX-License-Identifier: Apache-2.0
"""The exponential moving average of the weights: what is evaluated, selected and frozen."""

from __future__ import annotations

from copy import deepcopy
from typing import Generic, TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


class Ema(Generic[Model]):
    """A second model whose weights and norm statistics follow the first: ``e <- d e + (1 - d) w``."""

    def __init__(self, model: Model, decay: float, *, warmup: bool = False) -> None:
        self.module: Model = deepcopy(model).eval().requires_grad_(False)
        self.decay, self.warmup = decay, warmup
        self.updates = 0

    def current_decay(self) -> float:
        """The decay of the next update; with a warm-up at most ``(1 + n) / (10 + n)`` after n updates."""
        return min(self.decay, (1 + self.updates) / (10 + self.updates)) if self.warmup else self.decay

    @torch.no_grad()
    def update(self, model: Model) -> None:
        """Follow the model by one step; counters are copied."""
        share = 1.0 - self.current_decay()
        mine, theirs = self.module.state_dict(), model.state_dict()
        floats = [name for name, value in mine.items() if value.is_floating_point()]
        torch._foreach_lerp_([mine[name] for name in floats], [theirs[name] for name in floats], share)
        for name in mine.keys() - set(floats):
            mine[name].copy_(theirs[name])
        self.updates += 1
