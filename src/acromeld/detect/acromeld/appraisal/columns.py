# SPDX-License-Identifier: Apache-2.0
"""What can be measured of the places of a page, beyond what the network says of each alone.

Nothing here is about the page as a whole: how certain a page's best fields are is weighed apart from it
(`page_evidence`), and columns that told trees the same made them no better.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.acromeld.contract import SOURCES
from acromeld.detect.acromeld.hashed_words import caption_words, plain
from acromeld.detect.acromeld.opinions import BELIEF, FIT
from acromeld.detect.acromeld.seen import CHOICE, SIGNATURE, TEXT
from acromeld.detect.ffgbt.labels import surroundings
from acromeld.geometry import iou, overlap

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.acromeld.appraisal.places import Speakers
    from acromeld.detect.acromeld.hashed_words import Captions
    from acromeld.detect.acromeld.opinions import Opinions
    from acromeld.detect.acromeld.seen import Seen
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words

    Columns = dict[str, Floats]
    Flags = npt.NDArray[np.bool_]

_CAPTION = {"left": 120.0, "above": 20.0, "right": 0.0, "below": 14.0}
"""Points within which words count as the caption of a place."""

_FAR = 500.0
_NONE = -1.0
"""Where there is nothing to measure."""

_UNHEARD = -9.0
"""Opinion of FFGBT where it has none."""

_TOUCHES, _SAME = 0.3, 0.5
"""IoU from which on a candidate of FFGBT, or another query, is about the same place."""

_ALIKE = 3.0
_LEVEL = 4.0
"""Points that sides of alike places, and middles of level ones, may differ by."""

_SLACK = 2.0
"""Points by which a place may reach into the one below it."""

_EPS = 1e-5


@dataclass(frozen=True)
class Measured:
    """The r places of a page.

    Attributes:
        columns: By name, ``(r,)`` each.
        captions: The words around each.
    """

    columns: Columns
    captions: Captions


def measure(
    seen: Seen,
    spoken: Speakers,
    source: npt.NDArray[np.int64],
    opinions: Opinions,
    words: Words | None,
    size: tuple[float, float],
) -> Measured:
    """Measure the places of a page of the given displayed size; ``source`` ``(Q,)`` indexes `SOURCES`."""
    rows = spoken.rows
    box, score = seen.box[rows], seen.score[rows]
    choice = seen.probability[rows].argmax(axis=1) == CHOICE
    printed, text = (np.zeros((0, 4)), ()) if words is None else (words.box, words.text)
    around = surroundings(box, printed, _CAPTION)
    captions = caption_words(around, [plain(word) for word in text])
    columns = {
        **_said(seen, rows, choice),
        "source": source[rows].astype(np.float64),
        **_support(seen, spoken, source),
        **_heard(box, opinions),
        **_shape(box, size),
        **_likes(box, score, choice),
        **_company(box, score),
        "words": captions.count.astype(np.float64),
        "words inside": around.inside.sum(axis=1).astype(np.float64),
        **{
            f"word {side}": np.minimum(around.gap[side].min(axis=1, initial=np.inf), _FAR)
            for side in ("left", "above", "below")
        },
    }
    return Measured(columns, captions)


def _said(seen: Seen, rows: npt.NDArray[np.intp], choice: Flags) -> Columns:
    """What the network says of the speaker itself."""
    text, tick, signature = (log_odds(seen.probability[rows, kind]) for kind in (TEXT, CHOICE, SIGNATURE))
    return {
        "score": seen.score[rows],
        "text": text,
        "choice": tick,
        "signature": signature,
        "quality": log_odds(seen.quality[rows]),
        "is choice": choice.astype(np.float64),
    }


def _support(seen: Seen, spoken: Speakers, source: npt.NDArray[np.int64]) -> Columns:
    """Other queries of the same place: those it speaks for, and those that are simply there."""
    place = np.arange(len(spoken.rows))
    group = spoken.of[None] == place[:, None]
    near = iou(seen.box[spoken.rows], seen.box) >= _SAME
    near[place, spoken.rows] = False
    columns: Columns = {"spoken for": group.sum(axis=1) - 1.0}
    for index, name in enumerate(SOURCES[:2]):
        of_source = (source == index)[None]
        columns[f"best {name}"] = _best(group & of_source, seen.score)
        columns[f"near {name}"] = _best(near & of_source, seen.score)
    return columns


def _heard(box: Boxes, opinions: Opinions) -> Columns:
    """What FFGBT thought of the place."""
    shared = np.hstack([np.zeros((len(box), 1)), iou(box, opinions.box)])
    said = np.vstack([np.full((1, opinions.said.shape[1]), _UNHEARD), opinions.said])
    kind = np.concatenate([[_NONE], opinions.kind])
    nearest = np.where(shared.max(axis=1) >= _TOUCHES, shared.argmax(axis=1), 0)
    return {
        "opinion overlap": shared.max(axis=1),
        "opinion text": said[nearest, TEXT],
        "opinion choice": said[nearest, CHOICE],
        "opinion fit": said[nearest, FIT],
        "opinion belief": said[nearest, BELIEF],
        "opinion best": np.where(shared >= _SAME, said[None, :, BELIEF], _NONE).max(axis=1),
        "opinion kind": kind[nearest],
    }


def _shape(box: Boxes, size: tuple[float, float]) -> Columns:
    width, height = size
    return {
        "width": box[:, 2] - box[:, 0],
        "height": box[:, 3] - box[:, 1],
        "x0": box[:, 0] / width,
        "x1": box[:, 2] / width,
        "y0": box[:, 1] / height,
        "y1": box[:, 3] / height,
    }


def _likes(box: Boxes, score: Floats, choice: Flags) -> Columns:
    """How sure the network is of places of the same size and kind, also of those level with this one."""
    width, height = (box[:, 2:] - box[:, :2]).T
    x, y = ((box[:, :2] + box[:, 2:]) / 2).T
    alike = (_apart(width) < _ALIKE) & (_apart(height) < _ALIKE) & (choice[:, None] == choice[None])
    others = ~np.eye(len(box), dtype=np.bool_)
    masks = {
        "alike": alike & others,
        "alike in row": alike & others & (_apart(y) < _LEVEL),
        "alike in column": alike & others & (_apart(x) < _LEVEL),
        "in line": others & (_apart(y) < _LEVEL),
        "flush": others & (_apart(box[:, 0]) < _LEVEL),
    }
    columns: Columns = {}
    for name, mask in masks.items():
        columns[name] = _mean(mask, score)
        columns[f"{name}, count"] = mask.sum(axis=1).astype(np.float64)
    return columns


def _company(box: Boxes, score: Floats) -> Columns:
    """The places around: nearest ones, those right above and below, and what lies across this one."""
    gap_x, gap_y = (_gap(box[:, axis], box[:, axis + 2]) for axis in (0, 1))
    others = ~np.eye(len(box), dtype=np.bool_)
    distance = np.where(others, np.hypot(gap_x, gap_y), np.inf)
    ranked = score[np.argsort(distance, axis=1, kind="stable")]
    columns: Columns = {
        "rival": _best((overlap(box, box) > _TOUCHES) & others, score),
        "nearest": np.minimum(distance.min(axis=1, initial=np.inf), _FAR),
    }
    for count in (3, 8):
        first = ranked[:, : min(count, len(box) - 1)]
        columns[f"nearest {count}"] = first.mean(axis=1) if first.size else np.full(len(box), _NONE)
    for reach in (60, 150):
        within = distance < reach
        columns[f"sum within {reach}"] = within @ score
        columns[f"mean within {reach}"] = _mean(within, score)
    over = others & (gap_x <= 0)
    top, bottom = box[:, 1], box[:, 3]
    sides = {
        "above": bottom[None] <= top[:, None] + _SLACK,
        "below": top[None] >= bottom[:, None] - _SLACK,
    }
    for name, lies in sides.items():
        away = np.where(over & lies, gap_y, np.inf)
        there = np.isfinite(away).any(axis=1)
        closest = away.argmin(axis=1) if len(box) else np.zeros(0, dtype=np.intp)
        columns[f"gap {name}"] = np.where(there, away.min(axis=1, initial=np.inf), _NONE)
        columns[f"score {name}"] = np.where(there, score[closest], _NONE)
    return columns


def log_odds(share: Floats) -> Floats:
    """Logit of probabilities, cut before it becomes infinite."""
    inner = np.clip(share, _EPS, 1.0 - _EPS)
    odds: Floats = np.log(inner / (1.0 - inner))
    return odds


def _apart(value: Floats) -> Floats:
    """Differences of every pair, ``(r, r)``."""
    apart: Floats = np.abs(value[:, None] - value[None])
    return apart


def _gap(low: Floats, high: Floats) -> Floats:
    """Empty space between the intervals of every pair, ``(r, r)``."""
    gap: Floats = np.maximum(np.maximum(low[:, None] - high[None], low[None] - high[:, None]), 0.0)
    return gap


def _best(mask: Flags, value: Floats) -> Floats:
    best: Floats = np.where(mask, value[None], 0.0).max(axis=1, initial=0.0)
    return best


def _mean(mask: Flags, value: Floats) -> Floats:
    """Mean of ``value`` over each row's mask; `_NONE` where it is empty."""
    count = mask.sum(axis=1)
    mean: Floats = np.where(count > 0, (mask @ value) / np.maximum(count, 1), _NONE)
    return mean
