# SPDX-License-Identifier: Apache-2.0
"""Nothing a detector sees depends on the form fields a file has."""

import io

import numpy as np
import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String

from acromeld.form.from_widgets import strip_widgets
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.pdf.source import load_source
from acromeld.structure.evidence import derive_evidence
from acromeld.structure.tokens import page_tokens
from tests.pdf.drawn import drawn, saved

FLAT = (
    "BT /F1 10 Tf 20 250 Td (Name: ________) Tj 0 -40 Td (Yes) Tj ET "
    "60 205 12 12 re S 20 150 m 180 150 l S 20 60 160 60 re S"
)
RECTS = [(60, 246, 140, 262), (60, 205, 72, 217), (20, 150, 180, 170), (20, 60, 180, 120)]
SEEN = PageNeeds(raster_long_side=900, colour=True)


def appearance(pdf: pikepdf.Pdf) -> pikepdf.Object:
    """A black box with text on it, as conspicuous as can be."""
    content = b"0 g 0 0 400 400 re f 1 g BT /Helv 12 Tf 2 2 Td (FILLED IN) Tj ET"
    font = Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    resources = Dictionary(Font=Dictionary(Helv=font))
    return pdf.make_stream(
        content, Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 400, 400]), Resources=resources
    )


def form(
    *kinds: str, visible: bool = True, name: str = "field", flags: int = 0, tooltip: str | None = None
) -> bytes:
    pdf = pikepdf.open(io.BytesIO(drawn(FLAT)))
    made = []
    for number, (kind, rect) in enumerate(zip(kinds, RECTS, strict=True)):
        widget = Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name(kind), Rect=Array(rect), F=4, Ff=flags
        )
        widget["/T"] = String(f"{name}{number}")
        if tooltip:
            widget["/TU"] = String(tooltip)
        if visible:
            widget["/AP"] = Dictionary(N=appearance(pdf))
            widget["/MK"] = Dictionary(BG=Array([1, 0, 0]), BC=Array([0, 0, 0]))
            widget["/V"] = String("FILLED IN")
        made.append(pdf.make_indirect(widget))
    pdf.pages[0].obj["/Annots"] = Array(made)
    pdf.Root["/AcroForm"] = Dictionary(Fields=Array(made), NeedAppearances=True)
    return saved(pdf)


def everything_seen(data: bytes) -> dict[str, object]:
    with open_document(data) as document:
        page = document.read_page(0, SEEN)
        shown = len(document.widgets(0).widgets)
    tokens = page_tokens(page.primitives, page.width, page.height)
    evidence = derive_evidence(page.primitives, page.width, page.height)
    seen = {"widgets": shown, "pixels": page.raster.pixels}
    for part in (page.primitives.words, page.primitives.shapes, tokens, evidence):
        seen |= {f"{type(part).__name__}.{name}": column for name, column in vars(part).items()}
    return seen


BASE = form("/Tx", "/Btn", "/Sig", "/Tx")
CHANGED = {
    "other types": form("/Btn", "/Tx", "/Tx", "/Ch"),
    "other names": form("/Tx", "/Btn", "/Sig", "/Tx", name="signature_date"),
    "other flags": form("/Tx", "/Btn", "/Sig", "/Tx", flags=1 << 12 | 1 << 24),
    "tooltips": form("/Tx", "/Btn", "/Sig", "/Tx", tooltip="Your full name"),
    "no appearances": form("/Tx", "/Btn", "/Sig", "/Tx", visible=False),
    "no widgets": strip_widgets(load_source(BASE)),
    "never had any": drawn(FLAT),
}


@pytest.mark.parametrize("data", CHANGED.values(), ids=CHANGED.keys())
def test_words_shapes_tokens_evidence_and_pixels_stay_the_same(data):
    ours, theirs = everything_seen(BASE), everything_seen(data)
    assert ours.pop("widgets") == 4
    assert theirs.pop("widgets") in (0, 4)
    assert ours.keys() == theirs.keys()
    assert [name for name in ours if not np.array_equal(ours[name], theirs[name])] == []


def test_the_comparison_would_notice_a_drawn_widget():
    """The appearance is visible when a viewer draws it, so the test above can fail."""
    with pypdfium2.PdfDocument(BASE) as pdf:
        pdf.init_forms()
        drawn_widgets = pdf[0].render(grayscale=True).to_numpy().copy()
        bare = pdf[0].render(grayscale=True, may_draw_forms=False, draw_annots=False).to_numpy().copy()
    assert (drawn_widgets != bare).mean() > 0.05
