# SPDX-License-Identifier: Apache-2.0
"""What the subpaths of a page are: rules, rectangles, or other paths. All of them at once, in numpy.

Authors draw the same grid in many ways: stroked lines, thin filled rectangles, one path with a hundred
subpaths, or a single polyline that runs through all cells. They come out alike here: a thin rectangle is a
line, every subpath counts for itself, and an axis-aligned polyline is taken apart into its segments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import ShapeKind, Shapes
from acromeld.pdf.pdfium import SEGMENT_CURVE, SEGMENT_MOVE

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.frame import PageFrame

    Flags = npt.NDArray[np.bool_]
    Index = npt.NDArray[np.intp]

_ALIGNED = 0.35
"""Points a segment may drift from the axis and still be horizontal or vertical."""

_THIN = 2.5
"""A filled rectangle thinner than this, and much longer than wide, is a rule drawn as a rectangle."""

_HAIRLINE = 0.1
"""Displayed width of a stroke that asks for the thinnest line the device can draw."""


@dataclass(frozen=True)
class PathPoints:
    """The painted paths of a page.

    Attributes:
        point: ``(n, 2)`` segment end points in the path's own space.
        type: ``(n,)`` PDFium segment type; each curve contributes three points.
        closes: ``(n,)`` whether the subpath is closed after this point.
        path: ``(n,)`` the path each point belongs to.
        matrix: ``(paths, 6)`` from the path's own space to PDF space.
        style: ``(paths, 5)`` stroke width, filled, fill luminance, stroke luminance, dashed.
    """

    point: Floats
    type: npt.NDArray[np.int8]
    closes: Flags
    path: Index
    matrix: Floats
    style: Floats


def shapes_from_paths(paths: PathPoints, frame: PageFrame) -> Shapes:
    """One shape per subpath, or per segment of an axis-aligned polyline; displayed coordinates."""
    if len(paths.point) == 0:
        return Shapes.empty()
    shown = _displayed(paths, frame)
    moves = paths.type == SEGMENT_MOVE
    start = np.flatnonzero(moves | (np.diff(paths.path, prepend=-1) > 0))
    subpath = np.repeat(np.arange(len(start)), np.diff(start, append=len(shown)))
    shapes, polyline = _whole_subpaths(paths, shown, moves, start, frame)
    keep = (shapes.segments > 0) & ~polyline
    if not polyline.any():
        return shapes.take(keep)
    lines, owner = _segments_of(polyline, paths, shown, moves, start, subpath)
    rows = np.concatenate([np.flatnonzero(keep), owner])
    merged = _with_lines(shapes.take(keep), shapes.take(owner), lines)
    return merged.take(np.argsort(rows, kind="stable"))


def _displayed(paths: PathPoints, frame: PageFrame) -> Floats:
    """Points ``(n, 2)`` on the displayed page."""
    m = paths.matrix[paths.path]
    x, y = paths.point[:, 0], paths.point[:, 1]
    point = np.stack([m[:, 0] * x + m[:, 2] * y + m[:, 4], m[:, 1] * x + m[:, 3] * y + m[:, 5]], 1)
    return frame.to_display(np.hstack([point, point]))[:, :2]


def _whole_subpaths(
    paths: PathPoints, shown: Floats, moves: Flags, start: Index, frame: PageFrame
) -> tuple[Shapes, Flags]:
    """Each subpath as one shape, and which of them are polylines to be taken apart."""
    curve_points = np.add.reduceat((paths.type == SEGMENT_CURVE).astype(np.int32), start)
    drawn = np.add.reduceat((~moves).astype(np.int32), start)
    closed = np.logical_or.reduceat(paths.closes, start)
    ends = np.append(start[1:], len(shown)) - 1
    closed |= (np.abs(shown[start] - shown[ends]) <= _ALIGNED).all(1) & (drawn > 2)
    step = np.abs(np.diff(shown, axis=0, prepend=shown[:1])).min(1)
    crooked = np.logical_or.reduceat((step > _ALIGNED) & ~moves, start)
    style = paths.style[paths.path[start]]
    box = np.hstack([np.minimum.reduceat(shown, start), np.maximum.reduceat(shown, start)])
    straight = (curve_points == 0) & ~crooked
    filled = style[:, 1] > 0
    kind = _kinds(box, straight, drawn, closed | filled, filled)
    determinant = paths.matrix[:, 0] * paths.matrix[:, 3] - paths.matrix[:, 1] * paths.matrix[:, 2]
    magnified = np.sqrt(np.abs(determinant))[paths.path[start]] * frame.user_unit
    shapes = Shapes(
        kind=kind,
        box=box,
        stroke=np.where(style[:, 0] > 0, np.maximum(style[:, 0] * magnified, _HAIRLINE), 0.0),
        filled=filled,
        fill=style[:, 2],
        ink=style[:, 3],
        segments=(drawn - curve_points + curve_points // 3).astype(np.int32),
        curves=(curve_points // 3).astype(np.int32),
        dashed=style[:, 4] > 0,
    )
    return shapes, (kind == ShapeKind.PATH) & straight & ~filled


def _kinds(
    box: Boxes, straight: Flags, drawn: npt.NDArray[np.int32], closed: Flags, filled: Flags
) -> npt.NDArray[np.int8]:
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    thin, long = np.minimum(width, height), np.maximum(width, height)
    kind = np.full(len(box), ShapeKind.PATH, dtype=np.int8)
    kind[straight & closed & (drawn >= 3) & (drawn <= 5)] = ShapeKind.RECT
    kind[straight & ((thin <= _ALIGNED) | (filled & (thin <= _THIN) & (long > 4 * thin)))] = ShapeKind.LINE
    return kind


def _segments_of(
    polyline: Flags, paths: PathPoints, shown: Floats, moves: Flags, start: Index, subpath: Index
) -> tuple[Boxes, Index]:
    """The segments of the chosen subpaths as line boxes, closing ones included, and their subpaths.

    PDFium may have drawn the closing segment already; the one we add is then without length and left out.
    """
    chosen = polyline[subpath]
    inner = np.flatnonzero(chosen & ~moves)
    inner = inner[inner > 0]
    closing = np.flatnonzero(chosen & paths.closes)
    begin = np.concatenate([shown[inner - 1], shown[closing]])
    end = np.concatenate([shown[inner], shown[start[subpath[closing]]]])
    owner = subpath[np.concatenate([inner, closing])]
    long = (begin != end).any(1)
    return np.hstack([np.minimum(begin, end), np.maximum(begin, end)])[long], owner[long]


def _with_lines(whole: Shapes, styled: Shapes, lines: Boxes) -> Shapes:
    """The whole shapes followed by the lines, which look like the subpaths they come from."""
    count = len(lines)
    own = {
        "kind": np.full(count, ShapeKind.LINE, dtype=np.int8),
        "box": lines,
        "segments": np.ones(count, dtype=np.int32),
    }
    columns = vars(styled) | own
    return Shapes(**{name: np.concatenate([column, columns[name]]) for name, column in vars(whole).items()})
