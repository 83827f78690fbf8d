# SPDX-License-Identifier: Apache-2.0
"""Tinted rectangles and pictures of a scan: ground that is darker than the paper around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.components import label_runs
from acromeld.structure.inferred_tone import BLOCK, paper_level
from acromeld.structure.runs import find_runs

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.inferred_tone import Grey, Tone, Tones
    from acromeld.structure.runs import Ints

    Floats = npt.NDArray[np.float64]

_MIN_SIDE = 6.0
_MIN_PICTURE = 30.0
_FULL = 0.88
_EVEN = 10.0
"""Grey levels a rectangle's ground may vary by; more is a picture."""
_SAMPLES = 24


@dataclass(frozen=True)
class Fills:
    """Toned areas, boxes in pixels.

    Attributes:
        box: ``(n, 4)`` evenly filled rectangles.
        tone: ``(n,)`` their luminance against paper, 0 black to 1 paper.
        picture: ``(m, 4)`` uneven or ragged areas: photographs, logos, stamps.
    """

    box: Floats
    tone: Floats
    picture: Floats


def find_fills(tones: Tones, px: float) -> Fills:
    """Rectangles and pictures on the page."""
    ground = tones.ground
    paper = paper_level(ground)
    step = 5.0 + 4.0 * tones.noise + 0.02 * paper
    parts = label_runs(find_runs(ground < paper - step))
    width, height = parts.width * BLOCK, parts.height * BLOCK
    large = (width >= _MIN_SIDE * px) & (height >= _MIN_SIDE * px) & (parts.area >= 6)
    boxes = parts.box[large]
    full = parts.area[large] / (parts.width * parts.height)[large]
    tone, spread, light = _statistics(tones, paper, boxes)
    even = (full >= _FULL) & (spread <= _EVEN + 2 * tones.noise)
    sides = np.minimum(width, height)[large]
    picture = ~even & (sides >= _MIN_PICTURE * px) & (full >= 0.4)
    exact = _refined(tones.grey, boxes[even], (tone + light)[even] / 2)
    return Fills(exact, tone[even] / np.maximum(light[even], 1.0), boxes[picture] * float(BLOCK))


def _statistics(tones: Tones, paper: Tone, boxes: Ints) -> tuple[Floats, Floats, Floats]:
    """Middle tone, spread of tones, and paper level of each box of blocks, from an 8x8 lattice of samples."""
    share = (np.arange(8) + 0.5) / 8
    x = (boxes[:, :1] + share * (boxes[:, 2:3] - boxes[:, :1])).astype(np.int64)
    y = (boxes[:, 1:2] + share * (boxes[:, 3:] - boxes[:, 1:2])).astype(np.int64)
    at = y[:, :, None], x[:, None, :]
    samples = np.sort(tones.ground[at].reshape(len(boxes), 64).astype(np.float64), axis=1)
    light = paper[at].reshape(len(boxes), 64).mean(axis=1).astype(np.float64)
    return samples[:, 32], samples[:, 54] - samples[:, 9], light


def _refined(grey: Grey, boxes: Ints, middle: Floats) -> Floats:
    """Pixel boxes of rectangles known in blocks: each side moves out while the picture is below ``middle``.

    A block counts as toned only when all of it is, so the true side lies less than a block outside.
    """
    exact = (boxes * BLOCK).astype(np.float64)
    for side in range(4):
        axis, outward = side % 2, 1 if side >= 2 else -1
        steps = boxes[:, side, None] * BLOCK + outward * np.arange(BLOCK) - (outward < 0)
        low, high = boxes[:, 1 - axis, None] * BLOCK, boxes[:, 3 - axis, None] * BLOCK
        along = (low + (high - low) * (np.arange(_SAMPLES) + 0.5) / _SAMPLES).astype(np.int64)
        steps = np.clip(steps, 0, grey.shape[1 - axis] - 1)
        at = (along[:, None], steps[:, :, None]) if axis == 0 else (steps[:, :, None], along[:, None])
        dark = np.median(grey[at], axis=2) < middle[:, None]
        exact[:, side] += outward * np.cumprod(dark, axis=1).sum(axis=1)
    return exact
