# SPDX-License-Identifier: Apache-2.0
"""Crooked scans are laid straight before anything is looked for, and what was found is carried back.

Rules and cells of a scan are read as level and upright lines, which they are no longer when the paper lay
half a degree askew on the glass. Widgets are always level, so a field keeps its size and only its middle
moves; on a page a degree askew the ends of a line across the whole page are then four points off.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import Primitives, Raster
from acromeld.structure.availability import read_off_picture
from acromeld.structure.skew import Skew, skew

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    from acromeld.detect.candidates import PageCandidates
    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Page

    Pixels = npt.NDArray[np.uint8]
    Floats = npt.NDArray[np.float64]

LEAST = 0.004
"""Slopes below move the end of a rule across the page by two points at most, which reading scans allows."""

_ROWS = 128
"""Rows of pixels moved at a time, to bound memory."""


def on_level(page: Page, find: Callable[[Page], PageCandidates]) -> PageCandidates:
    """What ``find`` finds on a page, for crooked scans on the page laid straight; boxes are of the page."""
    lies = skew(page.raster) if page.raster is not None and read_off_picture(page) else Skew()
    if lies.steepest < LEAST:
        return find(page)
    found = find(moved(page, lies.back()))
    return replace(found, box=moved_boxes(found.box, lies.matrix(), (page.width, page.height)))


def moved(page: Page, matrix: Floats) -> Page:
    """The page with picture and words moved by a ``(2, 2)`` matrix about its middle; shapes stay."""
    primitives, raster, size = page.primitives, page.raster, (page.width, page.height)
    if primitives is not None:
        words = replace(primitives.words, box=moved_boxes(primitives.words.box, matrix, size))
        primitives = Primitives(words, primitives.shapes)
    if raster is not None:
        raster = Raster(moved_pixels(raster.pixels, matrix), raster.scale)
    return replace(page, raster=raster, primitives=primitives)


def moved_boxes(box: Boxes, matrix: Floats, size: tuple[float, float]) -> Boxes:
    """Boxes ``(n, 4)`` whose middles move about that of a page of this width and height, cut to the page."""
    centre = np.array(size) / 2
    middle = ((box[:, :2] + box[:, 2:]) / 2 - centre) @ matrix.T + centre
    half = (box[:, 2:] - box[:, :2]) / 2
    return np.clip(np.hstack([middle - half, middle + half]), 0.0, size * 2)


def moved_pixels(pixels: Pixels, matrix: Floats) -> Pixels:
    """A picture ``(h, w)`` or ``(h, w, 3)`` moved about its middle, same shape.

    Every pixel is one of the picture: mixing neighbours would make pale rules too pale to be seen and their
    sides look like tinted ground. What comes in from beyond an edge looks like the edge, so that no line
    appears that is not on the paper.
    """
    height, width = pixels.shape[:2]
    out = np.empty_like(pixels)
    (x_of_x, x_of_y), (y_of_x, y_of_y) = np.linalg.inv(matrix)
    x = np.arange(width) - (width - 1) / 2
    for first in range(0, height, _ROWS):
        y = (np.arange(first, min(first + _ROWS, height)) - (height - 1) / 2)[:, None]
        column = _whole(x_of_x * x + x_of_y * y + (width - 1) / 2, width)
        row = _whole(y_of_x * x + y_of_y * y + (height - 1) / 2, height)
        out[first : first + _ROWS] = pixels[row, column]
    return out


def _whole(position: Floats, size: int) -> npt.NDArray[np.intp]:
    return np.clip(np.rint(position), 0, size - 1).astype(np.intp)
