# SPDX-License-Identifier: Apache-2.0
"""Pages drawn by hand-written content streams, and where their ink ends up."""

import io
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pikepdf
from pikepdf import Array, Dictionary, Name

from acromeld.pdf.document import open_document
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits
from acromeld.pdf.page import Page, PageNeeds, Primitives, Raster

FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "ZapfDingbats", "F4": "Courier"}
SIZE = (200.0, 300.0)


@dataclass(frozen=True)
class Form:
    """A Form XObject: what it draws, its matrix, and the forms it may draw in turn."""

    content: str
    matrix: tuple[float, ...] = (1, 0, 0, 1, 0, 0)
    box: tuple[float, ...] = (-1000, -1000, 1000, 1000)
    forms: Mapping[str, "Form"] = field(default_factory=dict)


def drawn(
    *contents: str | bytes,
    size: tuple[float, float] = SIZE,
    forms: Mapping[str, Form] | None = None,
    **entries: object,
) -> bytes:
    """A PDF with one page per content stream; ``entries`` go into every page dictionary."""
    pdf = pikepdf.new()
    for content in contents:
        page = pdf.add_blank_page(page_size=size)
        page.obj.Resources = _resources(pdf, forms or {})
        data = content.encode("latin-1") if isinstance(content, str) else content
        page.obj.Contents = pdf.make_stream(data)
        for key, value in entries.items():
            page.obj[f"/{key}"] = value
    return saved(pdf)


def saved(pdf: pikepdf.Pdf, **options: object) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)
        pdf.save(buffer, **({"static_id": True} | options))
    return buffer.getvalue()


def _resources(pdf: pikepdf.Pdf, forms: Mapping[str, Form]) -> Dictionary:
    fonts = {
        f"/{name}": Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{base}"))
        for name, base in FONTS.items()
    }
    states = {
        "/Clear": Dictionary(Type=Name.ExtGState, ca=0, CA=0),
        "/Half": Dictionary(Type=Name.ExtGState, ca=0.5, CA=0.5),
    }
    xobjects = {f"/{name}": _form(pdf, form) for name, form in forms.items()}
    return Dictionary(
        Font=Dictionary(fonts),
        ExtGState=Dictionary(states),
        XObject=Dictionary(xobjects | {"/Im": _image(pdf)}),
    )


def _form(pdf: pikepdf.Pdf, form: Form) -> pikepdf.Object:
    return pdf.make_stream(
        form.content.encode(),
        Type=Name.XObject,
        Subtype=Name.Form,
        BBox=Array(form.box),
        Matrix=Array(form.matrix),
        Resources=_resources(pdf, form.forms),
    )


def _image(pdf: pikepdf.Pdf) -> pikepdf.Object:
    """Four black pixels."""
    return pdf.make_stream(
        bytes(4),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=2,
        Height=2,
        ColorSpace=Name.DeviceGray,
        BitsPerComponent=8,
    )


def read(data: bytes, index: int = 0, *, limits: Limits = DEFAULT_LIMITS, **needs: object) -> Page:
    """One page, read in this process."""
    with open_document(data, limits=limits) as document:
        return document.read_page(index, PageNeeds(**needs))


def primitives(*contents: str, **entries: object) -> Primitives:
    """Words and shapes of a page drawn on the spot."""
    found = read(drawn(*contents, **entries)).primitives
    assert found is not None
    return found


def ink_box(raster: Raster, darker_than: int = 128) -> tuple[float, float, float, float]:
    """Bounds of the dark pixels in displayed points."""
    rows, columns = np.nonzero(raster.pixels < darker_than)
    assert len(rows), "nothing was drawn"
    edges = np.array([columns.min(), rows.min(), columns.max() + 1, rows.max() + 1])
    left, top, right, bottom = edges / raster.scale
    return float(left), float(top), float(right), float(bottom)
