# SPDX-License-Identifier: Apache-2.0
"""From the cells a network answers to at most 300 detections of a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import iou
from acromeld.peers.commonforms.profiles import FLOOR, LIMIT

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

    Indices = npt.NDArray[np.intp]

_MOST_CANDIDATES = 30_000
"""Suppression looks at no more than this many, the best ones."""


@dataclass(frozen=True)
class Detections:
    """Detections in descending score.

    Attributes:
        box: ``(n, 4)``.
        score: ``(n,)``.
        kind: ``(n,)`` class index: 0 text, 1 choice, 2 signature, the order of our own classes.
    """

    box: Boxes
    score: Floats
    kind: Indices

    def __len__(self) -> int:
        return len(self.score)

    def take(self, rows: npt.NDArray[np.generic]) -> Detections:
        """The detections at these rows, an index array or a mask."""
        return Detections(self.box[rows], self.score[rows], self.kind[rows])


def candidates(cells: npt.NDArray[np.float32], floor: float = FLOOR) -> Detections:
    """Cells ``(7, n)`` scoring above the floor with their best class, as corner boxes, best first."""
    kind = cells[4:].argmax(axis=0)
    score = cells[4:].max(axis=0)
    rows = np.flatnonzero(score > floor)
    rows = rows[np.argsort(-score[rows], kind="stable")][:_MOST_CANDIDATES]
    centre, half = cells[:2, rows].T.astype(np.float64), cells[2:4, rows].T.astype(np.float64) / 2.0
    return Detections(np.hstack([centre - half, centre + half]), score[rows].astype(np.float64), kind[rows])


def suppress(found: Detections, threshold: float, limit: int = LIMIT) -> Detections:
    """Greedy suppression within each class: a box survives unless a better one overlaps it by more.

    ``found`` is in descending score, so the work can stop as soon as ``limit`` boxes are kept.
    """
    left = np.arange(len(found), dtype=np.intp)
    kept: list[int] = []
    while left.size and len(kept) < limit:
        best, left = left[0], left[1:]
        kept.append(int(best))
        overlapping = iou(found.box[best][None], found.box[left])[0] > threshold
        left = left[~(overlapping & (found.kind[left] == found.kind[best]))]
    return found.take(np.array(kept, dtype=np.intp))
