# SPDX-License-Identifier: Apache-2.0
"""Whether a page has structure of its own, and what to work with when it has not.

"Structure available" is the paper's column of pages with extracted PDF primitives. A page that is only a
picture has none; its primitives are inferred from the raster instead. Many scans carry the words an OCR
program found, visible or not: these are kept, because a word says more than the blob it makes in a picture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import Primitives, ShapeKind
from acromeld.structure.inferred import infer_primitives

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.pdf.page import Page

_WHOLE_PAGE = 0.95
_MOST_OF_PAGE = 0.6
_FEW = 12
"""Shapes or words on top of a scan (a stamp, a page number) that do not make it born digital."""
_HARDLY_WRITTEN = 40
"""Visible words; nearly every form has more, so on a page with fewer the rest may be drawn."""


def structure_available(page: Page) -> bool:
    """Whether anything is drawn as visible text, or as a shape that is more than the page's background."""
    if page.primitives is None:
        return False
    return bool(page.primitives.words.visible.any() or _drawn(page, page.primitives).any())


def usable_primitives(page: Page) -> tuple[Primitives | None, bool]:
    """The page's own primitives, or those inferred from its picture; and whether they are inferred."""
    if page.raster is None or not read_off_picture(page):
        return page.primitives, False
    return with_own_words(infer_primitives(page.raster), page.primitives), True


def read_off_picture(page: Page) -> bool:
    """Whether the picture of a page says more than its primitives: it has none, or it is a scan."""
    own = page.primitives
    return own is None or not structure_available(page) or _is_scan(page, own)


def hardly_written(page: Page) -> bool:
    """Whether a page has a structure of its own and next to no words in it; its picture may show more."""
    own = page.primitives
    if own is None or page.raster is None or int(own.words.visible.sum()) > _HARDLY_WRITTEN:
        return False
    return not read_off_picture(page)


def with_own_words(seen: Primitives, own: Primitives | None) -> Primitives:
    """What was seen in the picture of a page, with the page's own words if it has a text layer."""
    if own is None or len(own.words) <= _FEW:
        return seen
    return Primitives(own.words, seen.shapes)


def _drawn(page: Page, primitives: Primitives) -> npt.NDArray[np.bool_]:
    """Shapes that are neither pictures nor the white sheet scanning programs paint first; ``(n,)``."""
    shapes = primitives.shapes
    extent = shapes.box[:, 2:] - shapes.box[:, :2]
    background = (extent >= _WHOLE_PAGE * np.array([page.width, page.height])).all(axis=1)
    drawn: npt.NDArray[np.bool_] = (shapes.kind != ShapeKind.IMAGE) & ~background
    return drawn


def _is_scan(page: Page, primitives: Primitives) -> bool:
    """A picture of most of the page with next to no shape drawn on it, whatever is written there."""
    shapes = primitives.shapes
    picture = shapes.box[shapes.kind == ShapeKind.IMAGE]
    area = ((picture[:, 2] - picture[:, 0]) * (picture[:, 3] - picture[:, 1])).sum()
    few = _drawn(page, primitives).sum() <= _FEW
    return bool(few and area >= _MOST_OF_PAGE * page.width * page.height)
