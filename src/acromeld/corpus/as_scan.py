# SPDX-License-Identifier: Apache-2.0
"""A page as a scan of it: one picture of the whole sheet, nothing drawn, with or without a text layer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.degrade import degrade
from acromeld.pdf.page import Primitives, Raster, ShapeKind, Shapes, Words

if TYPE_CHECKING:
    from acromeld.pdf.page import Page


def as_scan(page: Page, rng: np.random.Generator | None = None, *, words: bool = False) -> Page:
    """What a reader would give if the page had been printed and scanned; boxes of fields stay true.

    Args:
        page: Read with picture and primitives.
        rng: Degrades the picture; none leaves it as clean as it was drawn.
        words: Keep the words, as an OCR program would have put them under the picture.
    """
    raster, kept = page.raster, Words.empty()
    if words and page.primitives is not None:
        kept = page.primitives.words
    if rng is not None and raster is not None:
        raster = Raster(degrade(raster.pixels, rng), raster.scale)
    return replace(page, raster=raster, primitives=Primitives(kept, _whole_sheet(page)))


def _whole_sheet(page: Page) -> Shapes:
    count, no = np.zeros(1, dtype=np.int32), np.zeros(1, dtype=np.bool_)
    kind = np.array([ShapeKind.IMAGE], dtype=np.int8)
    box = np.array([[0.0, 0.0, page.width, page.height]])
    return Shapes(kind, box, np.zeros(1), no, np.ones(1), np.ones(1), count, count, no)
