# SPDX-License-Identifier: Apache-2.0
"""Links between candidates that were made from the same place.

A cell, what is left of it beside its label, and the space above its lower rule are three candidates and one
field. The decoder knows links as unit vectors whose similarity says "same field"; here every place has a
direction of its own, and a candidate points to the place of the best candidate it lies in or that lies in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import intersection_over_smaller

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

_SAME_PLACE = 0.7


def link_vectors(box: Boxes, score: Floats, mark: npt.NDArray[np.bool_]) -> Floats:
    """Unit vectors ``(n, places)``; marks and writing spaces never share a place.

    Args:
        box: ``(n, 4)`` boxes after snapping.
        score: ``(n,)`` the best candidate of a place names it.
        mark: ``(n,)`` whether the evidence is something to tick.
    """
    order = np.argsort(-score, kind="stable")
    near = intersection_over_smaller(box[order], box[order]) >= _SAME_PLACE
    near &= mark[order][:, None] == mark[order][None]
    place = np.full(len(order), -1, dtype=np.intp)
    places = 0
    for rank in range(len(order)):
        if place[rank] < 0:
            place[near[rank] & (place < 0)] = places
            place[rank] = places
            places += 1
    vectors = np.zeros((len(order), max(places, 1)))
    vectors[order, place] = 1.0
    return vectors
