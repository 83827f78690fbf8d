# SPDX-License-Identifier: Apache-2.0
"""Horizontal and vertical rules of a scan: long straight runs of ink, and chains of dashes.

A rule on paper is never quite straight: it drifts across rows under skew, has holes from scanning, and
fringes from blur. So runs are joined over small holes first, then over adjacent rows, then end to end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import connected, label_runs
from acromeld.structure.runs import Runs, close_gaps, find_runs

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.inferred_tone import Grey
    from acromeld.structure.runs import Ints, Mask

    Floats = npt.NDArray[np.float64]

MIN_LENGTH = 22.0
"""Points; shorter strokes may be the side of a check box or part of a letter and are judged as marks."""

_SLENDER = 8
"""Length over thickness; the stem of a large letter reaches 6."""
_MIN_PIECE = 7.0
_HOLE = 0.9
"""Points; tick boxes in a column are hardly farther apart, and their sides must not become one rule."""
_JOIN = 2.5
_MAX_THICK = 4.0
_SAMPLES = 15
_MAX_PIECES = 2000
_MAX_DRIFT = 0.011
"""Slope of a rule that still counts as straight; half a degree is 0.0087."""


@dataclass(frozen=True)
class Rules:
    """Rules along one axis. ``along`` is x for horizontal rules and y for vertical ones.

    Attributes:
        start: ``(n,)`` first pixel along the rule.
        stop: ``(n,)`` pixel after the last.
        centre: ``(n,)`` position across the rule, pixel edges at whole numbers.
        thickness: ``(n,)`` pixels across.
        dashed: ``(n,)``.
    """

    start: Floats
    stop: Floats
    centre: Floats
    thickness: Floats
    dashed: Mask

    def __len__(self) -> int:
        return len(self.start)


def find_rules(ink: Mask, px: float) -> tuple[Rules, Runs]:
    """Rules along the rows of a picture with ``px`` pixels a point, and the runs of ink they are made of."""
    pieces = close_gaps(find_runs(ink), 1)
    pieces = close_gaps(pieces.take(pieces.length >= _MIN_PIECE * px), round(_HOLE * px))
    pieces = pieces.take(pieces.length >= MIN_LENGTH * px / 2)
    strips = label_runs(pieces, slack=max(round(_HOLE * px), 1))
    length, across = strips.width, strips.height
    thickness = strips.area / np.maximum(length, 1)
    straight = (thickness <= _MAX_THICK * px) & (across - thickness <= _MAX_DRIFT * length + 2)
    line = straight & (length >= _SLENDER * thickness)
    moment = np.bincount(strips.label, pieces.length * (pieces.row + 0.5), minlength=len(strips))
    centre = moment / np.maximum(strips.area, 1)
    rules, group = _joined(strips.box[line], centre[line], thickness[line], px)
    keep = (rules.stop - rules.start >= MIN_LENGTH * px) & _clear(rules, ink, px)
    of_rule = np.zeros(len(strips), dtype=np.bool_)
    of_rule[np.flatnonzero(line)[keep[group]]] = True
    return _select(rules, keep), pieces.take(of_rule[strips.label])


def _clear(rules: Rules, ink: Mask, px: float) -> Mask:
    """Whether paper shows along a short rule; bars of letters in a row have stems below or above them."""
    share = (np.arange(2 * _SAMPLES) + 0.5) / (2 * _SAMPLES)
    along = (rules.start[:, None] + share * (rules.stop - rules.start)[:, None]).astype(np.int64)
    dirt = []
    for side in (-1, 1):
        across = rules.centre + side * (rules.thickness / 2 + 2)
        across = np.clip(np.floor(across).astype(np.int64), 0, len(ink) - 1)
        dirt.append(ink[across[:, None], along].mean(axis=1))
    worse, better = np.maximum(*dirt), np.minimum(*dirt)
    result: Mask = (rules.stop - rules.start >= 3 * MIN_LENGTH * px) | ((worse < 0.5) & (better < 0.2))
    return result


def _joined(box: Ints, centre: Floats, thickness: Floats, px: float) -> tuple[Rules, Ints]:
    """Collinear pieces with small gaps as one rule; second result is the rule of each piece."""
    start, stop = box[:, 0], box[:, 2]
    group = connected(len(box), *_end_to_end(start, stop, centre, px))
    count = int(group.max()) + 1 if len(group) else 0
    low, high = np.full(count, np.inf), np.zeros(count)
    np.minimum.at(low, group, start)
    np.maximum.at(high, group, stop)
    weight = np.bincount(group, stop - start, minlength=count)
    mean = [
        np.bincount(group, (stop - start) * value, minlength=count) / weight for value in (centre, thickness)
    ]
    return Rules(low, high, mean[0], mean[1], np.zeros(count, dtype=np.bool_)), group


def _end_to_end(start: Ints, stop: Ints, centre: Floats, px: float) -> tuple[Ints, Ints]:
    """Pairs of long pieces on one level with a small gap between; hatching is left in its pieces."""
    if len(start) > _MAX_PIECES:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    gap = np.maximum(start[:, None], start[None, :]) - np.minimum(stop[:, None], stop[None, :])
    level = np.abs(centre[:, None] - centre[None, :]) <= max(1.5, 0.5 * px)
    long = stop - start >= MIN_LENGTH * px
    a, b = np.nonzero(level & long[:, None] & long[None, :] & (gap <= _JOIN * px) & (gap > 0))
    return a, b


def _select(rules: Rules, keep: Mask) -> Rules:
    return Rules(
        rules.start[keep], rules.stop[keep], rules.centre[keep], rules.thickness[keep], rules.dashed[keep]
    )


def stroke_width(rules: Rules, grey: Grey) -> tuple[Floats, Floats]:
    """Thickness in pixels and ink luminance of each rule, ``(n,)`` both, from its grey profile.

    The width is the darkness summed across the rule over the darkness of its core, so blur does not widen it.
    """
    reach = int(np.ceil(rules.thickness.max(initial=1) / 2)) + 3
    share = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    along = (rules.start[:, None] + share * (rules.stop - rules.start)[:, None]).astype(np.int64)
    across = np.floor(rules.centre).astype(np.int64)[:, None] + np.arange(-reach, reach + 1)
    across = np.clip(across, 0, grey.shape[0] - 1)
    profile = grey[across[:, None, :], along[:, :, None]].astype(np.float64)
    paper = profile.max(axis=2)
    core = paper - profile.min(axis=2)
    total = (paper[:, :, None] - profile).sum(axis=2)
    width = np.median(total / np.maximum(core, 1.0), axis=1)
    return width, np.median(1 - core / np.maximum(paper, 1.0), axis=1)
