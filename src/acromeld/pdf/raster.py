# SPDX-License-Identifier: Apache-2.0
"""The page as pixels, with annotations and widgets left out.

Drawing a widget would show the detector the answer (a filled-in field, a highlighted box), so it never
happens, in training or in use.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import Raster

if TYPE_CHECKING:
    import pypdfium2

    from acromeld.pdf.frame import PageFrame
    from acromeld.pdf.limits import Limits


def fitting_scale(frame: PageFrame, long_side: int, limits: Limits) -> float:
    """Pixels per displayed point so that the longer side has ``long_side`` pixels, within the pixel limit."""
    scale = long_side / max(frame.width, frame.height)
    pixels = frame.width * frame.height * scale * scale
    return scale * min(1.0, math.sqrt(limits.raster_pixels / pixels))


def render(page: pypdfium2.PdfPage, frame: PageFrame, scale: float, *, colour: bool = False) -> Raster:
    """Render a loaded page at ``scale`` pixels per displayed point, grey or RGB."""
    bitmap = page.render(
        # PDFium measures pages in PDF units; UserUnit only magnifies the display.
        scale=scale * frame.user_unit,
        grayscale=not colour,
        rev_byteorder=colour,
        may_draw_forms=False,
        draw_annots=False,
    )
    try:
        pixels = np.array(bitmap.to_numpy())
    finally:
        bitmap.close()
    if colour:
        pixels = np.ascontiguousarray(pixels[:, :, :3])
    elif pixels.ndim == 3:
        pixels = pixels[:, :, 0]
    return Raster(pixels, scale)
