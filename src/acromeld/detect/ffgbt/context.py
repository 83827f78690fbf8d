# SPDX-License-Identifier: Apache-2.0
"""Context columns for the second look: what the first look thought of the neighbours.

A row of boxes that all look like fields makes each of them more likely; a box inside a better one less so;
and a page where nothing else looks like a field is probably prose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import KINDS
from acromeld.geometry import area, intersection

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

    Columns = dict[str, npt.NDArray[np.generic]]


def context(box: Boxes, kind: npt.NDArray[np.int8], probability: Floats) -> Columns:
    """Context of each candidate, ``(n,)`` columns by name; ``probability`` is ``(n, 4)``, no field first."""
    belief, count = 1.0 - probability[:, 0], len(box)
    columns: Columns = {f"first {name}": probability[:, 1 + i] for i, name in enumerate(KINDS)}
    columns["first belief"] = belief
    columns |= _rivals(box, belief)
    columns |= _alike(box, kind, belief)
    columns["same kind mean"] = _mean(kind, np.arange(count), belief)[kind]
    columns |= _around(box, belief, probability)
    columns["page belief"] = np.full(count, float((belief > 0.5).sum()))
    columns["page best"] = np.full(count, float(belief.max(initial=0.0)))
    return columns


def _rivals(box: Boxes, belief: Floats) -> Columns:
    """Candidates of about the same place, around it, and in it."""
    shared = intersection(box, box)
    np.fill_diagonal(shared, 0.0)
    # Few pairs share anything, so everything after this is about those alone.
    one, other = np.nonzero(shared)
    shared, areas, count = shared[one, other], area(box), len(box)
    close = shared / np.maximum(areas[one] + areas[other] - shared, 1e-9) > 0.3
    inside = shared / np.maximum(areas, 1.0)[one] > 0.8
    rival = _best(one[close], belief[other[close]], count)
    better = close & (belief[other] > belief[one])
    return {
        "rival": rival,
        "rival behind": belief - rival,
        "rivals better": np.bincount(one[better], minlength=count),
        "container": _best(one[inside], belief[other[inside]], count),
        "content": _best(other[inside], belief[one[inside]], count),
        "contents": np.bincount(other[inside], belief[one[inside]], count),
    }


def _alike(box: Boxes, kind: npt.NDArray[np.int8], belief: Floats) -> Columns:
    """Candidates of the same kind and size: on the page, level with this one, and in its column."""
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    alike = (np.abs(width[:, None] - width[None]) < 2.0) & (np.abs(height[:, None] - height[None]) < 2.0)
    alike &= kind[:, None] == kind[None]
    np.fill_diagonal(alike, False)
    one, other = np.nonzero(alike)
    centre, count = (box[:, :2] + box[:, 2:]) / 2, len(box)
    across, down = np.abs(centre[one] - centre[other]).T
    masks = {"alike mean": slice(None), "row mean": down < 3, "column mean": across < 3}
    return {name: _mean(one[mask], other[mask], belief, count) for name, mask in masks.items()}


def _around(box: Boxes, belief: Floats, probability: Floats) -> Columns:
    """What likely candidates nearby, and all on the page, are taken for."""
    centre, likely = (box[:, :2] + box[:, 2:]) / 2, np.flatnonzero(belief > 0.3)
    apart = np.abs(centre[:, None] - centre[None, likely])
    one, near = np.nonzero((apart[..., 1] < 40) & (apart[..., 0] < 200))
    columns: Columns = {}
    for index, name in enumerate(KINDS):
        said = probability[:, 1 + index]
        columns[f"near {name}"] = _mean(one, likely[near], said, len(box))
        columns[f"page {name}"] = np.full(len(box), float(said.sum()))
    return columns


def _best(one: npt.NDArray[np.intp], value: Floats, count: int) -> Floats:
    """The greatest value of each of ``count`` candidates; 0 for those that have none."""
    best = np.zeros(count)
    np.maximum.at(best, one, value)
    return best


def _mean(one: npt.NDArray[np.integer], other: npt.NDArray[np.intp], value: Floats, count: int = 0) -> Floats:
    """Mean value of the others of each of ``count`` candidates; -1 for those that have none."""
    others = np.bincount(one, minlength=count)
    total = np.bincount(one, value[other], count)
    mean: Floats = np.where(others > 0, total / np.maximum(others, 1), -1.0)
    return mean
