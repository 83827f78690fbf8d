# SPDX-License-Identifier: Apache-2.0
"""True positives and what follows from them. Undefined is ``None``, never zero."""

from __future__ import annotations

from dataclasses import dataclass


def ratio(numerator: float, denominator: float) -> float | None:
    """The quotient, or none when there is nothing to divide by."""
    return numerator / denominator if denominator else None


@dataclass(frozen=True)
class Counts:
    """How many predictions, targets, and one-to-one matches between them."""

    matched: int = 0
    predicted: int = 0
    targets: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.matched + other.matched, self.predicted + other.predicted, self.targets + other.targets
        )

    @property
    def mistakes(self) -> int:
        """False positives and false negatives together."""
        return self.predicted + self.targets - 2 * self.matched

    @property
    def precision(self) -> float | None:
        """Undefined without predictions."""
        return ratio(self.matched, self.predicted)

    @property
    def recall(self) -> float | None:
        """Undefined without targets."""
        return ratio(self.matched, self.targets)

    @property
    def f1(self) -> float | None:
        """``2 TP / (predicted + targets)``: zero without predictions, undefined when there is nothing."""
        return ratio(2 * self.matched, self.predicted + self.targets)

    def as_dict(self) -> dict[str, int | float | None]:
        """JSON-ready counts and ratios."""
        return {
            "tp": self.matched,
            "fp": self.predicted - self.matched,
            "fn": self.targets - self.matched,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }
