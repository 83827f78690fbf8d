# SPDX-License-Identifier: Apache-2.0
"""The signature threshold for the sake of signatures.

Micro-F1 counts fields, and one field in four hundred is a signature. A prediction of any class pays only if
it is right more often than half of micro-F1, so the joint maximum asks of signatures what it asks of text,
and where authors make signature fields of one place to sign in five it leaves out nearly all: the paper's
point of 0.990 predicted none. So the threshold of this one class may be chosen by the F1 of this class, the
others and the suppression standing as micro-F1 chose them.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.adapters import NATIVE, score_page, total
from acromeld.evaluate.threshold_events import LEVELS, level_of
from acromeld.fields import KINDS, FieldKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.adapters import Comparison
    from acromeld.evaluate.calibration import Calibration, Cell
    from acromeld.evaluate.counts import Counts

_SIGNATURE = KINDS.index(FieldKind.SIGNATURE)


def for_signatures(found: Calibration, pages: Sequence[Comparison]) -> Calibration:
    """The calibration with the signature threshold that gives signatures the greatest native F1.

    Order among equals: the greater micro-F1, then the higher threshold.
    """
    concerned = [page for page in pages if _has_signatures(page)]
    others = [page for page in pages if not _has_signatures(page)]
    rest = total(score_page(page, NATIVE, found.selected.point()) for page in others)
    tried = []
    for level in _levels(concerned):
        cell = replace(found.selected, thresholds=(*found.selected.thresholds[:2], level))
        outcome = total([rest, *(score_page(page, NATIVE, cell.point()) for page in concerned)])
        tried.append(replace(cell, counts=outcome.counts(), signatures=outcome.counts(_SIGNATURE)))
    return replace(found, selected=max(tried, key=_rank), by_micro=found.selected)


def _has_signatures(page: Comparison) -> bool:
    kinds = np.concatenate([page.predicted.candidates.kind, page.targets.kind])
    return bool((kinds == _SIGNATURE).any())


def _levels(pages: Sequence[Comparison]) -> list[int]:
    """Levels at which the signatures of the pages change, and the highest, at which there are fewest."""
    seen = [page.predicted.candidates for page in pages]
    level = level_of(
        np.concatenate([np.zeros(0), *(found.score[found.kind == _SIGNATURE] for found in seen)])
    )
    return sorted({int(LEVELS[rank]) for rank in level if rank >= 0} | {int(LEVELS[-1])})


def _rank(cell: Cell) -> tuple[Fraction, Fraction, int]:
    assert cell.signatures is not None
    return _f1(cell.signatures), _f1(cell.counts), cell.thresholds[2]


def _f1(counts: Counts) -> Fraction:
    return Fraction(2 * counts.matched, max(counts.predicted + counts.targets, 1))
