# SPDX-License-Identifier: Apache-2.0
"""Which query speaks for each place of a page: representative selection before anything is appraised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import NOBODY, decode
from acromeld.fields import OperatingPoint

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.seen import Seen

LEAST = 0.03
"""Score below which nothing is appraised: no threshold was ever that low, and most queries are below."""

_ONE_FIELD = OperatingPoint(text=LEAST, choice=LEAST, signature=LEAST, nms=1.0, link=0.5)
"""Linked queries are one field; about what calibration chooses."""


@dataclass(frozen=True)
class Speakers:
    """The r queries that speak for a place.

    Attributes:
        rows: ``(r,)`` which queries, best score first.
        of: ``(Q,)`` which of them speaks for each query, `NOBODY` for those that are too faint.
    """

    rows: npt.NDArray[np.intp]
    of: npt.NDArray[np.intp]


def speakers(seen: Seen) -> Speakers:
    """The best query of every place, and whom it speaks for."""
    count = len(seen.score)
    kind = np.zeros(count, dtype=np.int64)
    candidates = PageCandidates(seen.box, kind, seen.score, ("",) * count, link=seen.link)
    decoded = decode(candidates, _ONE_FIELD)
    of = np.full(count, NOBODY, dtype=np.intp)
    of[decoded.kept] = np.arange(len(decoded.kept))
    spoken_for = decoded.suppressed_by != NOBODY
    of[spoken_for] = of[decoded.suppressed_by[spoken_for]]
    return Speakers(decoded.kept, of)
