# SPDX-License-Identifier: Apache-2.0
"""Banners printed in reverse: light text on a dark bar.

Between the letters of a banner the bar itself looks like ink on light ground. Where ink is denser than any
text can be, the dark tone is the ground, and what is lighter is the ink.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import label_runs
from acromeld.structure.inferred_fills import refine_sides
from acromeld.structure.inferred_tone import BLOCK
from acromeld.structure.runs import find_runs

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.inferred_tone import Tones
    from acromeld.structure.runs import Ints

    Floats = npt.NDArray[np.float64]

_DENSE = 0.5
_WINDOW = 2
_SIZE = (16.0, 6.0)
_MAX_BANNERS = 60


def reverse_banners(tones: Tones, pictures: Floats, px: float) -> tuple[Floats, Floats]:
    """Find dark bars outside pictures, turn their ink and ground around in place; returns boxes and tones."""
    dark = _block_counts(tones)
    for x0, y0, x1, y1 in (pictures // BLOCK).astype(np.int64):
        dark[y0:y1, x0:x1] = 0
    parts = label_runs(find_runs(_window_mean(dark) >= _DENSE * BLOCK * BLOCK))
    wide, tall = parts.width * BLOCK >= _SIZE[0] * px, parts.height * BLOCK >= _SIZE[1] * px
    found = wide & tall & (parts.area >= 0.6 * parts.width * parts.height)
    boxes = _core(parts.box[found][:_MAX_BANNERS])
    paper = np.array([tones.paper[y0:y1, x0:x1].mean() for x0, y0, x1, y1 in boxes])
    exact = refine_sides(tones.grey, boxes, 0.84 * paper, reach=(2 * _WINDOW + 2) * BLOCK)
    bar = np.array([_framed(tones, box, 0.84 * light) for box, light in zip(exact, paper, strict=True)], bool)
    exact, paper = exact[bar], paper[bar]
    return exact, np.array([_turn(tones, box, light) for box, light in zip(exact, paper, strict=True)])


def _core(boxes: Ints) -> Ints:
    """Boxes without the rim where the window saw beyond the bar, but never empty."""
    middle = (boxes[:, :2] + boxes[:, 2:]) // 2
    low, high = np.minimum(boxes[:, :2] + _WINDOW, middle), np.maximum(boxes[:, 2:] - _WINDOW, middle + 1)
    return np.concatenate([low, high], axis=1)


def _framed(tones: Tones, box: Floats, middle: float) -> bool:
    """Whether the outermost pixels of a box are dark all around: a bar has margins, heavy type has none."""
    x0, y0, x1, y1 = box.astype(np.int64)
    inside = tones.grey[y0:y1, x0:x1]
    sides = (inside[1:3], inside[-3:-1], inside[:, 1:3].T, inside[:, -3:-1].T)
    return all(side.size > 0 and float((side < middle).mean()) >= 0.8 for side in sides)


def _turn(tones: Tones, box: Floats, paper: float) -> float:
    """Set the ink inside one bar to what differs from it, and return the bar's luminance."""
    x0, y0, x1, y1 = box.astype(np.int64)
    inside = tones.grey[y0:y1, x0:x1]
    tone = float(np.median(inside))
    lighter = inside > tone + 0.4 * max(paper - tone, 0.0) + 8
    darker = inside < 0.8 * tone
    tones.ink[y0:y1, x0:x1] = lighter if lighter.sum() >= darker.sum() else darker
    border = 2
    for edge in (np.s_[y0 : y0 + border, x0:x1], np.s_[y1 - border : y1, x0:x1]):
        tones.ink[edge] = False
    for edge in (np.s_[y0:y1, x0 : x0 + border], np.s_[y0:y1, x1 - border : x1]):
        tones.ink[edge] = False
    for edge in (np.s_[max(y0 - border, 0) : y0, x0:x1], np.s_[y1 : y1 + border, x0:x1]):
        tones.ink[edge] = False
    return min(tone / max(paper, 1.0), 1.0)


def _block_counts(tones: Tones) -> npt.NDArray[np.int32]:
    """Dark pixels in each block; all of them where even the brightest is dark."""
    rows = tones.ink.view(np.uint8).reshape(-1, BLOCK, tones.ink.shape[1]).sum(axis=1, dtype=np.uint8)
    counts = (rows[:, 0::4] + rows[:, 1::4] + rows[:, 2::4] + rows[:, 3::4]).astype(np.int32)
    counts[tones.ground < 0.7 * tones.paper] = BLOCK * BLOCK
    result: npt.NDArray[np.int32] = counts
    return result


def _window_mean(counts: npt.NDArray[np.int32]) -> Floats:
    """Mean over the window around each block, from an integral image; beyond the page there is no ink."""
    size = 2 * _WINDOW + 1
    total = np.pad(counts, ((_WINDOW + 1, _WINDOW), (_WINDOW + 1, _WINDOW))).cumsum(axis=0, dtype=np.int32)
    total = total.cumsum(axis=1, dtype=np.int32)
    summed = total[size:, size:] - total[:-size, size:] - total[size:, :-size] + total[:-size, :-size]
    result: Floats = summed / float(size * size)
    return result
