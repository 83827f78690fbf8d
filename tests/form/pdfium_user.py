# SPDX-License-Identifier: Apache-2.0
"""A person at a PDFium viewer (Chrome): clicks into fields, types, toggles, saves.

Everything goes through the form-fill interface a viewer uses, so a widget that cannot be clicked or typed
into fails here even when its dictionary looks right.
"""

import io
from collections.abc import Sequence

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as raw

from acromeld.pdf.frame import PageFrame


class PdfiumUser:
    """An open document with a form-fill environment; ``saved()`` gives the file as a viewer would save it."""

    def __init__(self, data: bytes, frame: PageFrame, page: int = 0) -> None:
        self._document = pdfium.PdfDocument(data)
        self._document.init_forms()
        self._page = self._document[page]
        self._frame = frame

    def click(self, box: Sequence[float]) -> None:
        """Press and release in the middle of a displayed box."""
        left, bottom, right, top = self._frame.to_pdf(np.array([box]))[0]
        x, y = (left + right) / 2, (bottom + top) / 2
        raw.FORM_OnMouseMove(self._form, self._page.raw, 0, x, y)
        raw.FORM_OnLButtonDown(self._form, self._page.raw, 0, x, y)
        raw.FORM_OnLButtonUp(self._form, self._page.raw, 0, x, y)

    def type(self, box: Sequence[float], text: str) -> None:
        """Click into a field, type, and leave it, which commits the value."""
        self.click(box)
        for character in text:
            self.enter(character)
        raw.FORM_ForceToKillFocus(self._form)

    def enter(self, character: str) -> None:
        """A key, for whichever field has the focus."""
        raw.FORM_OnChar(self._form, self._page.raw, ord(character), 0)

    def press_tab(self) -> None:
        raw.FORM_OnKeyDown(self._form, self._page.raw, raw.FWL_VKEY_Tab, 0)

    def saved(self) -> bytes:
        raw.FORM_ForceToKillFocus(self._form)
        buffer = io.BytesIO()
        self._document.save(buffer)
        return buffer.getvalue()

    def close(self) -> None:
        self._page.close()
        self._document.close()

    @property
    def _form(self) -> object:
        assert self._document.formenv is not None
        return self._document.formenv.raw


def fill(
    data: bytes,
    frame: PageFrame,
    *,
    typed: dict[Sequence[float], str],
    clicked: Sequence[Sequence[float]] = (),
) -> bytes:
    """Type into some boxes, click others, save."""
    user = PdfiumUser(data, frame)
    for box, text in typed.items():
        user.type(box, text)
    for box in clicked:
        user.click(box)
    result = user.saved()
    user.close()
    return result
