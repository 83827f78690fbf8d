# SPDX-License-Identifier: Apache-2.0
"""The marks of chosen options: tick, cross and dot, each as a path and as a sign of ZapfDingbats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.fields import Mark
from acromeld.form.placement import rounded

if TYPE_CHECKING:
    from acromeld.form.placement import Placement

CAPTION = {Mark.TICK: "4", Mark.CROSS: "8", Mark.CIRCLE: "l"}
"""The sign in ZapfDingbats, for viewers that draw their own mark."""

_STROKES = {
    Mark.TICK: (((0.20, 0.52), (0.42, 0.27), (0.82, 0.78)),),
    Mark.CROSS: (((0.22, 0.22), (0.78, 0.78)), ((0.22, 0.78), (0.78, 0.22))),
}
"""Polylines in the unit square, y upwards."""

_STROKE_WIDTH = 0.11
_DOT_RADIUS = 0.27
_ROUNDNESS = 0.5523
"""Of the handles of four Bézier curves that make a circle."""


def drawn_mark(mark: Mark, placement: Placement) -> bytes:
    """The mark as page content, in the largest centred square of an upright box."""
    side = min(placement.width, placement.height)
    corner = (placement.width - side) / 2, (placement.height - side) / 2
    return _dot(corner, side) if mark is Mark.CIRCLE else _strokes(mark, corner, side)


def _strokes(mark: Mark, corner: tuple[float, float], side: float) -> bytes:
    paths = []
    for line in _STROKES[mark]:
        points = [pair(corner[0] + x * side, corner[1] + y * side) for x, y in line]
        paths.append(b" ".join([points[0] + b" m", *(point + b" l" for point in points[1:]), b"S"]))
    return b"q 0 G 1 J 1 j %s w %s Q\n" % (number(_STROKE_WIDTH * side), b" ".join(paths))


def _dot(corner: tuple[float, float], side: float) -> bytes:
    x, y, radius = corner[0] + side / 2, corner[1] + side / 2, _DOT_RADIUS * side
    reach = radius * _ROUNDNESS
    turns = [
        ((x + radius, y + reach), (x + reach, y + radius), (x, y + radius)),
        ((x - reach, y + radius), (x - radius, y + reach), (x - radius, y)),
        ((x - radius, y - reach), (x - reach, y - radius), (x, y - radius)),
        ((x + reach, y - radius), (x + radius, y - reach), (x + radius, y)),
    ]
    curves = b" ".join(b"%s %s %s c" % tuple(pair(*point) for point in turn) for turn in turns)
    return b"q 0 g %s m %s f Q\n" % (pair(x + radius, y), curves)


def pair(x: float, y: float) -> bytes:
    """A point in a content stream."""
    return number(x) + b" " + number(y)


def number(value: float) -> bytes:
    """A coordinate in a content stream, which knows no exponents."""
    return f"{rounded(value):.4f}".rstrip("0").rstrip(".").encode("ascii")
