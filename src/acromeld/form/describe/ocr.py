# SPDX-License-Identifier: Apache-2.0
"""Words of scanned pages, read by an OCR engine when one is installed.

The engine is rapidocr (the ``ocr`` extra), whose models come inside its wheel; nothing is downloaded. It is
looked for, not imported, until a page needs it. Without it scans keep honest names: "Text field 3, page 2".
"""

from __future__ import annotations

from enum import StrEnum
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.pdf.page import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from acromeld.pdf.page import Page, Raster

    Pixels = npt.NDArray[np.uint8]
    Line = tuple[npt.NDArray[np.float64], str, float]
    Engine = Callable[[Pixels], Sequence[Line]]


class Ocr(StrEnum):
    """Whether scans are read: where an engine is installed, or never."""

    AUTO = "auto"
    OFF = "off"


MIN_CONFIDENCE = 0.6
_REGULAR = 400.0


def ocr_installed() -> bool:
    """Whether an engine can be imported; nothing is."""
    return find_spec("rapidocr") is not None


def needs_ocr(page: Page) -> bool:
    """Whether the page has a picture and no words, neither printed nor in an OCR layer.

    That holds for scans and for pages whose letters are drawn as shapes.
    """
    return page.raster is not None and (page.primitives is None or len(page.primitives.words) == 0)


def read_words(page: Page, engine: Engine | None = None) -> Words:
    """The words of a scanned page; none when no engine is there or it fails on the picture."""
    if page.raster is None or (engine is None and not ocr_installed()):
        return Words.empty()
    return lines_to_words((engine or _rapid())(page.raster.pixels), page.raster)


def lines_to_words(lines: Sequence[Line], raster: Raster) -> Words:
    """Lines of text as an engine gives them, corners ``(4, 2)`` in pixels, cut into words in points.

    Engines box whole lines; each word gets the share of the line that its letters take.
    """
    boxes: list[list[float]] = []
    texts: list[str] = []
    sizes: list[float] = []
    for corners, text, confidence in lines:
        if confidence < MIN_CONFIDENCE or not text.strip():
            continue
        x0, y0 = corners.min(0) / raster.scale
        x1, y1 = corners.max(0) / raster.scale
        each = (x1 - x0) / max(len(text), 1)
        for start, word in _positions(text):
            boxes.append([x0 + each * start, y0, x0 + each * (start + len(word)), y1])
            texts.append(word)
            sizes.append(float(y1 - y0) * 0.8)
    if not texts:
        return Words.empty()
    yes, no = np.ones(len(texts), dtype=np.bool_), np.zeros(len(texts), dtype=np.bool_)
    weight = np.full(len(texts), _REGULAR)
    return Words(np.array(boxes), tuple(texts), np.array(sizes), weight, yes, no, yes)


def _positions(text: str) -> list[tuple[int, str]]:
    out: list[tuple[int, str]] = []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        out.append((at, word))
        at += len(word)
    return out


@cache
def _rapid() -> Engine:
    """The engine rapidocr behind the face of an `Engine`."""
    from rapidocr import RapidOCR  # type: ignore[import-not-found, unused-ignore]

    recognise: Any = RapidOCR(params={"Global.log_level": "critical"})

    def engine(pixels: Pixels) -> Sequence[Line]:
        colour = np.repeat(pixels[..., None], 3, axis=2) if pixels.ndim == 2 else pixels
        found = recognise(colour)
        if found.boxes is None or found.txts is None:
            return []
        rows = zip(found.boxes, found.txts, found.scores, strict=True)
        return [(np.asarray(box, dtype=np.float64), str(text), float(score)) for box, text, score in rows]

    return engine
