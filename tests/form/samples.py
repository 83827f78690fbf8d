# SPDX-License-Identifier: Apache-2.0
"""Small documents made on the spot, and the calls that the form tests share."""

import io
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import pikepdf
from pikepdf import Array, Dictionary, Name, String
from reportlab.pdfgen.canvas import Canvas

from acromeld.fields import DocumentFields, DocumentRef, Field, FieldKind, PageFields, PageRef
from acromeld.pdf.source import Source, load_source, open_pikepdf, page_frame

LINK = "https://example.org/help"
TEXT, CHOICE, SIGNATURE = FieldKind.TEXT, FieldKind.CHOICE, FieldKind.SIGNATURE
Edit = Callable[[pikepdf.Pdf], None]

TEXT_BOX = (120.0, 90.0, 300.0, 108.0)
CHECK_BOX = (120.0, 130.0, 134.0, 144.0)
NOTES_BOX = (120.0, 160.0, 320.0, 240.0)
SIGN_BOX = (120.0, 260.0, 300.0, 290.0)
FIELDS = (
    Field(kind=TEXT, box=TEXT_BOX),
    Field(kind=CHOICE, box=CHECK_BOX),
    Field(kind=TEXT, box=NOTES_BOX),
    Field(kind=SIGNATURE, box=SIGN_BOX),
)


EXAMPLE = Path(__file__).parents[2] / "examples" / "application.pdf"
"""A form of two pages that looks like one; what `flat` draws is too little for a detector to be sure of."""


def flat(*, pages: int = 1, link: bool = True) -> bytes:
    """A flat form on US Letter paper: labels, a rule, a square, and a link."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(612, 792), invariant=True)
    for _ in range(pages):
        canvas.setFont("Helvetica", 9)
        canvas.drawString(60, 792 - 104, "Full name")
        canvas.line(120, 792 - 108, 300, 792 - 108)
        canvas.rect(120, 792 - 144, 14, 14)
        if link:
            canvas.linkURL(LINK, (60, 700, 160, 720))
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def edited(data: bytes, *edits: Edit) -> bytes:
    """The document after some changes made with pikepdf."""
    with pikepdf.open(io.BytesIO(data)) as pdf:
        for edit in edits:
            edit(pdf)
        buffer = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pikepdf.PageCopyWarning)
            pdf.save(buffer, deterministic_id=True)
    return buffer.getvalue()


def paged(
    *, rotation: int = 0, crop: Sequence[float] | None = None, unit: float | None = None, pages: int = 1
) -> bytes:
    """A flat form whose pages are turned, cropped and scaled."""

    def edit(pdf: pikepdf.Pdf) -> None:
        for page in pdf.pages:
            if rotation:
                page.obj["/Rotate"] = rotation
            if crop:
                page.obj["/CropBox"] = Array(crop)
            if unit:
                page.obj["/UserUnit"] = unit

    return edited(flat(pages=pages), edit)


def source(data: bytes, *, password: str | None = None) -> Source:
    return load_source(data, name="form.pdf", password=password)


def fields_for(document: Source, fields: Iterable[Field] = FIELDS, *, page: int = 0) -> DocumentFields:
    """Fields on one page of a document."""
    with open_pikepdf(document) as pdf:
        frame = page_frame(pdf.pages[page])
    ref = PageRef(index=page, width=frame.width, height=frame.height)
    return DocumentFields(
        document=DocumentRef(name=document.name, sha256=document.sha256),
        pages=(PageFields(page=ref, fields=tuple(fields)),),
    )


def add_widget(
    pdf: pikepdf.Pdf, rect: Sequence[float], name: str = "old", *, page: int = 0, **entries: object
) -> pikepdf.Object:
    """An existing field, written the way other software does it."""
    widget = Dictionary(
        Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String(name), Rect=Array(rect), F=4
    )
    for key, value in entries.items():
        widget[f"/{key}"] = value
    made = pdf.make_indirect(widget)
    if "/AcroForm" not in pdf.Root:
        pdf.Root["/AcroForm"] = Dictionary(Fields=Array())
    pdf.Root.AcroForm.Fields.append(made)
    target = pdf.pages[page].obj
    target["/Annots"] = Array([*target.get("/Annots", Array()), made])
    return made


def opened(data: bytes) -> pikepdf.Pdf:
    return pikepdf.open(io.BytesIO(data))


def annotations(pdf: pikepdf.Pdf, page: int = 0) -> list[pikepdf.Object]:
    return list(pdf.pages[page].obj.get("/Annots", ()))


def widget_named(pdf: pikepdf.Pdf, name: str, page: int = 0) -> pikepdf.Object:
    (found,) = [item for item in widgets(pdf, page) if str(item.T) == name]
    return found


def widgets(pdf: pikepdf.Pdf, page: int = 0) -> list[pikepdf.Object]:
    return [item for item in annotations(pdf, page) if item.Subtype == "/Widget"]
