# SPDX-License-Identifier: Apache-2.0
"""Where a widget lies in PDF space, and how its appearance is turned to read upright on the displayed page.

A page with /Rotate 90 is shown turned clockwise, so its widgets are turned counterclockwise by the same
angle: /MK /R says so for viewers that make new appearances, and the /Matrix of ours does it (ISO 32000-2,
12.5.6.19).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from acromeld.fields import Box
    from acromeld.pdf.frame import PageFrame

Matrix = tuple[float, float, float, float, float, float]

_DECIMALS = 4
"""Of coordinates: finer than any device, coarse enough to keep files small."""


@dataclass(frozen=True)
class Placement:
    """A widget rectangle with its upright size.

    Attributes:
        rect: ``(left, bottom, right, top)`` in PDF space.
        width: Across the displayed page, in PDF units.
        height: Down the displayed page, in PDF units.
        rotation: Value of /MK /R.
        user_unit: Points per PDF unit, for sizes that are given in points.
    """

    rect: Box
    width: float
    height: float
    rotation: int
    user_unit: float

    @property
    def matrix(self) -> Matrix:
        """Turns the upright box ``[0 0 width height]`` into the rectangle, its corner at the origin."""
        if self.rotation == 90:
            return (0, 1, -1, 0, self.height, 0)
        if self.rotation == 180:
            return (-1, 0, 0, -1, self.width, self.height)
        if self.rotation == 270:
            return (0, -1, 1, 0, 0, self.width)
        return (1, 0, 0, 1, 0, 0)


def place(box: Box, frame: PageFrame) -> Placement:
    """The placement of a displayed box."""
    left, bottom, right, top = (rounded(value) for value in frame.to_pdf(np.array([box]))[0])
    across, up = rounded(right - left), rounded(top - bottom)
    if frame.rotation % 180:
        across, up = up, across
    return Placement((left, bottom, right, top), across, up, frame.rotation, frame.user_unit)


def rounded(value: float) -> float:
    """A coordinate as it is written; never the negative zero."""
    return round(float(value), _DECIMALS) + 0.0
