# SPDX-License-Identifier: Apache-2.0
"""What the index wants to know of a page's content: its text, and whether it has structure at all.

Both are read with the reader the detectors use. Words that were cropped away count, because near-duplicates
are told by what files say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.pdf.page import PageNeeds
from acromeld.structure.availability import structure_available

if TYPE_CHECKING:
    from acromeld.pdf.document import Document


def page_content(document: Document, index: int) -> tuple[str, bool]:
    """Text of a page in content order, and whether it has structure; an unreadable page has neither."""
    page = document.read_page(index, PageNeeds(cropped_words=True))
    text = "" if page.primitives is None else " ".join(page.primitives.words.text)
    return text, structure_available(page)
