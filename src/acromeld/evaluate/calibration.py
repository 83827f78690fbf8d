# SPDX-License-Identifier: Apache-2.0
"""Choosing the operating point: the paper's "Operating-point calibration".

For each of 8 x 6 suppression cells (NMS and link threshold) the class thresholds are chosen jointly from 981
values each, 0.990 down to 0.010 by 0.001, so that native micro-F1 is greatest.

Thresholds act before suppression and suppression ignores class, so classes couple: a text candidate that
falls below its threshold no longer suppresses the choice candidate after it, which may add a hit or a false
positive there. Treating the classes one by one would be wrong. It is handled exactly:

1. `threshold_events` writes the counts of every page as a sum of threshold events. Conflicts within one class
   give events of one threshold (the proof is there); conflicts between classes are tabulated over their own
   few levels and give events of two or three.
2. `threshold_search` finds the joint maximum of the sum by fractional optimisation in integers, with bounds
   that skip only what can neither win nor tie.

There is no approximation and no fallback; a page whose conflicts span hundreds of candidates of several
classes only takes longer. The chosen point is decoded once more with the real decoder, and counts that differ
stop the calibration.

Order among equal F1: the highest text threshold, then choice, then signature, within a cell and between
cells; then the highest NMS threshold, then the highest link threshold (least aggressive suppression).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.errors import AcromeldError, IntegrityError
from acromeld.evaluate.adapters import NATIVE, score_page, total
from acromeld.evaluate.counts import Counts
from acromeld.evaluate.threshold_events import LEVELS, page_events
from acromeld.evaluate.threshold_search import Optimum, Triple, build_tables, maximise_f1
from acromeld.fields import OperatingPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.adapters import Comparison

NMS_GRID = (0.30, 0.50, 0.70, 0.80, 0.85, 0.90, 0.95, 1.00)
LINK_GRID = (0.50, 0.65, 0.80, 0.90, 0.95, 1.00)


@dataclass(frozen=True)
class Cell:
    """The best class thresholds under one pair of suppression thresholds, in thousandths.

    ``signatures`` are the counts of that class, where its threshold was given.
    """

    nms: float
    link: float
    thresholds: Triple
    counts: Counts
    signatures: Counts | None = None

    @property
    def rank(self) -> tuple[Fraction, Triple, float, float]:
        """Greater is better, ties included."""
        f1 = Fraction(2 * self.counts.matched, self.counts.predicted + self.counts.targets)
        return f1, self.thresholds, self.nms, self.link

    def point(self) -> OperatingPoint:
        """The cell as an operating point."""
        text, choice, signature = (level / 1000 for level in self.thresholds)
        return OperatingPoint(text=text, choice=choice, signature=signature, nms=self.nms, link=self.link)


@dataclass(frozen=True)
class Calibration:
    """The selected cell, and every cell it was selected from.

    ``by_micro`` is the cell of greatest micro-F1 where signatures were given another threshold
    (`acromeld.evaluate.signature_threshold`).
    """

    selected: Cell
    cells: tuple[Cell, ...]
    by_micro: Cell | None = None

    @property
    def tied(self) -> int:
        """Cells with the F1 and the class thresholds of the one of greatest micro-F1, itself included."""
        best = self.by_micro or self.selected
        return sum(cell.rank[:2] == best.rank[:2] for cell in self.cells)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready record."""
        chosen_anew = {}
        if self.by_micro is not None and self.selected.signatures is not None:
            chosen_anew = {
                "signatures": self.selected.signatures.as_dict(),
                "by_micro": self.by_micro.point().model_dump(mode="json") | self.by_micro.counts.as_dict(),
            }
        return {
            "point": self.selected.point().model_dump(mode="json"),
            "native": self.selected.counts.as_dict(),
            **chosen_anew,
            "tied_cells": self.tied,
            "cells": [cell.point().model_dump(mode="json") | cell.counts.as_dict() for cell in self.cells],
        }


def calibrate(
    pages: Sequence[Comparison],
    nms_grid: Sequence[float] = NMS_GRID,
    link_grid: Sequence[float] = LINK_GRID,
) -> Calibration:
    """The operating point with the greatest native micro-F1 on these pages."""
    targets = sum(len(page.targets) for page in pages)
    if not targets:
        raise AcromeldError("Calibration needs at least one page with a native field.")
    prepared = [page_events(page, min(nms_grid), min(link_grid)) for page in pages]
    solved: dict[tuple[int, ...], Optimum] = {}
    start: Triple | None = None
    cells: list[Cell] = []
    for nms, link in product(sorted(nms_grid, reverse=True), sorted(link_grid, reverse=True)):
        events = [page.at(nms, link) for page in prepared]
        identity = tuple(map(id, events))
        if identity not in solved:
            solved[identity] = maximise_f1(build_tables(np.concatenate(events)), targets, start)
        start = solved[identity].levels
        cells.append(_cell(nms, link, solved[identity], targets))
    selected = max(cells, key=lambda cell: cell.rank)
    _check(selected, pages)
    return Calibration(selected, tuple(cells))


def _cell(nms: float, link: float, optimum: Optimum, targets: int) -> Cell:
    text, choice, signature = (int(LEVELS[level]) for level in optimum.levels)
    counts = Counts(optimum.matched, optimum.predicted, targets)
    return Cell(nms, link, (text, choice, signature), counts)


def _check(cell: Cell, pages: Sequence[Comparison]) -> None:
    decoded = total(score_page(page, NATIVE, cell.point()) for page in pages).counts()
    if decoded != cell.counts:
        raise IntegrityError(f"Calibration expected {cell.counts} at its point, the decoder gives {decoded}.")
