# SPDX-License-Identifier: Apache-2.0
"""Primitives of a page from its picture alone, for scans.

The same kinds as a drawn page gives, found in an order where each step clears the way for the next: fills,
long rules, then what is left in pieces: marks, short strokes, dashes, and the words last.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import Primitives, ShapeKind, Shapes, Words
from acromeld.structure.components import label_runs
from acromeld.structure.inferred_fills import find_fills
from acromeld.structure.inferred_marks import classify
from acromeld.structure.inferred_reverse import reverse_banners
from acromeld.structure.inferred_rules import Rules, find_rules, stroke_width
from acromeld.structure.inferred_tone import smooth, split_tones, working_grey
from acromeld.structure.inferred_words import find_words
from acromeld.structure.runs import close_gaps, find_runs

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.pdf.page import Raster
    from acromeld.structure.runs import Ints, Mask, Runs

    Floats = npt.NDArray[np.float64]

_EM = 1.25
"""Font size over the height of a word's ink: between capitals (1.4) and words with descenders (1.1)."""


def infer_primitives(raster: Raster) -> Primitives:
    """Rules, boxes, circles, fills, pictures and word blobs of a page picture, in displayed points.

    Words have no text. Boxes are as exact as the pixels: rules lie on their centre line, marks and fills are
    measured at their outer edge.
    """
    if raster.pixels.size == 0:
        return Primitives()
    grey, factor = working_grey(raster.pixels)
    px = raster.scale / factor
    tones = split_tones(grey)
    if (calm := smooth(grey)) is not grey:
        tones = replace(tones, ink=split_tones(calm).ink)
    fills = find_fills(tones, px)
    banners = reverse_banners(tones, fills.picture, px)
    ink = tones.ink
    level, level_runs = find_rules(ink, px)
    upright, upright_runs = find_rules(np.ascontiguousarray(ink.T), px)
    ruled = _erase(ink, level_runs, upright_runs)
    parts = label_runs(close_gaps(find_runs(ink), 1))
    marks = classify(parts, ruled, px)
    words, pictures = find_words(parts, marks.text, px)
    shapes = _Collector()
    shapes.fills(np.concatenate([fills.box, banners[0]]), np.concatenate([fills.tone, banners[1]]))
    shapes.pictures(np.concatenate([fills.picture, pictures]))
    shapes.rules(level, *stroke_width(level, grey), upright=False)
    shapes.rules(upright, *stroke_width(upright, grey.T), upright=True)
    shapes.strokes(parts.box[marks.level], upright=False)
    shapes.strokes(parts.box[marks.upright], upright=True)
    for dashes, stands in ((marks.dashes, False), (marks.dashes_upright, True)):
        shapes.rules(dashes, dashes.thickness, np.zeros(len(dashes)), upright=stands)
    shapes.marks(parts.box[marks.square], parts.box[marks.circle])
    return Primitives(_words(words / px), shapes.scaled(1 / px))


def _erase(ink: Mask, level: Runs, upright: Runs) -> Mask:
    """Clear the runs of rules and the fringe of one pixel around them, in place; returns where."""
    ruled = np.zeros_like(ink)
    for picture, runs in ((ruled, level), (ruled.T, upright)):
        for row, start, stop in zip(runs.row.tolist(), runs.start.tolist(), runs.stop.tolist(), strict=True):
            picture[max(row - 1, 0) : row + 2, max(start - 1, 0) : stop + 1] = True
    ink &= ~ruled
    return ruled


def _words(box: Floats) -> Words:
    count = len(box)
    yes, no = np.ones(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    size = (box[:, 3] - box[:, 1]) * _EM
    return Words(box, ("",) * count, size, np.full(count, 400.0), yes, no, yes)


class _Collector:
    """Gathers shapes of every kind as columns and hands them out as one table."""

    def __init__(self) -> None:
        self._tables: list[Shapes] = []

    def fills(self, box: Floats, tone: Floats) -> None:
        """Tinted rectangles."""
        self._add(ShapeKind.RECT, box, fill=tone)

    def pictures(self, box: Floats) -> None:
        """Areas that are neither text nor drawn structure."""
        self._add(ShapeKind.IMAGE, box)

    def rules(self, rules: Rules, width: Floats, ink: Floats, *, upright: bool) -> None:
        """Rules on their centre line."""
        box = np.stack([rules.start, rules.centre, rules.stop, rules.centre], axis=1)
        box = box[:, [1, 0, 3, 2]] if upright else box
        self._add(ShapeKind.LINE, box, stroke=width, ink=ink, dashed=rules.dashed)

    def strokes(self, box: Ints, *, upright: bool) -> None:
        """Short strokes, flattened to their centre line."""
        across = 0 if upright else 1
        flat = box.astype(np.float64)
        flat[:, [across, across + 2]] = flat[:, [across, across + 2]].mean(axis=1, keepdims=True)
        width = (box[:, across + 2] - box[:, across]).astype(np.float64)
        self._add(ShapeKind.LINE, flat, stroke=width, ink=np.zeros(len(box)))

    def marks(self, squares: Ints, circles: Ints) -> None:
        """Boxes and circles to tick."""
        self._add(ShapeKind.RECT, squares.astype(np.float64), stroke=np.ones(len(squares)), segments=4)
        self._add(ShapeKind.PATH, circles.astype(np.float64), stroke=np.ones(len(circles)), curves=4)

    def _add(
        self,
        kind: ShapeKind,
        box: Floats,
        *,
        stroke: Floats | None = None,
        fill: Floats | None = None,
        ink: Floats | None = None,
        segments: int | None = None,
        curves: int = 0,
        dashed: Mask | None = None,
    ) -> None:
        count = len(box)
        no = np.zeros(count, dtype=np.bool_)
        drawn = {ShapeKind.LINE: 1, ShapeKind.IMAGE: 0}.get(kind, 4) if segments is None else segments
        self._tables.append(
            Shapes(
                kind=np.full(count, kind, dtype=np.int8),
                box=box,
                stroke=np.zeros(count) if stroke is None else stroke,
                filled=no if fill is None else ~no,
                fill=np.ones(count) if fill is None else fill,
                ink=(np.ones(count) if stroke is None else np.zeros(count)) if ink is None else ink,
                segments=np.full(count, drawn, dtype=np.int32),
                curves=np.full(count, curves, dtype=np.int32),
                dashed=no if dashed is None else dashed,
            )
        )

    def scaled(self, factor: float) -> Shapes:
        """All shapes in one table, lengths multiplied by ``factor``."""
        columns = {name: np.concatenate([getattr(t, name) for t in self._tables]) for name in _COLUMNS}
        columns["box"] = columns["box"] * factor
        columns["stroke"] = columns["stroke"] * factor
        return Shapes(**columns)


_COLUMNS = tuple(Shapes.__dataclass_fields__)
