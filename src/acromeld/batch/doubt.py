# SPDX-License-Identifier: Apache-2.0
"""Pages that a person should look at, and small pictures of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.batch.job import Doubt
from acromeld.drawing import Colour, as_rgb, draw_boxes, png_bytes
from acromeld.fields import KINDS
from acromeld.geometry import as_boxes
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.batch.job import Parts
    from acromeld.fields import DocumentFields, Field, PageFields
    from acromeld.recovery import PageSource

MARGIN = 0.1
"""A field this close above the threshold of its class is one the detector nearly left out."""

PICTURES = 3
"""Pages shown of one document at the most, so that one odd binder does not fill the report."""

_LONG_SIDE = 420
_DOUBTFUL: Colour = (205, 92, 20)
_SURE: Colour = (23, 105, 170)


def doubts(fields: DocumentFields) -> list[Doubt]:
    """Pages with doubtful fields or with notes (skipped, cut short), the most doubtful first."""
    found = [Doubt(page=page.page.index, fields=len(_doubtful(page, fields))) for page in fields.pages]
    noted = {page.page.index for page in fields.pages if page.notes}
    kept = [doubt for doubt in found if doubt.fields or doubt.page in noted]
    return sorted(kept, key=lambda doubt: (-doubt.fields, doubt.page))


def pictures(document: PageSource, fields: DocumentFields, worst: Sequence[Doubt]) -> Parts:
    """PNG files of the worst pages, doubtful fields in another colour; a page without a picture has none."""
    by_index = {page.page.index: page for page in fields.pages}
    wanted = sorted(doubt.page for doubt in worst[:PICTURES])
    made: Parts = {}
    for page in document.pages(PageNeeds(raster_long_side=_LONG_SIDE, primitives=False), wanted):
        if page.raster is None:
            continue
        picture = as_rgb(page.raster.pixels)
        shown = by_index[page.index]
        unsure = _doubtful(shown, fields)
        for group, colour in ((shown.fields, _SURE), (unsure, _DOUBTFUL)):
            draw_boxes(picture, as_boxes([field.box for field in group]) * page.raster.scale, colour)
        made[f"page-{page.index + 1}"] = png_bytes(picture)
    return made


def _doubtful(page: PageFields, fields: DocumentFields) -> list[Field]:
    point = fields.operating_point
    if point is None:
        return []
    limit = dict(zip(KINDS, point.thresholds(), strict=True))
    return [field for field in page.fields if field.score < limit[field.kind] + MARGIN]
