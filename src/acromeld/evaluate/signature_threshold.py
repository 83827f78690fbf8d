# SPDX-License-Identifier: Apache-2.0
"""The signature threshold of a detector whose second look decides what places to sign are.

Micro-F1 counts fields, and one field in four hundred is a signature, so the joint maximum leaves out nearly
all: the paper's point of 0.990 predicted none. The F1 of signatures on the calibration role is no better
judge: it has 45 of them in 16 documents, and a threshold chosen by a handful of predictions is chance. So
this one threshold is chosen where there are more of them, on folds of several roles, and given.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from acromeld.evaluate.adapters import NATIVE, score_page, total
from acromeld.fields import KINDS, FieldKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.adapters import Comparison
    from acromeld.evaluate.calibration import Calibration

_SIGNATURE = KINDS.index(FieldKind.SIGNATURE)


def with_signatures(found: Calibration, pages: Sequence[Comparison], threshold: float) -> Calibration:
    """The calibration with a given signature threshold, in thousandths; the rest as micro-F1 chose it."""
    text, choice, _ = found.selected.thresholds
    cell = replace(found.selected, thresholds=(text, choice, round(threshold * 1000)))
    outcome = total(score_page(page, NATIVE, cell.point()) for page in pages)
    cell = replace(cell, counts=outcome.counts(), signatures=outcome.counts(_SIGNATURE))
    return replace(found, selected=cell, by_micro=found.selected)
