# SPDX-License-Identifier: Apache-2.0
"""Run-length encoding of a black-and-white picture, and which runs touch.

A page has three million pixels but only some ten thousand runs of ink; everything that looks for shapes in a
picture works on the runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Runs:
    """Horizontal runs of set pixels, ordered by row and then column.

    Attributes:
        row: ``(n,)`` row of each run.
        start: ``(n,)`` first column.
        stop: ``(n,)`` column after the last.
    """

    row: Ints
    start: Ints
    stop: Ints

    def __len__(self) -> int:
        return len(self.row)

    @property
    def length(self) -> Ints:
        """Pixels in each run."""
        return self.stop - self.start

    def take(self, keep: Mask) -> Runs:
        """The runs where ``keep`` is true, in the same order."""
        return Runs(self.row[keep], self.start[keep], self.stop[keep])


def find_runs(mask: Mask) -> Runs:
    """All runs of a ``(h, w)`` picture."""
    height, width = mask.shape
    if mask.size and mask[:, -1].any():  # an empty last column keeps runs of two rows apart
        padded = np.zeros((height, width + 1), dtype=np.bool_)
        padded[:, :width] = mask
        mask, width = padded, width + 1
    flat = mask.ravel()
    edges = np.flatnonzero(flat[1:] != flat[:-1]) + 1
    if flat.size and flat[0]:
        edges = np.concatenate(([0], edges))
    row, start = np.divmod(edges[0::2], max(width, 1))
    return Runs(row, start, edges[1::2] - row * width)


def close_gaps(runs: Runs, gap: int) -> Runs:
    """Join neighbours in a row that are at most ``gap`` pixels apart."""
    if len(runs) < 2:
        return runs
    apart = (runs.row[1:] != runs.row[:-1]) | (runs.start[1:] - runs.stop[:-1] > gap)
    first = np.concatenate(([True], apart))
    last = np.concatenate((apart, [True]))
    return Runs(runs.row[first], runs.start[first], runs.stop[last])


def touching(runs: Runs, slack: int = 1) -> tuple[Ints, Ints]:
    """Index pairs of runs in adjacent rows that overlap, or miss each other by less than ``slack`` pixels.

    A slack of 1 is the eight-neighbourhood. Runs within a row are disjoint and ordered, so the partners of a
    run are one contiguous range, found by two binary searches.
    """
    if not len(runs):
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    pitch = int(runs.stop.max()) + 2 * slack + 2
    start, stop = runs.row * pitch + runs.start, runs.row * pitch + runs.stop
    first = np.searchsorted(stop, start - pitch - slack, side="right")
    last = np.searchsorted(start, stop - pitch + slack, side="left")
    count = np.maximum(last - first, 0)
    lower = np.repeat(np.arange(len(runs)), count)
    offset = np.arange(len(lower)) - np.repeat(np.cumsum(count) - count, count)
    return np.repeat(first, count) + offset, lower
