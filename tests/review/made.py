# SPDX-License-Identifier: Apache-2.0
"""Forms made on the spot, the fields on them, and what a finished PDF holds."""

import hashlib
import io
from pathlib import Path

import pikepdf
from reportlab.pdfgen.canvas import Canvas

from acromeld.fields import (
    DetectorRef,
    DocumentFields,
    DocumentRef,
    Field,
    FieldKind,
    OperatingPoint,
    PageFields,
    PageRef,
    parse_document,
)
from acromeld.review.places import fields_path

WIDTH, HEIGHT = 400.0, 500.0
POINT = OperatingPoint(text=0.3, choice=0.3, signature=0.3)

NAME = Field(kind=FieldKind.TEXT, box=(100, 60, 260, 78), score=0.92, id="name", tooltip="Name")
STREET = Field(kind=FieldKind.TEXT, box=(100, 100, 260, 118), score=0.88, id="street", tooltip="Street")
AGREE = Field(kind=FieldKind.CHOICE, box=(100, 140, 112, 152), score=0.45, id="agree", tooltip="I agree")
SIGN = Field(kind=FieldKind.SIGNATURE, box=(100, 300, 280, 330), score=0.35, id="sign", tooltip="Signature")
FIELDS = (NAME, STREET, AGREE, SIGN)


def flat_pdf(pages: int = 1) -> bytes:
    """A flat form: labels, two ruled lines, a square, a line to sign on."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(WIDTH, HEIGHT), invariant=True)
    for number in range(pages):
        canvas.setFont("Helvetica", 9)
        canvas.drawString(40, HEIGHT - 74, f"Name {number + 1}")
        canvas.line(100, HEIGHT - 78, 260, HEIGHT - 78)
        canvas.drawString(40, HEIGHT - 114, "Street")
        canvas.line(100, HEIGHT - 118, 260, HEIGHT - 118)
        canvas.rect(100, HEIGHT - 152, 12, 12)
        canvas.drawString(120, HEIGHT - 150, "I agree")
        canvas.line(100, HEIGHT - 330, 280, HEIGHT - 330)
        canvas.drawString(100, HEIGHT - 342, "Signature")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def put_form(
    folder: Path, name: str = "form.pdf", *, pages: int = 1, fields: tuple[Field, ...] = FIELDS
) -> Path:
    """A form with a fields file beside it, as if another command had found the fields of its first page."""
    pdf = folder / name
    pdf.write_bytes(flat_pdf(pages))
    fields_path(pdf).write_text(document(pdf, pages=pages, fields=fields).to_json(), "utf-8")
    return pdf


def document(pdf: Path, *, pages: int = 1, fields: tuple[Field, ...] = FIELDS) -> DocumentFields:
    return DocumentFields(
        document=DocumentRef(name=pdf.name, sha256=hashlib.sha256(pdf.read_bytes()).hexdigest()),
        detector=DetectorRef(name="rules"),
        operating_point=POINT,
        pages=tuple(
            PageFields(
                page=PageRef(index=index, width=WIDTH, height=HEIGHT), fields=fields if index == 0 else ()
            )
            for index in range(pages)
        ),
    )


def saved_fields(pdf: Path) -> DocumentFields:
    """What the fields file says now."""
    return parse_document(fields_path(pdf).read_bytes())


def widgets(pdf: Path) -> list[tuple[str, str, tuple[float, ...]]]:
    """Kind, spoken name and displayed box of every widget, in the order of the Tab key."""
    found = []
    with pikepdf.open(pdf) as opened:
        for page in opened.pages:
            height = float(page.mediabox[3])
            for item in page.obj.get("/Annots", []):
                x0, y0, x1, y1 = (float(number) for number in item["/Rect"])
                box = tuple(round(side, 1) for side in (x0, height - y1, x1, height - y0))
                parent = item.get("/Parent", item)
                found.append((str(item.get("/FT", parent.get("/FT"))), str(item.get("/TU", "")), box))
    return found
