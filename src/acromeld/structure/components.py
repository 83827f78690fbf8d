# SPDX-License-Identifier: Apache-2.0
"""Connected components over items and the pairs that touch, without a loop over either."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.runs import Runs, touching

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.runs import Ints, Mask


def connected(count: int, a: Ints, b: Ints) -> Ints:
    """Component number, ``(count,)`` from 0, of items that the pairs ``(a, b)`` tie together.

    Roots hook onto smaller roots and all paths are flattened, until no pair spans two roots; the rounds grow
    with the logarithm of the longest chain. Components are numbered by their first item.
    """
    parent = np.arange(count)
    while len(a):
        root_a, root_b = parent[a], parent[b]
        open_pairs = root_a != root_b
        a, b = np.minimum(root_a, root_b)[open_pairs], np.maximum(root_a, root_b)[open_pairs]
        np.minimum.at(parent, b, a)
        while True:
            grand = parent[parent]
            if np.array_equal(grand, parent):
                break
            parent = grand
    is_root = parent == np.arange(count)
    return (np.cumsum(is_root) - 1)[parent]


@dataclass(frozen=True)
class Components:
    """Connected groups of runs.

    Attributes:
        runs: The runs they are made of.
        label: ``(len(runs),)`` component of each run.
        box: ``(n, 4)`` integer pixel boxes, right and bottom exclusive.
        area: ``(n,)`` pixels of ink.
    """

    runs: Runs
    label: Ints
    box: Ints
    area: Ints

    def __len__(self) -> int:
        return len(self.area)

    @property
    def width(self) -> Ints:
        """Box widths, ``(n,)``."""
        return self.box[:, 2] - self.box[:, 0]

    @property
    def height(self) -> Ints:
        """Box heights, ``(n,)``."""
        return self.box[:, 3] - self.box[:, 1]

    def only(self, keep: Mask) -> Components:
        """The components where ``keep`` is true, renumbered in order."""
        number = np.cumsum(keep) - 1
        inside = keep[self.label]
        return Components(self.runs.take(inside), number[self.label[inside]], self.box[keep], self.area[keep])

    def total(self, values: Ints | npt.NDArray[np.bool_]) -> Ints:
        """Sum of a per-run quantity over each component, ``(n,)``."""
        return np.bincount(self.label, values, minlength=len(self)).astype(np.int64)


def label_runs(runs: Runs, slack: int = 1) -> Components:
    """Components of the runs; rows must be adjacent, columns may miss by less than ``slack`` pixels."""
    return group_runs(runs, connected(len(runs), *touching(runs, slack)))


def group_runs(runs: Runs, label: Ints) -> Components:
    """Runs with the same label, which must be numbers from 0 without holes, as components."""
    count = int(label.max(initial=-1)) + 1
    box = group_boxes(label, count, np.stack([runs.start, runs.row, runs.stop, runs.row + 1], axis=1))
    area = np.bincount(label, runs.length, minlength=count).astype(np.int64)
    return Components(runs, label, box, area)


def group_boxes(label: Ints, count: int, boxes: Ints) -> Ints:
    """The box around all boxes with the same label, ``(count, 4)``."""
    out = np.empty((count, 4), dtype=boxes.dtype)
    for side in range(4):
        extreme = np.minimum if side < 2 else np.maximum
        edge = np.full(count, boxes[:, side].max() if side < 2 and len(boxes) else 0, dtype=boxes.dtype)
        extreme.at(edge, label, boxes[:, side])
        out[:, side] = edge
    return out
