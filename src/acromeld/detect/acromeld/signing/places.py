# SPDX-License-Identifier: Apache-2.0
"""Candidates that stand at wording that asks for a signature, and what can be measured of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.hashed_words import caption_words, page_buckets, plain
from acromeld.detect.acromeld.seen import CHOICE, SIGNATURE, TEXT
from acromeld.detect.ffgbt.labels import surroundings
from acromeld.geometry import iou
from acromeld.structure.signing_words import ASKS_BESIDE, ASKS_TO_SIGN

if TYPE_CHECKING:
    import re

    import numpy.typing as npt

    from acromeld.detect.acromeld.hashed_words import Buckets, Captions
    from acromeld.detect.acromeld.seen import Seen
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words

_REACH = {"left": 150.0, "above": 40.0, "right": 100.0, "below": 30.0}
"""Points within which wording can belong to a place."""

_CAPTION = {"left": 120.0, "above": 20.0, "right": 0.0, "below": 14.0}
"""Points within which other words count as the caption of a place."""

_BEYOND = 20.0
"""Points past the reach, for "there is none"."""

_LEAST = 0.003
"""Probability of text or signature below which the network has not seen a place."""

_NARROW, _FLAT, _TALL = 25.0, 4.0, 110.0
"""Points: nobody signs in a narrower, flatter or taller place."""

_SAME_PLACE = 0.5
"""IoU from which on two candidates speak of one place. A box around a signature and its date is none of them:
were containment enough, the date would become a signature, too."""

_MARGIN = 0.1
"""Share of the page's height, at the top and at the bottom, where forms say whose they are."""

_SMALL = 1e-5
_FAR = 400.0


@dataclass(frozen=True)
class Places:
    """The n queries at wording that asks for a signature.

    Attributes:
        rows: ``(n,)`` which queries.
        columns: Measurements by name, ``(n,)`` each.
        captions: The words around each.
        page: Buckets of the page's words.
        margin: Buckets of those at its top and bottom: offices, numbers and dates of forms.
    """

    rows: npt.NDArray[np.intp]
    columns: dict[str, Floats]
    captions: Captions
    page: Buckets
    margin: Buckets


def places_to_sign(seen: Seen, words: Words, size: tuple[float, float]) -> Places | None:
    """The places of a page of the given displayed size; none when nothing on it asks for a signature."""
    asking = _matching(words, ASKS_TO_SIGN)
    if not asking.any():
        return None
    near = surroundings(seen.box, words.box[asking], _REACH)
    beside = near.inside.any(axis=1) | np.any([side.any(axis=1) for side in near.near.values()], axis=0)
    rows = np.flatnonzero(beside & _could_be(seen))
    if not len(rows):
        return None
    box = seen.box[rows]
    around = surroundings(box, words.box, _CAPTION)
    said = [plain(text) for text in words.text]
    columns = {
        **_opinion(seen, rows),
        "width": box[:, 2] - box[:, 0],
        "height": box[:, 3] - box[:, 1],
        "y0": box[:, 1] / size[1],
        **_distances("sign", box, words.box[asking]),
        **_distances("beside", box, words.box[_matching(words, ASKS_BESIDE)]),
        "offset": _offset(box, words.box[asking]),
        "inside": around.inside.sum(axis=1).astype(np.float64),
    }
    margin = [said[word] for word in np.flatnonzero(_in_margin(words.box, size[1]))]
    return Places(rows, columns, caption_words(around, said), page_buckets(said), page_buckets(margin))


def same_place(box: Boxes) -> npt.NDArray[np.bool_]:
    """Which of n candidates speak of the same place, ``(n, n)``."""
    same: npt.NDArray[np.bool_] = iou(box, box) >= _SAME_PLACE
    return same


def _matching(words: Words, wording: re.Pattern[str]) -> npt.NDArray[np.bool_]:
    return np.array([wording.search(text) is not None for text in words.text], dtype=np.bool_)


def _in_margin(printed: Boxes, height: float) -> npt.NDArray[np.bool_]:
    depth = _MARGIN * height
    inside: npt.NDArray[np.bool_] = (printed[:, 3] < depth) | (printed[:, 1] > height - depth)
    return inside


def _could_be(seen: Seen) -> npt.NDArray[np.bool_]:
    width, height = (seen.box[:, 2:] - seen.box[:, :2]).T
    written = seen.probability[:, TEXT] + seen.probability[:, SIGNATURE]
    fits: npt.NDArray[np.bool_] = (width > _NARROW) & (height > _FLAT) & (height < _TALL)
    return fits & (written > _LEAST) & (seen.probability[:, CHOICE] < 0.5)


def _opinion(seen: Seen, rows: npt.NDArray[np.intp]) -> dict[str, Floats]:
    """What the network thinks of each place, and of others that speak of the same one."""
    text, signature = (_log(seen.probability[rows, kind]) for kind in (TEXT, SIGNATURE))
    same = same_place(seen.box[rows])
    return {
        "text": text,
        "signature": signature,
        "quality": _log(seen.quality[rows]),
        "score": seen.score[rows],
        "same text": np.where(same, text[None], -np.inf).max(axis=1),
        "same signature": np.where(same, signature[None], -np.inf).max(axis=1),
    }


def _distances(name: str, box: Boxes, printed: Boxes) -> dict[str, Floats]:
    """Points to the nearest of some words in each direction, and whether one is inside."""
    around = surroundings(box, printed, _REACH)
    nearest = {
        f"{name} {side}": np.minimum(gap.min(axis=1, initial=np.inf), _REACH[side] + _BEYOND)
        for side, gap in around.gap.items()
    }
    return nearest | {f"{name} inside": around.inside.any(axis=1).astype(np.float64)}


def _offset(box: Boxes, printed: Boxes) -> Floats:
    """How far the nearest wording is from beginning where the place begins, right above or below it."""
    across = np.abs(printed[None, :, 0] - box[:, None, 0])
    below, above = (
        np.abs(printed[None, :, 1] - box[:, None, 3]),
        np.abs(printed[None, :, 3] - box[:, None, 1]),
    )
    nearest: Floats = np.minimum((across + 3.0 * np.minimum(below, above)).min(axis=1), _FAR)
    return nearest


def _log(share: Floats) -> Floats:
    return np.log(np.clip(share, _SMALL, 1.0))
