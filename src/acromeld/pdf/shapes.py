# SPDX-License-Identifier: Apache-2.0
"""Lines, rectangles, paths and images of a page from PDFium's page objects.

Walking the objects is a Python loop over PDFium calls and is kept as thin as it can be: it only collects
numbers. What they mean (is this subpath a rule, a box, a blob?) is decided afterwards for all subpaths at
once in numpy (`acromeld.pdf.subpaths`). Form XObjects are walked through with their matrices multiplied up.
"""

from __future__ import annotations

from ctypes import byref, c_float, c_int, c_uint
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.pdf import pdfium
from acromeld.pdf.page import ShapeKind, Shapes
from acromeld.pdf.subpaths import PathPoints, shapes_from_paths

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.pdf.frame import PageFrame

_MAX_FORM_DEPTH = 12
_MAX_SEGMENTS = 4_000
"""Segments read of one path; beyond that it is artwork and its bounds are enough."""

Affine = tuple[float, float, float, float, float, float]
_IDENTITY: Affine = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def read_shapes(page: int, frame: PageFrame, limit: int) -> tuple[Shapes, bool]:
    """Shapes of the page at PDFium handle ``page``; at most ``limit``, and whether there were more."""
    walk = _Walk(limit)
    walk.objects(page, pdfium.page_object_count(page), pdfium.page_object, _IDENTITY, 0)
    shapes = _concatenate(shapes_from_paths(walk.paths(), frame), _images(walk.images, frame))
    return shapes.take(frame.shows(shapes.box)), walk.full


@dataclass
class _Walk:
    """Numbers collected while walking; one row per path object and one per path point."""

    limit: int
    full: bool = False
    subpaths: int = 0
    points: list[tuple[float, float]] = field(default_factory=list)
    types: list[int] = field(default_factory=list)
    closes: list[int] = field(default_factory=list)
    path_ends: list[int] = field(default_factory=list)
    matrices: list[Affine] = field(default_factory=list)
    styles: list[tuple[float, bool, float, float, bool]] = field(default_factory=list)
    images: list[Affine] = field(default_factory=list)

    def objects(self, parent: int, count: int, get: Callable[..., Any], matrix: Affine, depth: int) -> None:
        """Walk ``count`` children of a page or form object."""
        for index in range(count):
            child = get(parent, index)
            if not child:
                continue
            if self.subpaths + len(self.images) >= self.limit:
                self.full = True
                return
            kind = pdfium.object_type(child)
            if kind == pdfium.OBJECT_PATH:
                self._path(child, matrix)
            elif kind == pdfium.OBJECT_IMAGE:
                self.images.append(_times(_matrix(child), matrix))
            elif kind == pdfium.OBJECT_FORM and depth < _MAX_FORM_DEPTH:
                inner = _times(_matrix(child), matrix)
                self.objects(child, pdfium.form_object_count(child), pdfium.form_object, inner, depth + 1)

    def _path(self, path: int, matrix: Affine) -> None:
        style = _style(path)
        count = pdfium.segment_count(path)
        if style is None or count < 1:
            return
        points, types, closes = self.points, self.types, self.closes
        for index in range(min(count, _MAX_SEGMENTS)):
            segment = pdfium.path_segment(path, index)
            pdfium.segment_point(segment, _X_OUT, _Y_OUT)
            kind = pdfium.segment_type(segment)
            points.append((_X.value, _Y.value))
            types.append(kind)
            closes.append(pdfium.segment_closes(segment))
            self.subpaths += kind == pdfium.SEGMENT_MOVE
        self.path_ends.append(len(points))
        self.matrices.append(_times(_matrix(path), matrix))
        self.styles.append(style)

    def paths(self) -> PathPoints:
        """The collected paths as arrays."""
        return PathPoints(
            point=np.array(self.points, dtype=np.float64).reshape(-1, 2),
            type=np.array(self.types, dtype=np.int8),
            closes=np.array(self.closes, dtype=np.bool_),
            path=np.repeat(np.arange(len(self.path_ends)), np.diff([0, *self.path_ends])),
            matrix=np.array(self.matrices, dtype=np.float64).reshape(-1, 6),
            style=np.array(self.styles, dtype=np.float64).reshape(-1, 5),
        )


_X, _Y, _WIDTH = c_float(), c_float(), c_float()
_X_OUT, _Y_OUT, _WIDTH_OUT = byref(_X), byref(_Y), byref(_WIDTH)
_FILL_MODE, _STROKED = c_int(), c_int()
_FILL_MODE_OUT, _STROKED_OUT = byref(_FILL_MODE), byref(_STROKED)
_RGBA = [c_uint() for _ in range(4)]
_RGBA_OUT = [byref(channel) for channel in _RGBA]
_MATRIX = pdfium.Matrix()
_MATRIX_OUT = byref(_MATRIX)


def _matrix(page_object: int) -> Affine:
    return _MATRIX.values() if pdfium.object_matrix(page_object, _MATRIX_OUT) else _IDENTITY


def _times(m: Affine, n: Affine) -> Affine:
    """First ``m``, then ``n`` (row vectors, as in ISO 32000-2, 8.3.4)."""
    if n is _IDENTITY:
        return m
    a, b, c, d, e, f = m
    p, q, r, s, t, u = n
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _style(path: int) -> tuple[float, bool, float, float, bool] | None:
    """(stroke width, filled, fill luminance, stroke luminance, dashed); none when nothing is painted."""
    pdfium.draw_mode(path, _FILL_MODE_OUT, _STROKED_OUT)
    fill = _luminance(pdfium.fill_colour(path, *_RGBA_OUT)) if _FILL_MODE.value else None
    ink = _luminance(pdfium.stroke_colour(path, *_RGBA_OUT)) if _STROKED.value else None
    if fill is None and ink is None:
        return None
    width, dashed = 0.0, False
    if ink is not None:
        pdfium.stroke_width(path, _WIDTH_OUT)
        # A zero width asks for the thinnest line the device can draw.
        width, dashed = max(_WIDTH.value, 0.1), pdfium.dash_count(path) > 0
    return width, fill is not None, 1.0 if fill is None else fill, 1.0 if ink is None else ink, dashed


def _luminance(known: int) -> float | None:
    """Luminance of the colour just fetched; none when it is fully transparent."""
    if not known:
        return 0.0
    red, green, blue, alpha = (channel.value for channel in _RGBA)
    if alpha == 0:
        return None
    grey = (0.299 * red + 0.587 * green + 0.114 * blue) / 255.0
    return 1.0 - (1.0 - grey) * alpha / 255.0


def _concatenate(a: Shapes, b: Shapes) -> Shapes:
    return Shapes(**{name: np.concatenate([column, vars(b)[name]]) for name, column in vars(a).items()})


def _images(matrices: list[Affine], frame: PageFrame) -> Shapes:
    """An image fills the unit square of its matrix (ISO 32000-2, 8.9.5.1)."""
    n = len(matrices)
    a, b, c, d, e, f = np.array(matrices, dtype=np.float64).reshape(-1, 6).T
    x, y = np.stack([e, e + a, e + c, e + a + c], 1), np.stack([f, f + b, f + d, f + b + d], 1)
    return Shapes(
        kind=np.full(n, ShapeKind.IMAGE, dtype=np.int8),
        box=frame.to_display(np.stack([x.min(1), y.min(1), x.max(1), y.max(1)], 1)),
        stroke=np.zeros(n),
        filled=np.zeros(n, dtype=np.bool_),
        fill=np.ones(n),
        ink=np.ones(n),
        segments=np.zeros(n, dtype=np.int32),
        curves=np.zeros(n, dtype=np.int32),
        dashed=np.zeros(n, dtype=np.bool_),
    )
