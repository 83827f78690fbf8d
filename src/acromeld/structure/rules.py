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


def page_rules(shapes: Shapes) -> tuple[Rules, Rules]:
    """Horizontal and vertical rules of a page."""
    edges = _edges(shapes)
    width, height = edges[:, 2] - edges[:, 0], edges[:, 3] - edges[:, 1]
    flat = edges[width >= height]
    tall = edges[height > width]
    horizontal = _join((flat[:, 1] + flat[:, 3]) / 2, flat[:, 0], flat[:, 2])
    vertical = _join((tall[:, 0] + tall[:, 2]) / 2, tall[:, 1], tall[:, 3])
    return horizontal, vertical


def _edges(shapes: Shapes) -> Boxes:
    """Thin boxes ``(n, 4)`` of all visible lines, box sides and ends of shaded areas."""
    box, kind = shapes.box, shapes.kind
    inked = (shapes.stroke > 0) & (shapes.ink < _VISIBLE)
    shaded = shapes.filled & (shapes.fill < _VISIBLE)
    side = box[:, 2:] - box[:, :2]
    lines = box[(kind == ShapeKind.LINE) & (inked | shaded)]
    small = (side <= _MARK_SIDE).all(1)
    boxes = box[(kind == ShapeKind.RECT) & (inked | shaded) & ~small]
    left, top, right, bottom = boxes.T
    return np.concatenate(
        [
            lines,
            np.stack([left, top, right, top], 1),
            np.stack([left, bottom, right, bottom], 1),
            np.stack([left, top, left, bottom], 1),
            np.stack([right, top, right, bottom], 1),
        ]
    )


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
