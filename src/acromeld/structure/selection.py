# SPDX-License-Identifier: Apache-2.0
"""Which primitives become tokens: the paper's two deterministic stages.

A page can have tens of thousands of primitives and the encoder takes 512 tokens. Taking the first ones would
leave half of the page unseen, so both stages spread the choice over the page and over the kinds: primitives
are dealt out of (grid cell, kind) buckets in rounds, each bucket in content order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes

    Index = npt.NDArray[np.intp]

STAGE_ONE = 1_535
"""Non-page primitives that survive the first stage."""

MAX_TOKENS = 512
"""Tokens of a page, the page token included."""

_STAGE_ONE_GRID = 12
_STAGE_TWO_GRID = 16


def select(
    box: Boxes, kind: npt.NDArray[np.int8], form_like: npt.NDArray[np.bool_], limit: int = MAX_TOKENS - 1
) -> Index:
    """Rows of the primitives that become tokens, in their original order.

    Args:
        box: ``(n, 4)`` normalised boxes.
        kind: ``(n,)`` token kinds.
        form_like: ``(n,)`` shapes and words that look like parts of a form.
        limit: How many to keep at the most.
    """
    rows = np.arange(len(box))
    if len(rows) > STAGE_ONE:
        rows = _first(rows, _round(box, kind, _STAGE_ONE_GRID), STAGE_ONE)
    if len(rows) > limit:
        dealt = _round(box[rows], kind[rows], _STAGE_TWO_GRID)
        # One of each kind per grid cell comes first, then what looks like a form, then the rest by rounds.
        tier = np.where(dealt == 0, 0, np.where(form_like[rows], 1, 2))
        rows = _first(rows, tier * (len(box) + 1) + dealt, limit)
    return rows


def _first(rows: Index, priority: Index, count: int) -> Index:
    """The ``count`` rows of smallest priority, ties in order, sorted back into their original order."""
    return np.sort(rows[np.argsort(priority, kind="stable")[:count]])


def _round(box: Boxes, kind: npt.NDArray[np.int8], grid: int) -> Index:
    """For each primitive, how many before it share its grid cell and kind; shape ``(n,)``."""
    x = np.clip((box[:, 0] + box[:, 2]) / 2 * grid, 0, grid - 1).astype(np.intp)
    y = np.clip((box[:, 1] + box[:, 3]) / 2 * grid, 0, grid - 1).astype(np.intp)
    bucket = (y * grid + x) * 16 + kind
    order = np.argsort(bucket, kind="stable")
    sorted_bucket = bucket[order]
    fresh = np.flatnonzero(np.diff(sorted_bucket, prepend=-1))
    start = np.repeat(fresh, np.diff(fresh, append=len(bucket)))
    out = np.empty(len(bucket), dtype=np.intp)
    out[order] = np.arange(len(bucket)) - start
    return out
