# SPDX-License-Identifier: Apache-2.0
"""Reading one document for the index: pages, widgets, rejections, and the sketch of its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acromeld.corpus.content import open_content, page_content
from acromeld.corpus.sketch import hash_items, minhash, shingles
from acromeld.errors import AcromeldError
from acromeld.pdf.source import load_source, open_pikepdf, page_frame
from acromeld.pdf.widgets import page_widgets

if TYPE_CHECKING:
    from pathlib import Path

    import pikepdf
    import pypdfium2

    from acromeld.corpus.sketch import Hashes
    from acromeld.fields import Box
    from acromeld.pdf.source import Source

SKETCH_SIZE = 256
MIN_SHINGLES = 60
"""A text of fewer five-word runs (about half a paragraph) says too little to be called a copy of another."""


@dataclass(frozen=True)
class PageScan:
    """One page: displayed size, rotation, whether it has structure, its widgets and what was rejected.

    Attributes:
        widgets: Kind and displayed box of each valid widget, in order of /Annots.
        rejected: Class (empty when unknown), reason and count.
    """

    width: float
    height: float
    rotation: int
    structure: bool
    widgets: tuple[tuple[str, Box], ...] = ()
    rejected: tuple[tuple[str, str, int], ...] = ()


@dataclass(frozen=True)
class DocumentScan:
    """One file as found: its actual content hash, and its pages or the sentence why there are none."""

    file: str
    sha256: str
    size: int
    pages: tuple[PageScan, ...] = ()
    problem: str = ""
    sketch: Hashes | None = field(default=None, compare=False)


def scan_document(folder: Path, file: str, *, with_text: bool = True) -> DocumentScan:
    """Read a file; one that cannot be opened is returned with its problem, never raised."""
    try:
        source = load_source(folder / file)
    except AcromeldError as error:
        return DocumentScan(file, "", 0, problem=type(error).__name__)
    try:
        pages, texts = _scan_pages(source)
    except AcromeldError as error:
        return DocumentScan(file, source.sha256, len(source.data), problem=type(error).__name__)
    sketch = text_sketch("\n".join(texts)) if with_text else None
    return DocumentScan(file, source.sha256, len(source.data), pages, sketch=sketch)


def text_sketch(text: str) -> Hashes | None:
    """The sketch ``(256,)`` of a document's text, none when there is too little of it."""
    hashes = hash_items(shingles(text))
    return minhash(hashes, SKETCH_SIZE) if len(hashes) >= MIN_SHINGLES else None


def _scan_pages(source: Source) -> tuple[tuple[PageScan, ...], list[str]]:
    pages: list[PageScan] = []
    texts: list[str] = []
    with open_pikepdf(source) as pdf, open_content(source) as content:
        for index, page in enumerate(pdf.pages):
            scan, text = _scan_page(page, content, index)
            pages.append(scan)
            texts.append(text)
    return tuple(pages), texts


def _scan_page(page: pikepdf.Page, content: pypdfium2.PdfDocument | None, index: int) -> tuple[PageScan, str]:
    frame = page_frame(page)
    found = page_widgets(page, frame)
    text, structure = page_content(content, index)
    rejected = sorted((str(kind or ""), str(reason), n) for (kind, reason), n in found.rejected.items())
    widgets = tuple((str(widget.kind), widget.box) for widget in found.widgets)
    scan = PageScan(frame.width, frame.height, frame.rotation, structure, widgets, tuple(rejected))
    return scan, text
