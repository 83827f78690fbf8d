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
    belief = 1.0 - probability[:, 0]
    shared = intersection(box, box)
    areas = area(box)
    overlap = shared / np.maximum(areas[:, None] + areas[None] - shared, 1e-9)
    inside = shared / np.maximum(areas, 1.0)[:, None]
    for grid in (overlap, inside):
        np.fill_diagonal(grid, 0.0)
    centre = (box[:, :2] + box[:, 2:]) / 2
    down = np.abs(centre[:, None, 1] - centre[None, :, 1])
    across = np.abs(centre[:, None, 0] - centre[None, :, 0])
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    alike = (np.abs(width[:, None] - width[None]) < 2.0) & (np.abs(height[:, None] - height[None]) < 2.0)
    alike &= kind[:, None] == kind[None]
    np.fill_diagonal(alike, False)
    columns: Columns = {f"first {name}": probability[:, 1 + i] for i, name in enumerate(KINDS)}
    columns["first belief"] = belief
    rival = _best(overlap > 0.3, belief)
    columns["rival"] = rival
    columns["rival behind"] = belief - rival
    columns["rivals better"] = ((overlap > 0.3) & (belief[None] > belief[:, None])).sum(1)
    columns["container"] = _best(inside > 0.8, belief)
    columns["content"] = _best(inside.T > 0.8, belief)
    columns["contents"] = ((inside.T > 0.8) * belief[None]).sum(1)
    columns["alike mean"] = _mean(alike, belief)
    columns["row mean"] = _mean(alike & (down < 3), belief)
    columns["column mean"] = _mean(alike & (across < 3), belief)
    columns["same kind mean"] = _mean(kind[:, None] == kind[None], belief)
    near = (down < 40) & (across < 200) & (belief > 0.3)[None]
    for index, name in enumerate(KINDS):
        columns[f"near {name}"] = _mean(near, probability[:, 1 + index])
        columns[f"page {name}"] = np.full(len(box), float(probability[:, 1 + index].sum()))
    columns["page belief"] = np.full(len(box), float((belief > 0.5).sum()))
    columns["page best"] = np.full(len(box), float(belief.max(initial=0.0)))
    return columns


def _best(mask: npt.NDArray[np.bool_], value: Floats) -> Floats:
    best: Floats = np.where(mask, value[None], 0.0).max(1, initial=0.0)
    return best


def _mean(mask: npt.NDArray[np.bool_], value: Floats) -> Floats:
    """Mean of ``value`` over each row's mask; -1 where the mask is empty."""
    count = mask.sum(1)
    mean: Floats = np.where(count > 0, (mask @ value) / np.maximum(count, 1), -1.0)
    return mean
