# SPDX-License-Identifier: Apache-2.0
"""What the document says about itself: its language and its title.

Screen readers need the language to pronounce anything, and announce the title instead of a file name. What
the author wrote stays; only what is missing is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.form.objects import catalog, dict_at, text_at
from acromeld.form.spoken import OUR_LANGUAGE, plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pikepdf import Dictionary, Pdf

    from acromeld.fields import DocumentFields
    from acromeld.form.spoken import Spoken
    from acromeld.pdf.page import Words

_DC_TITLE = "dc:title"
_NO_TITLES = frozenset({"", "untitled", "untitled document", "unknown"})
"""What programs write where nobody gave a title."""

_UNREADABLE = (pikepdf.PdfError, ValueError, TypeError, RuntimeError)
_LONGEST = 120
_UPPER_PART = 0.5
_CLEARLY_LARGER = 1.2
_SAME_SIZE = 0.95


def name_document(pdf: Pdf, fields: DocumentFields, words: Words | None) -> None:
    """Add language, title and the wish to show the title, each only where it is missing."""
    root = catalog(pdf)
    if fields.language and not text_at(root, "/Lang"):
        root["/Lang"] = pikepdf.String(fields.language)
    _settle_title(pdf, heading(words) or file_title(fields.document.name))
    preferences = dict_at(root, "/ViewerPreferences")
    if preferences is None:
        root["/ViewerPreferences"] = pikepdf.Dictionary(DisplayDocTitle=True)
    else:
        preferences["/DisplayDocTitle"] = True


def speak_for_silent_pages(pdf: Pdf, spoken: Iterable[Spoken], words: Mapping[int, Words]) -> None:
    """State our own language where no page has a single word and every name is one that we made up.

    Then nothing else in the document can be read aloud. A page whose words are in an unknown language gets no
    such statement: it would be spoken with a wrong voice.
    """
    root = catalog(pdf)
    silent = bool(words) and not any(map(len, words.values()))
    if silent and not text_at(root, "/Lang") and all(name.language == OUR_LANGUAGE for name in spoken):
        root["/Lang"] = pikepdf.String(OUR_LANGUAGE)


def metadata_title(pdf: Pdf) -> str:
    """The title in the metadata stream; empty when there is none, or no metadata that can be read."""
    if not isinstance(catalog(pdf).get("/Metadata"), pikepdf.Stream):
        return ""
    try:
        # Not as a context manager, which would write the metadata back.
        metadata = pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False)
        return plain(str(metadata.get(_DC_TITLE) or ""))
    except _UNREADABLE:
        return ""


def heading(words: Words | None) -> str:
    """The first line in the largest type of the upper half of a page, if clearly larger than the rest."""
    if words is None or not len(words):
        return ""
    useful = words.visible & words.upright & ~words.symbolic & (words.size > 0)
    if not useful.any():
        return ""
    upper = useful & (words.box[:, 1] <= words.box[useful, 3].max() * _UPPER_PART)
    if not upper.any():
        return ""
    largest = float(words.size[upper].max())
    if largest < _CLEARLY_LARGER * float(np.median(words.size[useful])):
        return ""
    rows = np.flatnonzero(upper & (words.size >= _SAME_SIZE * largest))
    top = words.box[rows, 1].min()
    line = rows[words.box[rows, 1] < top + largest / 2]
    return plain(" ".join(words.text[row] for row in line))[:_LONGEST]


def file_title(name: str) -> str:
    """A file name as a title: no ending, spaces instead of joiners."""
    stem = name.rsplit("/", 1)[-1].removesuffix(".pdf").removesuffix(".PDF")
    return plain(stem.replace("_", " ").replace("-", " ")) or "Form"


def _settle_title(pdf: Pdf, proposal: str) -> None:
    """One title in both places: PDF/UA reads the metadata, older viewers the information dictionary."""
    in_metadata, in_information = metadata_title(pdf), plain(text_at(_information(pdf), "/Title"))
    known = [title for title in (in_metadata, in_information) if title.casefold() not in _NO_TITLES]
    title = known[0] if known else proposal
    if in_information.casefold() in _NO_TITLES:
        pdf.docinfo["/Title"] = pikepdf.String(title)
    if in_metadata.casefold() not in _NO_TITLES:
        return
    try:
        with pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as metadata:
            metadata[_DC_TITLE] = title
    except _UNREADABLE:
        # Metadata that cannot be parsed stays as it is; the information dictionary has the title.
        return


def _information(pdf: Pdf) -> Dictionary | None:
    return dict_at(pdf.trailer, "/Info") if isinstance(pdf.trailer, pikepdf.Dictionary) else None
