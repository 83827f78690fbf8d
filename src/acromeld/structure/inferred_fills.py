# SPDX-License-Identifier: Apache-2.0
"""Tinted rectangles and pictures of a scan: ground that is darker than the paper around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import Components, connected, group_runs, label_runs
from acromeld.structure.inferred_tone import BLOCK
from acromeld.structure.runs import find_runs, touching

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.inferred_tone import Grey, Tones
    from acromeld.structure.runs import Ints, Runs

    Floats = npt.NDArray[np.float64]

_MIN_SIDE = 6.0
_MIN_BLURRED = 18.0
"""Longer side in points of a fill on a noisy picture, where blurred letters darken the ground."""
_MIN_PICTURE = 30.0
_FULL = 0.85
_EVEN = 14.0
"""Grey levels a rectangle's ground may vary by."""
_ONE_TONE = 0.5
"""Share of an area within 24 grey levels, above which it is a fill or several; below it is a picture."""
_DARK = 0.9
_SAMPLES = 24
_MAX_FILLS = 300


@dataclass(frozen=True)
class Fills:
    """Toned areas, boxes in pixels.

    Attributes:
        box: ``(n, 4)`` evenly filled rectangles.
        tone: ``(n,)`` their luminance against paper, 0 black to 1 paper.
        picture: ``(m, 4)`` areas of many tones: photographs, shaded logos, stamps.
    """

    box: Floats
    tone: Floats
    picture: Floats


def find_fills(tones: Tones, px: float) -> Fills:
    """Rectangles and pictures on the page."""
    step = 4.0 + 4.0 * tones.noise + 0.01 * tones.paper
    runs = find_runs(tones.ground < tones.paper - step)
    picture = _pictures(label_runs(runs), tones, px)
    parts = _rectangles(runs)
    wide = np.minimum(parts.width, parts.height) * BLOCK >= _MIN_SIDE * px - BLOCK
    if tones.noise >= 1:
        wide &= np.maximum(parts.width, parts.height) * BLOCK >= _MIN_BLURRED * px
    boxes = parts.box[wide & (parts.area >= _FULL * parts.width * parts.height)][:_MAX_FILLS]
    tone, spread, light = _statistics(tones, boxes)
    even = spread <= _EVEN + 3 * tones.noise
    exact = refine_sides(tones.grey, boxes[even], (tone + light)[even] / 2)
    return Fills(exact, (tone / np.maximum(light, 1.0)).clip(0, 1)[even], picture)


def _rectangles(runs: Runs) -> Components:
    """Runs tied to the row above only where both ends agree, so a ragged area falls into its rectangles."""
    a, b = touching(runs)
    same = (np.abs(runs.start[a] - runs.start[b]) <= 1) & (np.abs(runs.stop[a] - runs.stop[b]) <= 1)
    return group_runs(runs, connected(len(runs), a[same], b[same]))


def _pictures(parts: Components, tones: Tones, px: float) -> Floats:
    """Boxes of dark areas without a tone of their own, as photographs are; their ink is cleared, in place."""
    large = np.minimum(parts.width, parts.height) * BLOCK >= _MIN_PICTURE * px
    dense = parts.area >= 0.35 * parts.width * parts.height
    found = np.flatnonzero(large & dense)[:_MAX_FILLS]
    pictures = [part for part in found.tolist() if _is_picture(parts, part, tones)]
    return parts.box[pictures].astype(np.float64) * BLOCK


def _is_picture(parts: Components, part: int, tones: Tones) -> bool:
    """Whether many tones share an area; then no ink in it is text or rules, and it is cleared."""
    x0, y0, x1, y1 = parts.box[part]
    inside = np.zeros((y1 - y0, x1 - x0), dtype=np.bool_)
    runs = parts.runs.take(parts.label == part)
    for row, start, stop in zip(runs.row - y0, runs.start - x0, runs.stop - x0, strict=True):
        inside[row, start:stop] = True
    ground = tones.ground[y0:y1, x0:x1]
    share = np.convolve(np.bincount(ground[inside] >> 3, minlength=32), np.ones(3)).max() / inside.sum()
    dark = inside & (ground < _DARK * tones.paper[y0:y1, x0:x1])
    if share >= _ONE_TONE or dark.sum() < 0.5 * inside.sum():
        return False
    area = tones.ink[y0 * BLOCK : y1 * BLOCK, x0 * BLOCK : x1 * BLOCK]
    area &= ~dark.repeat(BLOCK, axis=0).repeat(BLOCK, axis=1)
    return True


def _statistics(tones: Tones, boxes: Ints) -> tuple[Floats, Floats, Floats]:
    """Middle tone, spread of tones, and paper level of each box of blocks, from an 8x8 lattice of samples."""
    share = (np.arange(8) + 0.5) / 8
    x = (boxes[:, :1] + share * (boxes[:, 2:3] - boxes[:, :1])).astype(np.int64)
    y = (boxes[:, 1:2] + share * (boxes[:, 3:] - boxes[:, 1:2])).astype(np.int64)
    at = y[:, :, None], x[:, None, :]
    samples = np.sort(tones.ground[at].reshape(len(boxes), 64).astype(np.float64), axis=1)
    light = tones.paper[at].reshape(len(boxes), 64).mean(axis=1).astype(np.float64)
    return samples[:, 32], samples[:, 54] - samples[:, 9], light


def refine_sides(grey: Grey, boxes: Ints, middle: Floats, reach: int = BLOCK) -> Floats:
    """Pixel boxes of rectangles known in blocks: each side moves out while the picture is below ``middle``.

    A block counts as toned only when all of it is, so the true side of a fill lies less than a block outside.
    """
    exact = (boxes * BLOCK).astype(np.float64)
    for side in range(4):
        axis, outward = side % 2, 1 if side >= 2 else -1
        steps = boxes[:, side, None] * BLOCK + outward * np.arange(reach) - (outward < 0)
        low, high = boxes[:, 1 - axis, None] * BLOCK, boxes[:, 3 - axis, None] * BLOCK
        along = (low + (high - low) * (np.arange(_SAMPLES) + 0.5) / _SAMPLES).astype(np.int64)
        inside = (steps >= 0) & (steps < grey.shape[1 - axis])
        steps = np.clip(steps, 0, grey.shape[1 - axis] - 1)
        at = (along[:, None], steps[:, :, None]) if axis == 0 else (steps[:, :, None], along[:, None])
        dark = inside & (np.median(grey[at], axis=2) < middle[:, None])
        exact[:, side] += outward * np.cumprod(dark, axis=1).sum(axis=1)
    return exact
