# SPDX-License-Identifier: Apache-2.0
"""Which fields go on which page: the fields file held against the document.

A fields file may be hand-edited, old, or made for another file. What cannot be meant is refused with a
sentence; what a person could not use is left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import BadFields
from acromeld.form.existing import visible_widget_boxes
from acromeld.form.objects import all_pages
from acromeld.form.order import tab_order
from acromeld.geometry import as_boxes, centre, overlap
from acromeld.pdf.source import page_frame
from acromeld.pdf.widgets import MIN_SIDE

if TYPE_CHECKING:
    import numpy.typing as npt
    from pikepdf import Page, Pdf

    from acromeld.fields import DocumentFields, Field, PageRef
    from acromeld.geometry import Boxes
    from acromeld.pdf.frame import PageFrame
    from acromeld.pdf.source import Source

    Flags = npt.NDArray[np.bool_]

OVERLAP = 0.3
"""A new field that overlaps an existing widget this much (`geometry.overlap`) is the same field."""

_SIZE_TOLERANCE = 1.0
_ROUNDING = 1e-3


@dataclass(frozen=True)
class Sheet:
    """One page and the fields to put on it, in tab order.

    Attributes:
        index: 0-based page index.
        page: The page to write on.
        frame: Its frame.
        fields: New fields.
        occupied: How many fields were left out because an existing widget is in the place.
        unusable: How many were left out because they are too small or not on the page.
    """

    index: int
    page: Page
    frame: PageFrame
    fields: tuple[Field, ...]
    occupied: int = 0
    unusable: int = 0


def check_identity(source: Source, fields: DocumentFields, *, force: bool) -> list[str]:
    """The fields must have been made for exactly this file; forced, a note says that they were not."""
    if fields.document.sha256 == source.sha256:
        return []
    if not force:
        raise BadFields(f"The fields were made for {fields.document.name}, not for this {source.name}.")
    return [f"The fields were made for another file, {fields.document.name}."]


def make_sheets(pdf: Pdf, fields: DocumentFields, name: str) -> list[Sheet]:
    """The pages of the fields file matched with those of the document, in page order.

    A page that could not be read is left out, and with it whatever its author put there.
    """
    by_index: dict[int, list[Field]] = {}
    for entry in fields.pages:
        if entry.fields or not entry.skipped:
            by_index.setdefault(entry.page.index, []).extend(entry.fields)
    pages = all_pages(pdf, name)
    frames = {entry.page.index: _matching_frame(pages, entry.page, name) for entry in fields.pages}
    return [
        Sheet(index, pages[index], frames[index], tuple(tab_order(by_index[index])))
        for index in sorted(by_index)
    ]


def without_unusable(sheet: Sheet) -> Sheet:
    """Leave out fields that are too small to use or whose middle is not on the visible page."""
    boxes = _boxes(sheet)
    middle = centre(boxes)
    big = (boxes[:, 2:] - boxes[:, :2] >= MIN_SIDE - _ROUNDING).all(axis=1)
    inside = ((middle >= 0) & (middle <= (sheet.frame.width, sheet.frame.height))).all(axis=1)
    kept = _select(sheet, np.asarray(big & inside))
    return replace(sheet, fields=kept, unusable=len(sheet.fields) - len(kept))


def without_occupied(sheet: Sheet) -> Sheet:
    """Leave out fields that lie on a visible existing widget, of whatever kind."""
    present = visible_widget_boxes(sheet.page, sheet.frame)
    taken = np.asarray((overlap(_boxes(sheet), present) >= OVERLAP).any(axis=1))
    kept = _select(sheet, ~taken)
    return replace(sheet, fields=kept, occupied=len(sheet.fields) - len(kept))


def _boxes(sheet: Sheet) -> Boxes:
    return as_boxes([field.box for field in sheet.fields])


def _select(sheet: Sheet, keep: Flags) -> tuple[Field, ...]:
    return tuple(field for field, wanted in zip(sheet.fields, keep, strict=True) if wanted)


def _matching_frame(pages: list[Page], wanted: PageRef, name: str) -> PageFrame:
    if wanted.index >= len(pages):
        count = f"{len(pages)} page{'' if len(pages) == 1 else 's'}"
        raise BadFields(f"The fields name page {wanted.index + 1}, but {name} has {count}.")
    frame = page_frame(pages[wanted.index])
    gap = max(abs(frame.width - wanted.width), abs(frame.height - wanted.height))
    if gap > _SIZE_TOLERANCE:
        raise BadFields(
            f"Page {wanted.index + 1} of {name} is {frame.width:.0f} x {frame.height:.0f} points, "
            f"but the fields were made for {wanted.width:.0f} x {wanted.height:.0f}."
        )
    return frame
