# SPDX-License-Identifier: Apache-2.0
"""Where a scan is ink, and where it is toned paper.

Scans are not white: paper is grey, lamps shade towards the edges, and forms print fields on tinted ground.
Ink is therefore what is darker than the *local* ground, and a fill is ground that is darker than the paper
around it. Both come from the brightest pixel of each 4x4 block, which text and rules do not reach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.structure.runs import Mask

    Grey = npt.NDArray[np.uint8]
    Tone = npt.NDArray[np.float32]

BLOCK = 4
"""Side of a ground block in pixels; wider than the strokes of body text and of most rules."""

LONGEST_SIDE = 2400
"""Larger pictures are averaged down first: hairlines stay a pixel wide, and the time stays bounded."""

_CLOSING = 2
"""Ground is closed over this many blocks, so bars and bold strokes of up to 16 pixels count as ink."""

_INK_CONTRAST = (0.10, 0.04, 0.26)
"""Share of the ground's brightness a pixel must lose to be ink: on a clean picture, more for each grey level
of noise, and at most. Hairlines and the light sides of sunken boxes are faint; blurred letters must part."""

_NOISY = (2.0, 6.0)
"""Standard deviations of noise, in grey levels, from which on a picture is averaged once, and again."""

_PAPER_TILE = 32


@dataclass(frozen=True)
class Tones:
    """A page picture split into ground and ink.

    Attributes:
        grey: ``(h, w)`` picture, sides padded to multiples of `BLOCK`.
        ink: ``(h, w)`` true where there is ink.
        ground: ``(h / 4, w / 4)`` brightest pixel of each block.
        paper: ``(h / 4, w / 4)`` brightness of blank paper there.
        noise: Standard deviation of the picture's noise in grey levels.
    """

    grey: Grey
    ink: Mask
    ground: Grey
    paper: Tone
    noise: float


def working_grey(pixels: Grey) -> tuple[Grey, int]:
    """Grey picture of a workable size, and by which whole factor it was shrunk."""
    if pixels.ndim == 3:
        red, green, blue = (pixels[..., channel].astype(np.uint16) for channel in range(3))
        pixels = ((77 * red + 150 * green + 29 * blue) >> 8).astype(np.uint8)
    factor = -(-max(pixels.shape) // LONGEST_SIDE)
    if factor > 1:
        pixels = _pad(pixels, factor)
        height, width = pixels.shape[0] // factor, pixels.shape[1] // factor
        blocks = pixels.reshape(height, factor, width, factor)
        pixels = blocks.mean(axis=(1, 3), dtype=np.float32).astype(np.uint8)
    return _pad(pixels, BLOCK), factor


def smooth(grey: Grey) -> Grey:
    """The picture averaged over three pixels both ways if it is noisy, twice if it is very noisy.

    Speckles on the sides of a rule move its edges, and with them every box that is measured between rules.
    Where there is little noise, averaging would only take pale hairlines away.
    """
    noise = _noise(grey)
    for _ in range(sum(noise > level for level in _NOISY)):
        for axis in (0, 1):
            grey = _thirds(grey, axis)
    return grey


def _thirds(grey: Grey, axis: int) -> Grey:
    """A quarter of each neighbour along an axis and half of the pixel itself."""
    margin = [(1, 1) if side == axis else (0, 0) for side in (0, 1)]
    wide = np.pad(grey, margin, mode="edge").astype(np.uint16)
    size = grey.shape[axis]
    before, here, after = (np.take(wide, range(first, first + size), axis) for first in range(3))
    return ((before + 2 * here + after + 2) >> 2).astype(np.uint8)


def split_tones(grey: Grey) -> Tones:
    """Ground, noise and ink of a picture from `working_grey`."""
    ground = _brightest(grey)
    noise = _noise(grey)
    local = _closed(ground, _CLOSING).astype(np.float32)
    level = local - 3.0 * noise  # the brightest of many noisy pixels lies about so far above their mean
    clean, rise, most = _INK_CONTRAST
    contrast = min(clean + rise * noise, most)
    threshold = np.clip(level - np.maximum(contrast * level, 4.0 * noise), 0, 255).astype(np.uint8)
    rows = np.repeat(threshold, BLOCK, axis=1)
    ink = grey.reshape(-1, BLOCK, grey.shape[1]) < rows[:, None, :]
    return Tones(grey, ink.reshape(grey.shape), ground, _paper_level(ground), noise)


def _paper_level(ground: Grey) -> Tone:
    """Brightness of blank paper at every block, ``(h / 4, w / 4)``, blind to fills and pictures.

    The bright end of large tiles, the brightest of neighbouring tiles, and straight lines between: a fill has
    to cover several tiles before it passes for paper.
    """
    height, width = ground.shape
    tiles = _pad(ground, _PAPER_TILE)
    rows, columns = tiles.shape[0] // _PAPER_TILE, tiles.shape[1] // _PAPER_TILE
    cut = tiles.reshape(rows, _PAPER_TILE, columns, _PAPER_TILE).swapaxes(1, 2).reshape(rows, columns, -1)
    nth = int(0.9 * cut.shape[2])
    level = _dilated(np.partition(cut, nth, axis=2)[..., nth], 1).astype(np.float32)
    return _stretch(_stretch(level, height).T, width).T


def _stretch(level: Tone, count: int) -> Tone:
    """Linear interpolation of tile centres along axis 0 to ``count`` blocks."""
    at = np.clip((np.arange(count) + 0.5) / _PAPER_TILE - 0.5, 0, len(level) - 1)
    low = np.minimum(at.astype(np.int64), max(len(level) - 2, 0))
    share = (at - low).astype(np.float32)[:, None]
    result: Tone = level[low] * (1 - share) + level[np.minimum(low + 1, len(level) - 1)] * share
    return result


def _pad(pixels: Grey, multiple: int) -> Grey:
    bottom, right = (-side % multiple for side in pixels.shape)
    return np.pad(pixels, ((0, bottom), (0, right)), mode="edge") if bottom or right else pixels


def _brightest(grey: Grey) -> Grey:
    rows = grey.reshape(-1, BLOCK, grey.shape[1]).max(axis=1)
    out: Grey = np.maximum(np.maximum(rows[:, 0::4], rows[:, 1::4]), np.maximum(rows[:, 2::4], rows[:, 3::4]))
    return out


def _noise(grey: Grey) -> float:
    """Noise level from differences of neighbours; edges are few, so the median does not see them."""
    rows = grey[::24].astype(np.int16)
    return float(np.median(np.abs(rows[:, 2:] - rows[:, :-2]))) / (0.6745 * 2**0.5)


def _dilated(picture: Grey, radius: int) -> Grey:
    """Brightest value within ``radius`` along both axes."""
    for axis in (0, 1):
        out = picture.copy()
        for shift in range(1, radius + 1):
            head, tail = _shifted(out, shift, axis)
            source_head, source_tail = _shifted(picture, shift, axis)
            np.maximum(head, source_tail, out=head)
            np.maximum(tail, source_head, out=tail)
        picture = out
    return picture


def _shifted(picture: Grey, shift: int, axis: int) -> tuple[Grey, Grey]:
    """Views of all but the last, and all but the first, ``shift`` rows or columns."""
    if axis == 0:
        return picture[:-shift], picture[shift:]
    return picture[:, :-shift], picture[:, shift:]


def _closed(picture: Grey, radius: int) -> Grey:
    """Grey closing: dark things up to twice the radius across vanish, edges of larger ones stay put."""
    return 255 - _dilated(255 - _dilated(picture, radius), radius)
