# SPDX-License-Identifier: Apache-2.0
"""Which checkpoint is best, and when a phase has waited long enough for a better one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from acromeld.train.engine.plan import Phase


@dataclass
class Selection:
    """State of selection and patience.

    Two yardsticks, as in the paper: every strict improvement is saved, but patience only counts improvements
    of at least the minimum increment over the value it last accepted.

    Attributes:
        best: Highest score so far.
        epoch: Completed epoch (from 1, over the whole run) that reached it.
        accepted: Score from which patience measures.
        waiting: Evaluations since then.
        weights: Digest of the file with the weights of that epoch.
    """

    best: float | None = None
    epoch: int | None = None
    accepted: float | None = None
    waiting: int = 0
    weights: str | None = None

    def see(self, score: float, epoch: int, min_increment: float) -> bool:
        """Take in a score; whether it is a strict improvement."""
        if self.accepted is None or score >= self.accepted + min_increment:
            self.accepted, self.waiting = score, 0
        else:
            self.waiting += 1
        if self.best is not None and score <= self.best:
            return False
        self.best, self.epoch = score, epoch
        return True

    def finished(self, phase: Phase, epochs: int) -> str | None:
        """Why a phase ends after so many of its epochs, or none when it goes on."""
        if epochs >= phase.max_epochs:
            return f"{phase.name}_epoch_cap"
        if phase.patience is not None and epochs >= phase.min_epochs and self.waiting >= phase.patience:
            return f"{phase.name}_patience"
        return None
