# SPDX-License-Identifier: Apache-2.0
"""What the index wants to know of a page's content: its text, and whether it has structure at all.

"Structure available" is the paper's column of pages with extracted PDF primitives, read with the reader the
detectors use. A page that is only a picture, with or without an invisible OCR layer, has none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import PageNeeds, ShapeKind

if TYPE_CHECKING:
    from acromeld.pdf.document import Document
    from acromeld.pdf.page import Page

_WHOLE_PAGE = 0.95


def page_content(document: Document, index: int) -> tuple[str, bool]:
    """Text of a page in content order, and whether it has structure; an unreadable page has neither."""
    page = document.read_page(index, PageNeeds(primitives=True))
    text = "" if page.primitives is None else " ".join(page.primitives.words.text)
    return text, structure_available(page)


def structure_available(page: Page) -> bool:
    """Whether anything is drawn as visible text, or as a shape that is more than the page's background.

    Scanning programs paint the sheet white before the picture; that is no structure.
    """
    if page.primitives is None:
        return False
    words, shapes = page.primitives.words, page.primitives.shapes
    extent = shapes.box[:, 2:] - shapes.box[:, :2]
    background = (extent >= _WHOLE_PAGE * np.array([page.width, page.height])).all(axis=1)
    return bool(words.visible.any() or ((shapes.kind != ShapeKind.IMAGE) & ~background).any())
