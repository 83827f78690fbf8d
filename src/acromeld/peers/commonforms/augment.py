# SPDX-License-Identifier: Apache-2.0
"""Running a network once, or three times on shrunken and mirrored copies (test-time augmentation).

A network answers ``(7, n)``: centre x, centre y, width, height in canvas pixels and three class scores, for
the cells of stride 8, then 16, then 32. The augmented answer is the three answers side by side, brought back
to the first canvas. Two parts are left out, because another pass sees them better: the coarsest cells of the
full-size pass and the finest cells of the smallest pass.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from acromeld.peers.commonforms.preprocess import bilinear
from acromeld.peers.commonforms.profiles import STRIDE

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.peers.commonforms.preprocess import Canvas

    Answer = npt.NDArray[np.float32]

PASSES: tuple[tuple[float, bool], ...] = ((1.0, False), (0.83, True), (0.67, False))
"""Scale of each pass, and whether it looks at the mirrored page."""

PAD = 0.447
"""Fill to the right of and below a shrunken canvas."""

_CELLS = (16, 4, 1)
"""Cells of the three strides, per cell of the coarsest."""


class Network(Protocol):
    """A detector network: ``(1, 3, H, W)`` float32 in 0..1 to ``(1, 7, n)``."""

    def __call__(self, images: Answer) -> Answer:
        """One forward pass."""
        ...


def answer(network: Network, canvas: Canvas, augment: bool) -> Answer:
    """Cells ``(7, n)`` in pixels of the canvas ``(3, H, W)``, from one pass or from three."""
    if not augment:
        return _forward(network, canvas)
    parts = [_descaled(network, canvas, scale, mirrored) for scale, mirrored in PASSES]
    parts[0] = parts[0][:, : -_coarsest(parts[0])]
    parts[-1] = parts[-1][:, _coarsest(parts[-1]) * _CELLS[0] :]
    return np.concatenate(parts, axis=1)


def _coarsest(part: Answer) -> int:
    return int(part.shape[1]) // sum(_CELLS)


def _forward(network: Network, canvas: Canvas) -> Answer:
    cells: Answer = network(np.ascontiguousarray(canvas)[None])[0]
    return cells


def _descaled(network: Network, canvas: Canvas, scale: float, mirrored: bool) -> Answer:
    """One pass, its boxes back in pixels of the unscaled, unmirrored canvas."""
    part = _forward(network, shrink(canvas[:, :, ::-1] if mirrored else canvas, scale)).copy()
    part[:4] /= np.float32(scale)
    if mirrored:
        part[0] = canvas.shape[2] - part[0]
    return part


def shrink(canvas: Canvas, scale: float) -> Canvas:
    """The canvas at ``scale``, padded to whole strides; the page keeps its top left corner."""
    if scale == 1.0:
        return canvas
    height, width = canvas.shape[1:]
    inner = (int(height * scale), int(width * scale))
    outer = (math.ceil(height * scale / STRIDE) * STRIDE, math.ceil(width * scale / STRIDE) * STRIDE)
    padded = np.full((3, *outer), PAD, dtype=np.float32)
    padded[:, : inner[0], : inner[1]] = bilinear(canvas, *inner)
    return padded
