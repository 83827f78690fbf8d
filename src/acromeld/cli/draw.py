# SPDX-License-Identifier: Apache-2.0
"""Pictures of what was found: fields drawn over their pages, for ``acromeld detect --draw``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.drawing import as_rgb, draw_boxes, png_bytes
from acromeld.fields import FieldKind
from acromeld.form.from_widgets import fields_from_widgets
from acromeld.form.output import write_atomically
from acromeld.geometry import as_boxes, overlap
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from acromeld.drawing import Colour
    from acromeld.fields import DocumentFields, Field
    from acromeld.pdf.isolation import IsolatedDocument

COLOURS: dict[FieldKind, Colour] = {
    FieldKind.TEXT: (23, 105, 170),
    FieldKind.CHOICE: (22, 125, 102),
    FieldKind.SIGNATURE: (140, 60, 160),
}
FALSE_ALARM: Colour = (205, 40, 40)
MISSED: Colour = (235, 140, 20)
_LONG_SIDE = 1400
_SAME_FIELD = 0.3


def draw_document(
    document: IsolatedDocument, fields: DocumentFields, target: Path, *, overwrite: bool
) -> None:
    """One picture per page: ``target`` for the first, ``target-2`` and so on for the rest.

    When the document has fields of its own, what they do not confirm is drawn as a false alarm, and those
    nobody found as missed.
    """
    native = {page.page.index: page.fields for page in fields_from_widgets(document.source).pages}
    judged = any(native.values())
    found = {page.page.index: page.fields for page in fields.pages}
    for page in document.pages(PageNeeds(raster_long_side=_LONG_SIDE, primitives=False)):
        if page.raster is None:
            continue
        picture = as_rgb(page.raster.pixels)
        truth = native.get(page.index, ())
        for field, colour in _coloured(found.get(page.index, ()), truth, judged=judged):
            draw_boxes(picture, as_boxes([field.box]) * page.raster.scale, colour)
        write_atomically(png_bytes(picture), picture_path(target, page.index), overwrite=overwrite)


def picture_path(target: Path, index: int) -> Path:
    """Where the picture of a page goes."""
    number = "" if index == 0 else f"-{index + 1}"
    return target.with_name(f"{target.stem}{number}{target.suffix or '.png'}")


def _coloured(found: Sequence[Field], truth: Sequence[Field], *, judged: bool) -> list[tuple[Field, Colour]]:
    """Every field to draw with its colour; the class does not matter for being confirmed."""
    if not judged:
        return [(field, COLOURS[field.kind]) for field in found]
    agree = overlap(as_boxes([f.box for f in found]), as_boxes([t.box for t in truth])) >= _SAME_FIELD
    drawn = [
        (field, COLOURS[field.kind] if row.any() else FALSE_ALARM)
        for field, row in zip(found, agree, strict=True)
    ]
    return drawn + [(field, MISSED) for field, column in zip(truth, agree.T, strict=True) if not column.any()]
