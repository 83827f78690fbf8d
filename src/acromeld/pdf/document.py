# SPDX-License-Identifier: Apache-2.0
"""An open document: pages are read from it one at a time, in this process.

This is the direct path, for library users and for speed. A damaged file can crash or hang native code;
`acromeld.pdf.isolation` reads the same way in a process that can be thrown away.
"""

from __future__ import annotations

import io
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf
import pypdfium2

from acromeld.errors import LimitExceeded, NotAPdf
from acromeld.pdf import pdfium
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits
from acromeld.pdf.page import Page, PageNeeds, Primitives
from acromeld.pdf.raster import fitting_scale, render
from acromeld.pdf.shapes import read_shapes
from acromeld.pdf.source import Source, load_source, open_pikepdf, page_frame
from acromeld.pdf.widgets import PageWidgets, page_widgets
from acromeld.pdf.words import read_words

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from acromeld.pdf.frame import PageFrame


@dataclass(frozen=True)
class DocumentFacts:
    """What is known of a document before any page is read."""

    name: str
    sha256: str
    frames: tuple[PageFrame, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.frames)


class Document:
    """A document opened by both engines: qpdf for objects, PDFium for drawing and text."""

    def __init__(
        self,
        source: Source,
        objects: pikepdf.Pdf,
        drawing: pypdfium2.PdfDocument,
        facts: DocumentFacts,
        limits: Limits,
    ) -> None:
        self.source = source
        self.facts = facts
        self._objects = objects
        self._drawing = drawing
        self._limits = limits
        self._repaired = False

    def __len__(self) -> int:
        return len(self.facts)

    def read_page(self, index: int, needs: PageNeeds) -> Page:
        """Read one page; what cannot be had is left out and said in the notes."""
        frame = self.facts.frames[index]
        smallest, largest = self._limits.page_points
        if min(frame.width, frame.height) < smallest or max(frame.width, frame.height) > largest:
            size = f"{frame.width:.0f} x {frame.height:.0f} pt"
            return Page(
                index, frame, notes=(f"Page {index + 1} is {size}, outside the limits, and was skipped.",)
            )
        page = self._load(index)
        if page is None:
            return Page(index, frame, notes=(f"Page {index + 1} is damaged and was skipped.",))
        try:
            _show_as(page, frame)
            return self._read_loaded(page, index, frame, needs)
        finally:
            page.close()

    def _load(self, index: int) -> pypdfium2.PdfPage | None:
        """The page in PDFium; one that it does not find is looked for again in a repaired copy.

        With something else among the pages of the page tree, the two engines count pages differently.
        """
        with suppress(pypdfium2.PdfiumError):
            return self._drawing[index]
        if self._repaired:
            return None
        self._repaired = True
        with suppress(NotAPdf):
            drawing = _pdfium_open(_repaired(self._objects, self.source.name), None)
            if drawing is not None and len(drawing) == len(self):
                self._drawing.close()
                self._drawing = drawing
                return self._load(index)
        return None

    def _read_loaded(self, page: pypdfium2.PdfPage, index: int, frame: PageFrame, needs: PageNeeds) -> Page:
        notes: list[str] = []
        raster = primitives = None
        if needs.raster_long_side is not None:
            scale = fitting_scale(frame, needs.raster_long_side, self._limits)
            raster = render(page, frame, scale, colour=needs.colour)
        if needs.primitives:
            primitives, cut = read_primitives(page, frame, self._limits, cropped_words=needs.cropped_words)
            if cut:
                limit = f"{self._limits.primitives:,}"
                notes.append(f"Page {index + 1} has more than {limit} words or shapes; the rest was ignored.")
        return Page(index, frame, raster, primitives, tuple(notes))

    def widgets(self, index: int) -> PageWidgets:
        """The native widgets of a page; never part of what a detector sees."""
        return page_widgets(self._objects.pages[index], self.facts.frames[index])

    def close(self) -> None:
        """Give the memory of both engines back."""
        self._drawing.close()
        self._objects.close()


def _show_as(page: pypdfium2.PdfPage, frame: PageFrame) -> None:
    """Make PDFium show the page as the frame has it where the two read an odd page differently.

    PDFium turns a page with /Rotate 135 and shows nothing of one whose CropBox misses its MediaBox.
    """
    if page.get_rotation() != frame.rotation:
        page.set_rotation(frame.rotation)
    size = (frame.width / frame.user_unit, frame.height / frame.user_unit)
    if max(abs(ours - theirs) for ours, theirs in zip(size, page.get_size(), strict=True)) > 0.01:
        page.set_mediabox(*frame.crop)
        page.set_cropbox(*frame.crop)


def read_primitives(
    page: pypdfium2.PdfPage, frame: PageFrame, limits: Limits = DEFAULT_LIMITS, *, cropped_words: bool = False
) -> tuple[Primitives, bool]:
    """Words and shapes of a loaded page, and whether the limit cut some off."""
    handle = pdfium.address(page)
    shapes, shapes_cut = read_shapes(handle, frame, limits.primitives)
    words, words_cut = read_words(handle, frame, limits.primitives, cropped=cropped_words)
    return Primitives(words, shapes), shapes_cut or words_cut


@contextmanager
def open_document(
    source: str | os.PathLike[str] | bytes | Source,
    *,
    password: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Document]:
    """Open a PDF from a path or bytes; raises one of `acromeld.errors` with a sentence when it cannot be."""
    loaded = load_source(source, password=password, limits=limits)
    objects = open_pikepdf(loaded)
    document = None
    try:
        document = _open_drawing(loaded, objects, limits)
        yield document
    finally:
        if document is not None:
            document.close()
        else:
            objects.close()


def _open_drawing(source: Source, objects: pikepdf.Pdf, limits: Limits) -> Document:
    pages = _pages(objects, source.name, limits)
    notes = _protection_notes(objects, source)
    drawing = _pdfium_open(source.data, source.password)
    if drawing is None or len(drawing) != len(pages):
        notes.append(f"{source.name} is damaged; a repaired copy was read.")
        drawing = _pdfium_open(_repaired(objects, source.name), None)
    if drawing is None or len(drawing) != len(pages):
        raise NotAPdf(f"{source.name} is damaged: its pages cannot be told apart.")
    frames = tuple(page_frame(page) for page in pages)
    return Document(
        source, objects, drawing, DocumentFacts(source.name, source.sha256, frames, tuple(notes)), limits
    )


def _pages(objects: pikepdf.Pdf, name: str, limits: Limits) -> list[pikepdf.Page]:
    try:
        count = len(objects.pages)
        if count > limits.pages:
            raise LimitExceeded(f"{name} has {count:,} pages; the limit is {limits.pages:,}.")
        pages = list(objects.pages)
    except (pikepdf.PdfError, RuntimeError, ValueError):
        raise NotAPdf(f"{name} is damaged: its page tree cannot be read.") from None
    if not pages:
        raise NotAPdf(f"{name} has no pages.")
    return pages


def _protection_notes(objects: pikepdf.Pdf, source: Source) -> list[str]:
    if not objects.is_encrypted or source.password:
        return []
    return [
        f"{source.name} is encrypted with an empty password and was opened; its restrictions are not kept."
    ]


def _pdfium_open(data: bytes, password: str | None) -> pypdfium2.PdfDocument | None:
    with suppress(pypdfium2.PdfiumError):
        return pypdfium2.PdfDocument(data, password=password)
    return None


def _repaired(objects: pikepdf.Pdf, name: str) -> bytes:
    """The file as qpdf would write it: a sound cross-reference table and page tree, no encryption."""
    buffer = io.BytesIO()
    try:
        objects.save(buffer, encryption=False)
    except (pikepdf.PdfError, RuntimeError, ValueError):
        raise NotAPdf(f"{name} is damaged beyond repair.") from None
    return buffer.getvalue()
