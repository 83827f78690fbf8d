# SPDX-License-Identifier: Apache-2.0
"""Fields the original has already: shown so that nobody draws over them, never changed here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.form.existing import visible_widget_boxes
from acromeld.pdf.source import open_pikepdf, page_frame

if TYPE_CHECKING:
    from acromeld.pdf.source import Source


def existing_boxes(source: Source, index: int) -> list[list[float]]:
    """Displayed boxes of the widgets of a page; none where they cannot be read, saving will tell."""
    try:
        with open_pikepdf(source) as pdf:
            page = pdf.pages[index]
            boxes: list[list[float]] = np.round(visible_widget_boxes(page, page_frame(page)), 2).tolist()
            return boxes
    except (pikepdf.PdfError, IndexError, TypeError, ValueError):
        return []
