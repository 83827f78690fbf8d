# SPDX-License-Identifier: Apache-2.0
"""What the index wants to know of a page's content: its text, and whether it has structure at all.

The one place of the corpus room that asks PDFium. "Structure available" is the paper's column of pages with
extracted PDF primitives: a page that is only a picture, with or without an invisible OCR layer, has none.
"""

from __future__ import annotations

import ctypes
import io
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pypdfium2
import pypdfium2.raw as pdfium

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acromeld.pdf.source import Source

_DEPTH = 8
_WHOLE_PAGE = 0.95
_INVISIBLE_TEXT = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)


@contextmanager
def open_content(source: Source) -> Iterator[pypdfium2.PdfDocument | None]:
    """The document in PDFium, closed afterwards; none when PDFium cannot open what qpdf could repair."""
    try:
        document = pypdfium2.PdfDocument(io.BytesIO(source.data), password=source.password)
    except pypdfium2.PdfiumError:
        yield None
        return
    try:
        yield document
    finally:
        document.close()


def page_content(document: pypdfium2.PdfDocument | None, index: int) -> tuple[str, bool]:
    """Text of a page and whether it has structure; a page PDFium cannot load has neither."""
    if document is None or index >= len(document):
        return "", False
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return "", False
    try:
        return _text(page), structure_available(page)
    finally:
        page.close()


def _text(page: pypdfium2.PdfPage) -> str:
    try:
        text_page = page.get_textpage()
    except pypdfium2.PdfiumError:
        return ""
    try:
        return str(text_page.get_text_range())
    except pypdfium2.PdfiumError:
        return ""
    finally:
        text_page.close()


def structure_available(page: pypdfium2.PdfPage) -> bool:
    """Whether anything is drawn as visible text or as a path that is more than the page's background."""
    try:
        return any(_is_structure(item, page) for item in page.get_objects(max_depth=_DEPTH))
    except pypdfium2.PdfiumError:
        return False


def _is_structure(item: pypdfium2.PdfObject, page: pypdfium2.PdfPage) -> bool:
    if item.type == pdfium.FPDF_PAGEOBJ_TEXT:
        return pdfium.FPDFTextObj_GetTextRenderMode(item) not in _INVISIBLE_TEXT
    return item.type == pdfium.FPDF_PAGEOBJ_PATH and _painted(item) and not _background(item, page)


def _painted(path: pypdfium2.PdfObject) -> bool:
    """A path that is neither filled nor stroked only clips."""
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
    return bool(fill.value or stroke.value)


def _background(path: pypdfium2.PdfObject, page: pypdfium2.PdfPage) -> bool:
    """Scanning programs paint the sheet white before the picture; that is no structure."""
    left, bottom, right, top = path.get_bounds()
    width, height = page.get_size()
    return bool(right - left >= _WHOLE_PAGE * width and top - bottom >= _WHOLE_PAGE * height)
