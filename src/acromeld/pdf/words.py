# SPDX-License-Identifier: Apache-2.0
"""Words of a page from PDFium's text layer.

PDFium gives characters in content order and puts spaces where the gaps are. Characters are grouped into
words here; a run of underscores or leader dots becomes a word of its own, because it is where people write,
and so does a change between a text font and a symbol font, because ``☐Yes`` is a box and a label.
"""

from __future__ import annotations

import ctypes
import math
import re
from ctypes import byref, c_double, c_float, c_uint
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf import pdfium
from acromeld.pdf.page import Words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acromeld.pdf.frame import PageFrame

BOX_CHARACTERS = "☐☑☒□■▢▣◻◼◽⬜⬛❏❐❑❒❍○◯◌●◉⚪⭕🔲🔳▯⎕"
"""Boxes and circles to tick; each is a word of its own, also where a label follows without a space."""

_LETTER = rf"[^\s_.·…{BOX_CHARACTERS}]"
_PIECE = re.compile(
    rf"_{{2,}}|[.·…]{{3,}}|[{BOX_CHARACTERS}]"
    # What follows the first letters is optional and begins with no letter, so nothing is ever given back:
    # "Total....." is a word and a leader. Possessive quantifiers would say so; Python 3.11.2 has them wrong.
    rf"|{_LETTER}+(?:[_.·…]{{1,2}}{_LETTER}+)*(?:[.·…]{{1,2}}(?![.·…]))?"
    r"|\S"
)
_SYMBOL_FONT = re.compile(r"ding|symbol|zadb|marlett|webdings|check|wing", re.IGNORECASE)
_BOLD_FONT = re.compile(r"bold|black|heavy|demi|[-,]bd", re.IGNORECASE)
_REGULAR, _BOLD = 400.0, 700.0
_HYPHEN = 2
"""PDFium's stand-in for a hyphen at the end of a line."""


@dataclass(frozen=True)
class _Run:
    """What all characters of one text object share."""

    size: float
    weight: float
    visible: bool
    symbolic: bool
    upright: bool


def read_words(page: int, frame: PageFrame, limit: int, *, cropped: bool = False) -> tuple[Words, bool]:
    """Words of the page at PDFium handle ``page``; at most ``limit``, and whether there were more.

    With ``cropped`` also those that lie beyond its edges.
    """
    text_page = pdfium.text_load(page)
    if not text_page:
        return Words.empty(), False
    try:
        words, more = _Reader(text_page, frame).read(limit)
        return words if cropped else words.take(frame.shows(words.box)), more
    finally:
        pdfium.text_close(text_page)


class _Reader:
    """Reads one text page; keeps what is known about its text objects and fonts."""

    def __init__(self, text_page: int, frame: PageFrame) -> None:
        self.text_page = text_page
        self.frame = frame
        self.runs: dict[int, _Run] = {}
        self.fonts: dict[int, tuple[float, bool]] = {}

    def read(self, limit: int) -> tuple[Words, bool]:
        text, objects = self._characters()
        boxes: list[tuple[float, float, float, float]] = []
        texts: list[str] = []
        runs: list[_Run] = []
        for start, end in self._spans(text, objects):
            if len(texts) >= limit:
                return self._words(boxes, texts, runs), True
            box = self._box(start, end - start)
            if box is not None:
                boxes.append(box)
                texts.append(text[start:end])
                runs.append(self._run(objects[start] or 0, start))
        return self._words(boxes, texts, runs), False

    def _characters(self) -> tuple[str, list[int | None]]:
        """All characters as one string, one per PDFium index, and the text object behind each."""
        page, count = self.text_page, max(pdfium.text_count(self.text_page), 0)
        codes = [pdfium.char_unicode(page, index) for index in range(count)]
        objects = [pdfium.char_object(page, index) for index in range(count)]
        return "".join(map(_character, codes)), objects

    def _spans(self, text: str, objects: list[int | None]) -> Iterator[tuple[int, int]]:
        for match in _PIECE.finditer(text):
            start, end = match.span()
            first, last = objects[start], objects[end - 1]
            if first == last:
                yield start, end
            else:
                yield from self._split_at_symbols(start, end, objects)

    def _split_at_symbols(self, start: int, end: int, objects: list[int | None]) -> Iterator[tuple[int, int]]:
        for _, group in groupby(range(start, end), key=lambda i: self._run(objects[i] or 0, i).symbolic):
            indices = list(group)
            yield indices[0], indices[-1] + 1

    def _box(self, start: int, count: int) -> tuple[float, float, float, float] | None:
        """Union of the rectangles PDFium has for a range of characters, in PDF space."""
        rectangles = pdfium.rect_count(self.text_page, start, count)
        left = top = right = bottom = 0.0
        for index in range(rectangles):
            pdfium.rect_get(self.text_page, index, *_RECT_OUT)
            x0, y1, x1, y0 = (corner.value for corner in _RECT)
            if index == 0:
                left, bottom, right, top = x0, y0, x1, y1
            else:
                left, bottom, right, top = min(left, x0), min(bottom, y0), max(right, x1), max(top, y1)
        if rectangles < 1 or right <= left or not math.isfinite(left + bottom + right + top):
            return None
        return left, bottom, right, top

    def _run(self, text_object: int, index: int) -> _Run:
        run = self.runs.get(text_object)
        if run is None:
            run = self.runs[text_object] = self._read_run(text_object, index)
        return run

    def _read_run(self, text_object: int, index: int) -> _Run:
        if not text_object:
            return _Run(0.0, _REGULAR, visible=True, symbolic=False, upright=True)
        pdfium.text_font_size(text_object, byref(_SIZE))
        pdfium.char_matrix(self.text_page, index, byref(_MATRIX))
        a, b, c, d, _, _ = _MATRIX.values()
        weight, symbolic = self._font(pdfium.text_font(text_object) or 0)
        turned = math.degrees(math.atan2(b, a)) - self.frame.rotation
        return _Run(
            size=abs(_SIZE.value) * math.hypot(c, d) * self.frame.user_unit,
            weight=weight,
            visible=_is_visible(text_object),
            symbolic=symbolic,
            upright=abs(math.sin(math.radians(turned))) < 0.1,
        )

    def _font(self, font: int) -> tuple[float, bool]:
        """Weight of a font and whether it is a symbol font."""
        known = self.fonts.get(font)
        if known is None:
            name = _font_name(font)
            known = self.fonts[font] = _weight(font, name), bool(_SYMBOL_FONT.search(name))
        return known

    def _words(
        self, boxes: list[tuple[float, float, float, float]], texts: list[str], runs: list[_Run]
    ) -> Words:
        if not texts:
            return Words.empty()
        return Words(
            box=self.frame.to_display(np.array(boxes)),
            text=tuple(texts),
            size=np.array([run.size for run in runs]),
            weight=np.array([run.weight for run in runs]),
            visible=np.array([run.visible for run in runs]),
            symbolic=np.array([run.symbolic for run in runs]),
            upright=np.array([run.upright for run in runs]),
        )


_RECT = [c_double() for _ in range(4)]
_RECT_OUT = [byref(corner) for corner in _RECT]
_SIZE = c_float()
_MATRIX = pdfium.Matrix()
_RGBA = [c_uint() for _ in range(4)]
_RGBA_OUT = [byref(channel) for channel in _RGBA]


def _character(code: int) -> str:
    """One string position per PDFium character, so that string and PDFium indices agree."""
    if code == _HYPHEN:
        return "-"
    if 0xD800 <= code <= 0xDFFF or code > 0x10FFFF or code == 0:
        return "\ufffd"
    return chr(code)


def _is_visible(text_object: int) -> bool:
    if pdfium.text_render_mode(text_object) == pdfium.RENDER_INVISIBLE:
        return False
    return not pdfium.fill_colour(text_object, *_RGBA_OUT) or _RGBA[3].value > 0


def _weight(font: int, name: str) -> float:
    """What the font descriptor says; fonts that are not embedded have none, and then the name tells."""
    stated = pdfium.font_weight(font) if font else 0
    weight = min(max(float(stated), 100.0), 1000.0) if stated > 0 else _REGULAR
    return max(weight, _BOLD) if _BOLD_FONT.search(name) else weight


def _font_name(font: int) -> str:
    if not font:
        return ""
    buffer = ctypes.create_string_buffer(128)
    pdfium.font_name(font, buffer, len(buffer))
    return buffer.value.decode("utf-8", "replace")
