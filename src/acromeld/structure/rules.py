# SPDX-License-Identifier: Apache-2.0
"""The rules of a page: every visible straight edge, however it was drawn.

Strokes, thin rectangles, the sides of boxes and the ends of shaded areas all guide the eye of the person who
fills in the form. They are brought to one form here: horizontal and vertical segments, collinear pieces
joined, dashes and dots closed up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import ShapeKind
from acromeld.structure.intervals import cluster, merge

if TYPE_CHECKING:
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Shapes

_SAME_LINE = 0.8
_JOIN = 1.5
_MIN_LENGTH = 5.0
_VISIBLE = 0.97
_DARK = 0.6
"""Luminance below which a filled area is a banner, not paper."""

_MARK_SIDE = 22.0
"""Boxes up to this size are check boxes or comb cells; they speak for themselves and divide nothing."""

_DASH = 8.0
_DASH_GAP = 5.0
_MIN_DASHES = 5


@dataclass(frozen=True)
class Rules:
    """Parallel segments, ``(n,)`` each: ``at`` across their direction, ``low`` to ``high`` along it."""

    at: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.at)

    @property
    def length(self) -> Floats:
        """Length of each segment."""
        return self.high - self.low


@dataclass(frozen=True)
class PageRules:
    """Rules of a page.

    Attributes:
        horizontal: Every horizontal edge, the ends of shaded areas among them.
        vertical: Every vertical edge.
        writable: The horizontal ones a person would write on: drawn lines and the sides of light boxes.
    """

    horizontal: Rules
    vertical: Rules
    writable: Rules


def page_rules(shapes: Shapes) -> PageRules:
    """The rules of a page."""
    inked = (shapes.stroke > 0) & (shapes.ink < _VISIBLE)
    shaded = shapes.filled & (shapes.fill < _VISIBLE)
    line = (shapes.kind == ShapeKind.LINE) & (inked | shaded)
    small = (shapes.box[:, 2:] - shapes.box[:, :2] <= _MARK_SIDE).all(1)
    box = (shapes.kind == ShapeKind.RECT) & ~small
    edges = np.concatenate([shapes.box[line], _sides(shapes.box[box & (inked | shaded)])])
    light = inked & ~(shapes.filled & (shapes.fill < _DARK))
    drawn = np.concatenate([shapes.box[line], _sides(shapes.box[box & light])])
    return PageRules(_horizontal(edges), _vertical(edges), _horizontal(drawn))


def _sides(boxes: Boxes) -> Boxes:
    """The four sides of each box as boxes without thickness, ``(4 n, 4)``."""
    left, top, right, bottom = boxes.T
    return np.concatenate(
        [
            np.stack([left, top, right, top], 1),
            np.stack([left, bottom, right, bottom], 1),
            np.stack([left, top, left, bottom], 1),
            np.stack([right, top, right, bottom], 1),
        ]
    )


def _horizontal(edges: Boxes) -> Rules:
    flat = edges[edges[:, 2] - edges[:, 0] >= edges[:, 3] - edges[:, 1]]
    return _join((flat[:, 1] + flat[:, 3]) / 2, flat[:, 0], flat[:, 2])


def _vertical(edges: Boxes) -> Rules:
    tall = edges[edges[:, 3] - edges[:, 1] > edges[:, 2] - edges[:, 0]]
    return _join((tall[:, 0] + tall[:, 2]) / 2, tall[:, 1], tall[:, 3])


def _join(at: Floats, low: Floats, high: Floats) -> Rules:
    """Join collinear pieces, the dashes of a dashed line among them; specks that stay alone are dropped."""
    if len(at) == 0:
        return Rules(at, low, high)
    line = cluster(at, _SAME_LINE)
    dash = (high - low) <= _DASH
    dashes_on_line = np.bincount(line, weights=dash)
    dashed = dash & (dashes_on_line[line] >= _MIN_DASHES)
    low, high, _, member = merge(low, high, line, np.where(dashed, _DASH_GAP, _JOIN))
    weight = np.bincount(member, minlength=len(low))
    mean = np.bincount(member, weights=at, minlength=len(low)) / np.maximum(weight, 1)
    keep = (high - low) >= _MIN_LENGTH
    return Rules(mean[keep], low[keep], high[keep])
