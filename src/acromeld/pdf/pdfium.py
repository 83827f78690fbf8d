# SPDX-License-Identifier: Apache-2.0
"""PDFium's small accessors, declared so that calling them thousands of times a page is cheap.

pypdfium2 binds every function with checked pointer types, which costs more than the call itself when a page
has thousands of characters and path segments. Here the same exported functions are bound again with handles
as plain addresses (which also makes a handle usable as a dictionary key) and without releasing the
interpreter lock, since each returns in nanoseconds.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_double, c_float, c_int, c_uint, c_ulong, c_void_p
from typing import TYPE_CHECKING, Any

import pypdfium2.raw as raw

if TYPE_CHECKING:
    from collections.abc import Callable


def address(handle: Any) -> int:
    """The address behind a pypdfium2 handle or helper object."""
    return ctypes.cast(getattr(handle, "raw", handle), c_void_p).value or 0


def _bind(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    return ctypes.PYFUNCTYPE(result, *arguments)(address(getattr(raw, name)))


class Matrix(ctypes.Structure):
    """FS_MATRIX: ``x' = a x + c y + e``, ``y' = b x + d y + f``."""

    _fields_ = [(name, c_float) for name in "abcdef"]

    def values(self) -> tuple[float, float, float, float, float, float]:
        """The six numbers as Python floats."""
        return self.a, self.b, self.c, self.d, self.e, self.f


# Text page
text_load = _bind("FPDFText_LoadPage", c_void_p, c_void_p)
text_close = _bind("FPDFText_ClosePage", None, c_void_p)
text_count = _bind("FPDFText_CountChars", c_int, c_void_p)
char_unicode = _bind("FPDFText_GetUnicode", c_uint, c_void_p, c_int)
char_object = _bind("FPDFText_GetTextObject", c_void_p, c_void_p, c_int)
char_matrix = _bind("FPDFText_GetMatrix", c_int, c_void_p, c_int, POINTER(Matrix))
rect_count = _bind("FPDFText_CountRects", c_int, c_void_p, c_int, c_int)
rect_get = _bind("FPDFText_GetRect", c_int, c_void_p, c_int, *[POINTER(c_double)] * 4)

# Text objects and fonts
text_render_mode = _bind("FPDFTextObj_GetTextRenderMode", c_int, c_void_p)
text_font_size = _bind("FPDFTextObj_GetFontSize", c_int, c_void_p, POINTER(c_float))
text_font = _bind("FPDFTextObj_GetFont", c_void_p, c_void_p)
font_weight = _bind("FPDFFont_GetWeight", c_int, c_void_p)
font_name = _bind("FPDFFont_GetBaseFontName", c_ulong, c_void_p, c_char_p, c_ulong)

# Page objects
page_object_count = _bind("FPDFPage_CountObjects", c_int, c_void_p)
page_object = _bind("FPDFPage_GetObject", c_void_p, c_void_p, c_int)
form_object_count = _bind("FPDFFormObj_CountObjects", c_int, c_void_p)
form_object = _bind("FPDFFormObj_GetObject", c_void_p, c_void_p, c_ulong)
object_type = _bind("FPDFPageObj_GetType", c_int, c_void_p)
object_matrix = _bind("FPDFPageObj_GetMatrix", c_int, c_void_p, POINTER(Matrix))
fill_colour = _bind("FPDFPageObj_GetFillColor", c_int, c_void_p, *[POINTER(c_uint)] * 4)
stroke_colour = _bind("FPDFPageObj_GetStrokeColor", c_int, c_void_p, *[POINTER(c_uint)] * 4)
stroke_width = _bind("FPDFPageObj_GetStrokeWidth", c_int, c_void_p, POINTER(c_float))
dash_count = _bind("FPDFPageObj_GetDashCount", c_int, c_void_p)

# Paths
draw_mode = _bind("FPDFPath_GetDrawMode", c_int, c_void_p, POINTER(c_int), POINTER(c_int))
segment_count = _bind("FPDFPath_CountSegments", c_int, c_void_p)
path_segment = _bind("FPDFPath_GetPathSegment", c_void_p, c_void_p, c_int)
segment_point = _bind("FPDFPathSegment_GetPoint", c_int, c_void_p, POINTER(c_float), POINTER(c_float))
segment_type = _bind("FPDFPathSegment_GetType", c_int, c_void_p)
segment_closes = _bind("FPDFPathSegment_GetClose", c_int, c_void_p)

OBJECT_PATH, OBJECT_IMAGE, OBJECT_FORM = 2, 3, 5
SEGMENT_CURVE, SEGMENT_MOVE = 1, 2
RENDER_INVISIBLE = 3


def start_afresh() -> None:
    """Make PDFium forget every document it has seen; only where no PDFium object is alive.

    Fonts that are not embedded are replaced by ones that PDFium bends to size and keeps, bent, for the next
    document, where word boxes then come out some tenths of a point elsewhere. A process that reads many
    documents in turn starts afresh before each, so that the result does not depend on the turn.
    """
    raw.FPDF_DestroyLibrary()
    raw.FPDF_InitLibraryWithConfig(raw.FPDF_LIBRARY_CONFIG(version=2))
