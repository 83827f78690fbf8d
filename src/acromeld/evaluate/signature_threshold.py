# SPDX-License-Identifier: Apache-2.0
"""The signature threshold of a detector whose second look decides what places to sign are.

Micro-F1 counts fields, and one field in four hundred is a signature, so the joint maximum leaves out nearly
all: the paper's point of 0.990 predicted none. The F1 of signatures on the calibration role is no better
judge: it has 45 of them in 16 documents, and a threshold chosen by a handful of predictions is chance. Nor is
there anything left to choose. Which kind a place is, was decided before it was scored; whether there is a
field is the question that was asked of it, and what is enough for a text field there is enough for it.
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


def signatures_as_text(found: Calibration, pages: Sequence[Comparison]) -> Calibration:
    """The calibration with the text threshold for signatures, too; the rest stands as micro-F1 chose it."""
    text, choice, _ = found.selected.thresholds
    cell = replace(found.selected, thresholds=(text, choice, text))
    outcome = total(score_page(page, NATIVE, cell.point()) for page in pages)
    cell = replace(cell, counts=outcome.counts(), signatures=outcome.counts(_SIGNATURE))
    return replace(found, selected=cell, by_micro=found.selected)
