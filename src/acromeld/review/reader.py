# SPDX-License-Identifier: Apache-2.0
"""Pictures and guide lines of pages, read in a disposable process as they are asked for."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from acromeld.drawing import png_bytes
from acromeld.errors import LimitExceeded
from acromeld.pdf.isolation import IsolatedDocument, IsolatedReader
from acromeld.pdf.page import PageNeeds
from acromeld.structure.availability import usable_primitives
from acromeld.structure.evidence import derive_evidence
from acromeld.structure.rules import Rules, page_rules

if TYPE_CHECKING:
    from acromeld.drawing import Picture
    from acromeld.geometry import Floats
    from acromeld.pdf.document import DocumentFacts
    from acromeld.pdf.page import Page
    from acromeld.pdf.source import Source

    Guides = dict[str, list[list[float]]]

SIZES = (220, 1200, 2000, 3200)
"""Pixels of the longer side in which a page can be had: a thumbnail, and three steps of zoom."""

_PICTURES_KEPT = 48
_GUIDE_SIDE = 1600
"""Pixels in which a scanned page is searched for rules."""

_COMPRESSION = 3


class PageReader:
    """One reader process for all forms on the desk; requests wait for each other."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._reader = IsolatedReader()
        self._pictures: OrderedDict[tuple[str, int, int], bytes] = OrderedDict()

    def facts(self, source: Source) -> DocumentFacts:
        """Open the document; raises what is wrong with it."""
        with self._lock:
            return self._reader.open(source).facts

    def picture(self, source: Source, facts: DocumentFacts, index: int, long_side: int) -> bytes:
        """A page as PNG, with ``long_side`` pixels on its longer side."""
        key = (source.sha256, index, long_side)
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
                return self._pictures[key]
            page = self._read(source, facts, index, PageNeeds(long_side, colour=True, primitives=False))
        if page.raster is None:
            raise LimitExceeded(page.notes[-1] if page.notes else f"Page {index + 1} cannot be shown.")
        picture = png_bytes(without_idle_colour(page.raster.pixels), level=_COMPRESSION)
        with self._lock:
            self._pictures[key] = picture
            while len(self._pictures) > _PICTURES_KEPT:
                self._pictures.popitem(last=False)
        return picture

    def guides(self, source: Source, facts: DocumentFacts, index: int) -> Guides:
        """What boxes of a page snap to: rules as ``[at, low, high]``, and places one could write in."""
        with self._lock:
            page = self._read(source, facts, index, PageNeeds(_GUIDE_SIDE))
        primitives, _ = usable_primitives(page)
        if primitives is None:
            return {"horizontal": [], "vertical": [], "places": []}
        rules = page_rules(primitives.shapes)
        places = derive_evidence(primitives, page.width, page.height, rules).box
        return {
            "horizontal": _segments(rules.horizontal),
            "vertical": _segments(rules.vertical),
            "places": np.round(places, 2).tolist(),
        }

    def close(self) -> None:
        """End the reader process."""
        with self._lock:
            self._reader.discard()

    def _read(self, source: Source, facts: DocumentFacts, index: int, needs: PageNeeds) -> Page:
        document = IsolatedDocument(self._reader, source, facts)
        return next(document.pages(needs, [index]))


def _segments(rules: Rules) -> list[list[float]]:
    columns: Floats = np.column_stack([rules.at, rules.low, rules.high])
    segments: list[list[float]] = np.round(columns, 2).tolist()
    return segments


def without_idle_colour(pixels: Picture) -> Picture:
    """An RGB picture ``(h, w, 3)`` as grey ``(h, w)`` if it has no colour: a third of the bytes."""
    red, green, blue = pixels[:, :, 0], pixels[:, :, 1], pixels[:, :, 2]
    return red if np.array_equal(red, green) and np.array_equal(red, blue) else pixels
