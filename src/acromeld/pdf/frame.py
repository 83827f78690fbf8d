# SPDX-License-Identifier: Apache-2.0
"""The one mapping between PDF space and the page as displayed.

PDF user space has its origin anywhere and y upwards (ISO 32000-2, 8.3.2.3); what a person sees is the
CropBox clipped to the MediaBox (14.11.2), turned clockwise by /Rotate and magnified by /UserUnit. Peers
that map boxes in several places get rotated or cropped pages wrong, so everything here goes through
`PageFrame`, in both directions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes

LETTER: tuple[float, float, float, float] = (0.0, 0.0, 612.0, 792.0)


@dataclass(frozen=True)
class PageFrame:
    """Visible region of a page and how it is turned.

    Attributes:
        crop: Visible rectangle in PDF space, ``(left, bottom, right, top)``.
        rotation: Clockwise turn for display: 0, 90, 180 or 270.
        user_unit: Size of one PDF unit in points.
    """

    crop: tuple[float, float, float, float]
    rotation: int = 0
    user_unit: float = 1.0

    @property
    def width(self) -> float:
        """Displayed width in points."""
        return self._size()[0]

    @property
    def height(self) -> float:
        """Displayed height in points."""
        return self._size()[1]

    def _size(self) -> tuple[float, float]:
        left, bottom, right, top = self.crop
        size = ((right - left) * self.user_unit, (top - bottom) * self.user_unit)
        return size if self.rotation % 180 == 0 else (size[1], size[0])

    def to_display(self, boxes: Boxes) -> Boxes:
        """PDF-space boxes ``(n, 4)`` as ``[x0, y0, x1, y1]`` on the displayed page.

        Corners may come in any order; the result is ordered.
        """
        left, bottom, right, top = self.crop
        x = boxes[:, [0, 2]]
        y = boxes[:, [1, 3]]
        if self.rotation == 0:
            across, down = x - left, top - y
        elif self.rotation == 90:
            across, down = y - bottom, x - left
        elif self.rotation == 180:
            across, down = right - x, y - bottom
        else:
            across, down = top - y, right - x
        return self._stack(across * self.user_unit, down * self.user_unit)

    def shows(self, boxes: Boxes) -> npt.NDArray[np.bool_]:
        """Which displayed boxes ``(n, 4)`` lie on the page at least in part; ``(n,)``.

        What was cropped away is in the file still, printers' notes and the other half of a spread, say, but
        nobody who looks at the page sees it.
        """
        x0, y0, x1, y1 = boxes.T
        on_page = (x1 >= 0) & (y1 >= 0) & (x0 <= self.width) & (y0 <= self.height)
        shown: npt.NDArray[np.bool_] = on_page & np.isfinite(boxes.sum(axis=1))
        return shown

    def to_pdf(self, boxes: Boxes) -> Boxes:
        """Displayed boxes ``(n, 4)`` as PDF rectangles ``[left, bottom, right, top]``."""
        left, bottom, right, top = self.crop
        across = boxes[:, [0, 2]] / self.user_unit
        down = boxes[:, [1, 3]] / self.user_unit
        if self.rotation == 0:
            x, y = left + across, top - down
        elif self.rotation == 90:
            x, y = left + down, bottom + across
        elif self.rotation == 180:
            x, y = right - across, bottom + down
        else:
            x, y = right - down, top - across
        return self._stack(x, y)

    @staticmethod
    def _stack(x: Boxes, y: Boxes) -> Boxes:
        return np.column_stack([x.min(1), y.min(1), x.max(1), y.max(1)])


def visible_region(
    media: tuple[float, float, float, float] | None, crop: tuple[float, float, float, float] | None
) -> tuple[float, float, float, float]:
    """The rectangle viewers show: CropBox clipped to MediaBox, US Letter when there is no usable box.

    A CropBox that misses the MediaBox altogether is ignored, as Acrobat and poppler do.
    """
    page = _ordered(media) or LETTER
    wanted = _ordered(crop)
    if wanted is None:
        return page
    left, bottom = max(page[0], wanted[0]), max(page[1], wanted[1])
    right, top = min(page[2], wanted[2]), min(page[3], wanted[3])
    return (left, bottom, right, top) if left < right and bottom < top else page


def _ordered(
    box: tuple[float, float, float, float] | None,
) -> tuple[float, float, float, float] | None:
    """The box with its corners in order; none when it has no area or is not finite."""
    if box is None or not np.all(np.isfinite(box)):
        return None
    ordered = (min(box[0], box[2]), min(box[1], box[3]), max(box[0], box[2]), max(box[1], box[3]))
    return ordered if ordered[0] < ordered[2] and ordered[1] < ordered[3] else None
