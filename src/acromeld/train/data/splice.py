# SPDX-License-Identifier: Apache-2.0
"""One training page out of two: the upper part of one above the lower part of another.

A few thousand pages are soon known by heart, and with them the habits of their authors. Forms are read from
top to bottom, so two pages of one size can be cut at the same height where neither has a field, and what
stands above and below still says what it said.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.tokens import Tokens
from acromeld.train.data.record import PageRecord

if TYPE_CHECKING:
    import numpy.typing as npt

HEIGHTS = (0.25, 0.75)
"""Where a page may be cut, as shares of its height."""

_TRIES = 24


def spliced(upper: PageRecord, lower: PageRecord, rng: np.random.Generator) -> PageRecord:
    """Both pages in one; the upper one as it is where they do not fit or every height cuts a field.

    Of some random heights the one that cuts fewest tokens is taken. Tokens that are cut are lost, and the
    page token stays that of the upper page.
    """
    heights = rng.uniform(*HEIGHTS, size=_TRIES)
    fields = [record.boxes / record.size[1] for record in (upper, lower)]
    clear = heights[_cut(np.concatenate(fields), heights) == 0]
    if not _fit(upper, lower) or not len(clear):
        return upper
    printed = np.concatenate([upper.own.box[1:], lower.own.box[1:]])
    height = float(clear[_cut(printed, clear).argmin()])
    row = round(height * upper.raster.shape[1])
    above, below = fields[0][:, 3] <= height, fields[1][:, 1] >= height
    return PageRecord(
        raster=np.concatenate([upper.raster[:, :row], lower.raster[:, row:]], axis=1),
        corner=upper.corner,
        size=upper.size,
        boxes=np.concatenate([upper.boxes[above], lower.boxes[below]]),
        labels=np.concatenate([upper.labels[above], lower.labels[below]]),
        own=_joined(upper.own, lower.own, height),
        inferred=_joined(upper.inferred, lower.inferred, height),
    )


def _fit(upper: PageRecord, lower: PageRecord) -> bool:
    """Whether two pages have one size and structure of the same kinds, or none alike."""
    return (
        upper.size == lower.size
        and upper.raster.shape == lower.raster.shape
        and upper.own.available == lower.own.available
        and upper.inferred.available == lower.inferred.available
    )


def _cut(box: npt.NDArray[np.float32], heights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """How many of ``(n, 4)`` boxes each of ``(h,)`` heights cuts, ``(h,)``."""
    through = (box[:, None, 1] < heights) & (heights < box[:, None, 3])
    count: npt.NDArray[np.int64] = through.sum(axis=0)
    return count


def _joined(upper: Tokens, lower: Tokens, height: float) -> Tokens:
    """Tokens above the height of one page, its page token first, and below it of another."""
    above, below = upper.box[:, 3] <= height, lower.box[:, 1] >= height
    above[0], below[0] = True, False
    first, second = upper.only(above), lower.only(below)
    return Tokens(
        np.concatenate([first.kind, second.kind]),
        np.concatenate([first.box, second.box]),
        np.concatenate([first.descriptor, second.descriptor]),
        np.concatenate([first.text, second.text]),
        upper.available,
    )
