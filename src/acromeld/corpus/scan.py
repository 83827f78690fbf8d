# SPDX-License-Identifier: Apache-2.0
"""Reading one document for the index: pages, widgets, rejections, and the sketch of its text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acromeld.corpus.content import page_content
from acromeld.corpus.sketch import hash_items, minhash, shingles
from acromeld.errors import AcromeldError
from acromeld.pdf.document import open_document
from acromeld.pdf.source import load_source

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.corpus.sketch import Hashes
    from acromeld.fields import Box
    from acromeld.pdf.document import Document

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


def scan_document(folder: Path, file: str, *, with_content: bool = True) -> DocumentScan:
    """Read a file; one that cannot be opened is returned with its problem, never raised.

    Without content, text and structure are not looked at: no sketch, and no page has structure.
    """
    try:
        source = load_source(folder / file)
    except AcromeldError as error:
        return DocumentScan(file, "", 0, problem=type(error).__name__)
    try:
        with open_document(source) as document:
            pages, text = _scan_pages(document, with_content)
    except AcromeldError as error:
        return DocumentScan(file, source.sha256, len(source.data), problem=type(error).__name__)
    return DocumentScan(file, source.sha256, len(source.data), pages, sketch=text_sketch(text))


def text_sketch(text: str) -> Hashes | None:
    """The sketch ``(256,)`` of a document's text, none when there is too little of it."""
    hashes = hash_items(shingles(text))
    return minhash(hashes, SKETCH_SIZE) if len(hashes) >= MIN_SHINGLES else None


def _scan_pages(document: Document, with_content: bool) -> tuple[tuple[PageScan, ...], str]:
    pages: list[PageScan] = []
    texts: list[str] = []
    for index, frame in enumerate(document.facts.frames):
        text, structure = page_content(document, index) if with_content else ("", False)
        found = document.widgets(index)
        rejected = sorted((str(kind or ""), str(reason), n) for (kind, reason), n in found.rejected.items())
        widgets = tuple((str(widget.kind), widget.box) for widget in found.widgets)
        size = (frame.width, frame.height, frame.rotation)
        pages.append(PageScan(*size, structure, widgets, tuple(rejected)))
        texts.append(text)
    return tuple(pages), "\n".join(texts)
