# SPDX-License-Identifier: Apache-2.0
"""What the network says of a page, in points: what every later look at its answers begins with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import KINDS, FieldKind

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from acromeld.detect.acromeld.canvas import Placement
    from acromeld.geometry import Boxes, Floats

TEXT, CHOICE, SIGNATURE = (KINDS.index(kind) for kind in FieldKind)


@dataclass(frozen=True)
class Seen:
    """What the network says of a page's Q queries.

    Attributes:
        box: ``(Q, 4)`` in points.
        probability: ``(Q, 3)`` of the classes.
        quality: ``(Q,)``.
        score: ``(Q,)`` root of the best class probability times quality.
        link: ``(Q, d)`` unit vectors.
    """

    box: Boxes
    probability: Floats
    quality: Floats
    score: Floats
    link: Floats


def look(answers: Mapping[str, npt.NDArray[np.float32]], place: Placement) -> Seen:
    """Answers of the Q queries of one page (`OUTPUTS` without the batch), with boxes in points.

    Equation (score): ``sqrt(max_c p_c * q)`` of the best field class. Boxes that lie beside the page, where
    the canvas is only padding, score nothing.
    """
    probability = answers["probability"].astype(np.float64)
    quality = answers["quality"].astype(np.float64)
    box = place.to_page(answers["corners"])
    on_page = (box[:, 2:] > box[:, :2]).all(axis=1)
    score = np.where(on_page, np.sqrt(probability.max(axis=1) * quality), 0.0)
    return Seen(box, probability, quality, score, answers["link"].astype(np.float64))
