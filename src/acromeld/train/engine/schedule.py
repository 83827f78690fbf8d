# SPDX-License-Identifier: Apache-2.0
"""The learning-rate schedule as a pure function of the step, so that nothing of it needs saving."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acromeld.train.engine.plan import Phase


def rate_share(step: int, steps_per_epoch: int, phase: Phase) -> float:
    """Share of the highest rate at a step of a phase, counted from 0.

    Linear from ``1 / warmup`` to 1 over the warm-up, then a cosine that reaches ``decay_to`` with the last
    step of the phase's cap (paper: "cosine decay reaches 5% of each base rate by epoch 30").
    """
    if step < phase.warmup_steps:
        return (step + 1) / phase.warmup_steps
    length = max(phase.max_epochs * steps_per_epoch - 1 - phase.warmup_steps, 1)
    progress = min((step - phase.warmup_steps) / length, 1.0)
    return phase.decay_to + (1 - phase.decay_to) * (1 + math.cos(math.pi * progress)) / 2
