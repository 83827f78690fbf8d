# SPDX-License-Identifier: Apache-2.0
"""The way back: the fields of an existing form, and the same document without them.

Together they turn any form into a question with a known answer, for the round trip, tests and evaluation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.fields import MAX_CELLS, DocumentFields, DocumentRef, Field, FieldKind, PageFields, PageRef
from acromeld.form.existing import remove_widgets
from acromeld.form.objects import all_pages, catalog
from acromeld.form.saving import document_bytes
from acromeld.pdf.source import open_pikepdf, page_frame
from acromeld.pdf.widgets import page_widgets

if TYPE_CHECKING:
    from pikepdf import Page

    from acromeld.pdf.source import Source
    from acromeld.pdf.widgets import NativeWidget


def fields_from_widgets(source: Source) -> DocumentFields:
    """The native widgets of every page as fields; pages without any are listed, too."""
    with open_pikepdf(source) as pdf:
        pages = tuple(_page_fields(index, page) for index, page in enumerate(all_pages(pdf, source.name)))
    return DocumentFields(document=DocumentRef(name=source.name, sha256=source.sha256), pages=pages)


def strip_widgets(source: Source) -> bytes:
    """The document without its form: no widgets, no /AcroForm; links and comments stay. Deterministic."""
    with open_pikepdf(source) as pdf:
        remove_widgets(pdf, all_pages(pdf, source.name))
        root = catalog(pdf)
        if "/AcroForm" in root:
            del root["/AcroForm"]
        return document_bytes(pdf, source.name)


def _page_fields(index: int, page: Page) -> PageFields:
    frame = page_frame(page)
    found = page_widgets(page, frame)
    return PageFields(
        page=PageRef(index=index, width=frame.width, height=frame.height),
        fields=tuple(_field(widget) for widget in found.widgets),
    )


def _field(widget: NativeWidget) -> Field:
    return Field(
        kind=widget.kind,
        box=widget.box,
        origin="native",
        name=widget.name.strip() or None,
        tooltip=widget.tooltip.strip() or None,
        group=widget.group,
        order=widget.order,
        multiline=widget.multiline if widget.kind is FieldKind.TEXT else None,
        # A comb of more cells than there can be is an author's mistake, and a plain text field to us.
        comb=widget.comb if widget.comb is not None and widget.comb <= MAX_CELLS else None,
    )
