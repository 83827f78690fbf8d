# SPDX-License-Identifier: Apache-2.0
"""When one candidate stands in for another: the pairwise half of representative selection.

The paper, "Containment-aware representative selection": a selected representative i suppresses j if their
IoU reaches ``t_nms``, or if they pass the spatial gate of the relation loss (``IoU >= 0.05`` or
``ov >= 0.3``) and ``p_link = sigmoid(z_i . z_j / 0.1)`` reaches ``t_link``. Comparisons are inclusive and
classes play no part.

Every value of a pair is computed from that pair alone, never through a matrix product, so that a pair gets
the same bits whichever other candidates are on the table. Calibration, which looks at all candidates, and
the decoder, which looks at the eligible ones, must not disagree by a rounding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import iou, overlap

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

LINK_TEMPERATURE = 0.1
GATE_IOU = 0.05
GATE_OVERLAP = 0.3
UNLINKED = -1.0
"""Stands for "no link possible": below every threshold, which probabilities of 0 would not be."""


@dataclass(frozen=True)
class Relations:
    """What the suppression rule asks about each pair of candidates.

    Attributes:
        iou: ``(n, n)``.
        link: ``(n, n)`` link probability of the pairs inside the spatial gate, `UNLINKED` elsewhere.
    """

    iou: Floats
    link: Floats


def spatial_gate(shared: Floats, contained: Floats) -> npt.NDArray[np.bool_]:
    """Pairs near enough to be one field, by IoU and overlap; the same gate supervises the relation loss."""
    return (shared >= GATE_IOU) | (contained >= GATE_OVERLAP)


def link_probability(
    link: Floats, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp]
) -> npt.NDArray[np.float64]:
    """The paper's ``p_link`` of the listed pairs, shape ``(len(first),)``."""
    similarity = (link[first] * link[second]).sum(axis=1)
    probability: npt.NDArray[np.float64] = 1.0 / (1.0 + np.exp(-similarity / LINK_TEMPERATURE))
    return probability


def relate(box: Boxes, link: Floats | None) -> Relations:
    """Both relations of every pair; without link vectors nothing is ever linked."""
    shared = iou(box, box)
    linked = np.full(shared.shape, UNLINKED)
    if link is not None:
        first, second = np.nonzero(spatial_gate(shared, overlap(box, box)))
        linked[first, second] = link_probability(np.asarray(link, dtype=np.float64), first, second)
    return Relations(shared, linked)
