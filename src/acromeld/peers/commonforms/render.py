# SPDX-License-Identifier: Apache-2.0
"""The page as the peer sees it: PDFium, annotations and form fields not drawn.

PDFium applies crop and rotation and measures in PDF units; it knows nothing of /UserUnit. Detections come
back to displayed points by the size of the picture on each axis, which also absorbs PDFium's rounding of
the picture to whole pixels.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    import numpy.typing as npt
    import pypdfium2

    from acromeld.geometry import Boxes
    from acromeld.pdf.frame import PageFrame
    from acromeld.peers.commonforms.profiles import Profile

_SAME_SHAPE = 0.01


@dataclass(frozen=True)
class Picture:
    """A rendered page.

    Attributes:
        pixels: ``(h, w, 3)`` RGB.
        frame: The page as displayed.
    """

    pixels: npt.NDArray[np.uint8]
    frame: PageFrame

    def to_points(self, boxes: Boxes) -> Boxes:
        """Pixel boxes ``(n, 4)`` in displayed points."""
        height, width = self.pixels.shape[:2]
        across, down = self.frame.width / width, self.frame.height / height
        points: Boxes = boxes * np.array([across, down, across, down])
        return points

    def notes(self) -> tuple[str, ...]:
        """A sentence when PDFium shows a page of another shape than our frame says."""
        height, width = self.pixels.shape[:2]
        ratio = (width / height) / (self.frame.width / self.frame.height)
        # A picture of few pixels on a side cannot have the shape of its page more closely than this.
        tolerance = _SAME_SHAPE + 1.0 / min(height, width)
        return () if abs(ratio - 1.0) <= tolerance else ("PDFium shows this page in another shape.",)


def render(
    page: pypdfium2.PdfPage, frame: PageFrame, profile: Profile, limits: Limits = DEFAULT_LIMITS
) -> Picture:
    """Render a page as the profile asks."""
    bitmap = page.render(
        scale=render_scale(page.get_size(), profile, limits),
        rev_byteorder=True,
        draw_annots=False,
        may_draw_forms=False,
    )
    try:
        return Picture(np.array(bitmap.to_numpy()[:, :, :3]), frame)
    finally:
        bitmap.close()


def render_scale(size: tuple[float, float], profile: Profile, limits: Limits = DEFAULT_LIMITS) -> float:
    """Pixels per PDF unit, lowered where the picture would have more pixels than the limit."""
    scale = (profile.dpi or 72.0) / 72.0
    if profile.short_side is not None:
        scale = profile.short_side / min(size)
    return min(scale, math.sqrt(limits.raster_pixels / (size[0] * size[1])))
