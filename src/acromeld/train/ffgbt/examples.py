# SPDX-License-Identifier: Apache-2.0
"""Training examples: every candidate of a page with its features and what it should become.

A candidate is an example of a field when it fits one well (IoU >= 0.5) or is the best there is for it;
anything else is "no field". The best fit counts even when it is poor: the snap network moves it into place.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import KINDS
from acromeld.geometry import as_boxes, iou, overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.widgets import NativeWidget

_GOOD_FIT = 0.5
_SOME_FIT = 0.3


@dataclass(frozen=True)
class Examples:
    """Examples of one or many pages, one row each.

    Attributes:
        features: ``(n, features)``.
        label: ``(n,)`` 0 no field, 1 text, 2 choice, 3 signature.
        fit: ``(n,)`` IoU with the best native field of any class.
        box: ``(n, 4)`` the candidate.
        target: ``(n, 4)`` the native field it stands for; the candidate itself where there is none.
        page: ``(n,)`` running number of the page.
        fold: ``(n,)`` fold of the provenance group.
    """

    features: npt.NDArray[np.float32]
    label: npt.NDArray[np.int8]
    fit: npt.NDArray[np.float32]
    box: npt.NDArray[np.float32]
    target: npt.NDArray[np.float32]
    page: npt.NDArray[np.int32]
    fold: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.label)

    def without(self, folds: Sequence[int]) -> Examples:
        """The examples of all other folds."""
        rest = ~np.isin(self.fold, list(folds))
        return Examples(**{field.name: getattr(self, field.name)[rest] for field in fields(self)})


def join(parts: Sequence[Examples]) -> Examples:
    """Many parts as one."""
    return Examples(**{f.name: np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Examples)})


def assign(box: Boxes, widgets: Sequence[NativeWidget]) -> tuple[npt.NDArray[np.int8], Floats, Boxes]:
    """Label ``(n,)``, fit ``(n,)`` and target ``(n, 4)`` of the candidates of a page."""
    label = np.zeros(len(box), dtype=np.int8)
    if len(box) == 0 or not widgets:
        return label, np.zeros(len(box)), box.copy()
    native = as_boxes([widget.box for widget in widgets])
    kind = np.array([KINDS.index(widget.kind) + 1 for widget in widgets], dtype=np.int8)
    fit = iou(box, native)
    mine = fit.argmax(1)
    best = fit.max(1)
    positive = best >= _GOOD_FIT
    favourite = fit.argmax(0)
    reached = (fit.max(0) < _GOOD_FIT) & (
        overlap(box, native)[favourite, np.arange(len(native))] >= _SOME_FIT
    )
    mine[favourite[reached]] = np.flatnonzero(reached)
    positive[favourite[reached]] = True
    label[positive] = kind[mine[positive]]
    return label, best, np.where(positive[:, None], native[mine], box)
