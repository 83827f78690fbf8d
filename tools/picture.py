# SPDX-License-Identifier: Apache-2.0
"""A picture of a fillable form as PDFium shows it, fields tinted; optionally beside the original.

python tools/picture.py OUT.png FORM.pdf [ORIGINAL.pdf] [--page 1] [--fill]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pypdfium2
import pypdfium2.raw as raw

from acromeld.drawing import write_png
from acromeld.fields import FieldKind
from acromeld.pdf.document import open_document

SCALE = 1.35
TINT, ALPHA = (0xC4, 0xDF, 0xFB), 110


def shown(path: Path, page_number: int, *, fill: bool) -> np.ndarray:
    """The page as RGB, ``(h, w, 3)``, form fields drawn and tinted."""
    document = pypdfium2.PdfDocument(path)
    document.init_forms()
    page = document[page_number]
    if document.formenv:
        raw.FPDF_SetFormFieldHighlightColor(document.formenv, 0, int.from_bytes(bytes(TINT[::-1])))
        raw.FPDF_SetFormFieldHighlightAlpha(document.formenv, ALPHA)
        if fill:
            type_into_fields(document, page)
    bitmap = page.render(scale=SCALE, may_draw_forms=True, rev_byteorder=True)
    picture = np.array(bitmap.to_numpy())[:, :, :3]
    tint_signatures(picture, path, page_number)
    return picture


def tint_signatures(picture: np.ndarray, path: Path, page_number: int) -> None:
    """Colour signature fields as well; PDFium leaves them out, other viewers do not."""
    with open_document(path) as document:
        widgets = document.widgets(page_number).widgets
    for widget in widgets:
        if widget.kind is FieldKind.SIGNATURE:
            x0, y0, x1, y1 = (max(round(SCALE * side), 0) for side in widget.box)
            place = picture[y0:y1, x0:x1]
            place[:] = place + (np.array(TINT) - place.astype(float)) * ALPHA / 255


def type_into_fields(document: pypdfium2.PdfDocument, page: pypdfium2.PdfPage) -> None:
    """Click into every field: tick some boxes, type a word into text fields."""
    samples = ["Okafor", "Adaeze", "14 Mill Lane", "3 B", "Riverside", "50210", "Ireland"]
    form = document.formenv
    height = page.get_height()
    for number in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, number)
        box = raw.FS_RECTF()
        raw.FPDFAnnot_GetRect(annotation, box)
        kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
        raw.FPDFPage_CloseAnnot(annotation)
        x, y = (box.left + box.right) / 2, (box.top + box.bottom) / 2
        if kind == raw.FPDF_FORMFIELD_CHECKBOX and number % 3 == 0:
            click(form, page, x, y)
        elif (
            kind == raw.FPDF_FORMFIELD_TEXTFIELD
            and samples
            and box.right - box.left > 40
            and height - y < 225
        ):
            click(form, page, x, y)
            for character in samples.pop(0):
                raw.FORM_OnChar(form, page, ord(character), 0)
            raw.FORM_ForceToKillFocus(form)


def click(form: object, page: pypdfium2.PdfPage, x: float, y: float) -> None:
    """Move, press and release at a place in PDF space."""
    raw.FORM_OnMouseMove(form, page, 0, x, y)
    raw.FORM_OnLButtonDown(form, page, 0, x, y)
    raw.FORM_OnLButtonUp(form, page, 0, x, y)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("form", type=Path)
    parser.add_argument("original", type=Path, nargs="?")
    parser.add_argument("--page", type=int, default=1)
    parser.add_argument("--fill", action="store_true")
    given = parser.parse_args()
    pictures = [shown(given.form, given.page - 1, fill=given.fill)]
    if given.original:
        pictures.insert(0, shown(given.original, given.page - 1, fill=False))
    gap = np.full((pictures[0].shape[0], 18, 3), 210, dtype=np.uint8)
    row = [part for picture in pictures for part in (picture, gap)][:-1]
    write_png(np.concatenate(row, axis=1), given.out)


if __name__ == "__main__":
    main()
