# SPDX-License-Identifier: Apache-2.0
"""What is known about a candidate: the columns the trees and the snap network read.

All candidates of a page are described at once; nothing loops over candidates. Distances are in points,
clipped where "far" is all that matters. The weights carry the names of the columns they were trained on and
are refused when these differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.ffgbt.candidates import CandidateKind
from acromeld.detect.ffgbt.ink import ink_columns
from acromeld.detect.ffgbt.labels import CLASSES, PAGE, POSITIONS, Surroundings, buckets, surroundings
from acromeld.fields import KINDS
from acromeld.geometry import area, intersection
from acromeld.pdf.page import ShapeKind
from acromeld.structure.evidence import usual_size
from acromeld.structure.intervals import blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.detect.ffgbt.candidates import Candidates
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Page, Primitives, Shapes, Words
    from acromeld.structure.rules import PageRules, Rules

    Columns = dict[str, npt.NDArray[np.generic]]

_FAR = 60.0
_TOUCH = 2.5
_LOUDEST = 12
_SILENCE = np.float32(-9.0)


def describe(
    page: Page,
    primitives: Primitives,
    candidates: Candidates,
    table: npt.NDArray[np.float32],
    *,
    inferred: bool = False,
) -> Columns:
    """The columns of all candidates of a page, ``(n,)`` each, by name and in a fixed order."""
    box, words = candidates.box, primitives.words
    around = surroundings(box, words.box)
    columns: Columns = {"kind": candidates.kind.astype(np.float32)}
    columns |= _geometry(box, page.width, page.height)
    columns |= _borders(box, candidates.rules)
    columns |= _neighbours(candidates)
    columns |= _words(box, words, around)
    columns |= _labels(words, around, table)
    columns |= _shapes(box, primitives.shapes)
    columns |= ink_columns(box, page.raster)
    columns |= _page(page, primitives, candidates, inferred=inferred)
    return columns


def matrix(columns: Columns) -> npt.NDArray[np.float32]:
    """The columns side by side, ``(n, features)``."""
    return np.column_stack(list(columns.values())).astype(np.float32)


def _geometry(box: Boxes, width: float, height: float) -> Columns:
    side = box[:, 2:] - box[:, :2]
    return {
        "width": side[:, 0],
        "height": side[:, 1],
        "aspect": np.log(side[:, 0] / side[:, 1]),
        "area share": side.prod(1) / (width * height),
        "left": box[:, 0] / width,
        "top": box[:, 1] / height,
        "right": box[:, 2] / width,
        "bottom": box[:, 3] / height,
        "width share": side[:, 0] / width,
        "x0": box[:, 0],
        "x1 from right": width - box[:, 2],
    }


def _borders(box: Boxes, rules: PageRules) -> Columns:
    """For each side: share covered by rules, and distance to the next rule outwards and inwards."""
    columns: Columns = {}
    sides = {
        "top": (rules.horizontal, box[:, 1], box[:, 0], box[:, 2], -1.0),
        "bottom": (rules.horizontal, box[:, 3], box[:, 0], box[:, 2], 1.0),
        "left side": (rules.vertical, box[:, 0], box[:, 1], box[:, 3], -1.0),
        "right side": (rules.vertical, box[:, 2], box[:, 1], box[:, 3], 1.0),
    }
    for name, (parallel, at, low, high, outwards) in sides.items():
        covered, outside, inside = _side(parallel, at, low, high, outwards)
        columns[f"{name} ruled"] = covered
        columns[f"{name} rule outside"] = outside
        columns[f"{name} rule inside"] = inside
    return columns


def _side(
    rules: Rules, at: Floats, low: Floats, high: Floats, outwards: float
) -> tuple[Floats, Floats, Floats]:
    shared = np.minimum(rules.high[None], high[:, None]) - np.maximum(rules.low[None], low[:, None])
    length = np.maximum(high - low, 1.0)[:, None]
    away = (rules.at[None] - at[:, None]) * outwards
    touching = np.abs(away) <= _TOUCH
    covered = np.minimum((np.maximum(shared, 0.0) * touching).sum(1) / length[:, 0], 1.0)
    long = shared >= 0.5 * length
    outside = np.where(long & (away > -_TOUCH), np.maximum(away, -_TOUCH), _FAR).min(1, initial=_FAR)
    inside = np.where(long & (away <= -_TOUCH), -away, _FAR).min(1, initial=_FAR)
    return covered, outside, inside


def _neighbours(candidates: Candidates) -> Columns:
    """Alignment and agreement of size among candidates, overlaps, and boxes to tick nearby.

    Two functions with a few ``(n, n)`` arrays each, so that a page full of candidates does not hold them all
    at once.
    """
    box, kind = candidates.box, candidates.kind
    marks = np.isin(kind, (CandidateKind.SQUARE, CandidateKind.CIRCLE, CandidateKind.GLYPH))
    middle = (box[:, 1] + box[:, 3]) / 2
    in_row = np.abs(middle[:, None] - middle[marks][None]) < 5
    return _alignment(box, kind) | _overlaps(box, kind, marks) | {"marks in row": in_row.sum(1)}


def _alignment(box: Boxes, kind: npt.NDArray[np.int8]) -> Columns:
    """Candidates of the same kind and size, on the page and in line."""
    same_kind = kind[:, None] == kind[None]
    alike = same_kind & (_distance(box[:, 2] - box[:, 0]) < 1.5) & (_distance(box[:, 3] - box[:, 1]) < 1.5)
    across, down = _distance((box[:, 0] + box[:, 2]) / 2), _distance((box[:, 1] + box[:, 3]) / 2)
    row, column = alike & (down < 2), alike & (across < 2)
    return {
        "alike on page": alike.sum(1) - 1,
        "alike in row": row.sum(1) - 1,
        "alike in column": column.sum(1) - 1,
        "next alike across": np.where(row & (across > 2), across, 200.0).min(1, initial=200.0),
        "next alike down": np.where(column & (down > 2), down, 200.0).min(1, initial=200.0),
        "same left": ((_distance(box[:, 0]) < 1.5) & same_kind).sum(1) - 1,
        "same right": ((_distance(box[:, 2]) < 1.5) & same_kind).sum(1) - 1,
    }


def _overlaps(box: Boxes, kind: npt.NDArray[np.int8], marks: npt.NDArray[np.bool_]) -> Columns:
    """What lies in what, and how far candidates of each kind agree with each other."""
    shared, areas = intersection(box, box), area(box)
    inside_other = shared / np.maximum(areas, 1.0)[:, None]
    np.fill_diagonal(inside_other, 0.0)
    columns: Columns = {
        "inside others": (inside_other > 0.9).sum(1),
        "others inside": (inside_other.T > 0.9).sum(1),
    }
    marks_inside = (inside_other.T[:, marks] > 0.7).sum(1)
    del inside_other
    overlap = shared / np.maximum(areas[:, None] + areas[None] - shared, 1e-9)
    np.fill_diagonal(overlap, 0.0)
    earlier = np.tri(len(box), k=-1, dtype=np.bool_)
    columns |= {
        "overlapping": (overlap > 0.3).sum(1),
        "largest overlap": overlap.max(1, initial=0.0),
        "rank in place": ((overlap > 0.3) & earlier).sum(1),
    }
    for other in CandidateKind:
        columns[f"overlap with {other.name.lower()}"] = overlap[:, kind == other].max(1, initial=0.0)
    return columns | {"marks inside": marks_inside}


def _distance(place: Floats) -> Floats:
    """How far apart all pairs are along one axis, ``(n, n)``."""
    return np.abs(place[:, None] - place[None])


def _words(box: Boxes, words: Words, around: Surroundings) -> Columns:
    """Counts of and distances to the words around, and how the nearest ones look."""
    columns: Columns = {"covered": around.covered, "words inside": around.inside.sum(1)}
    if len(words) == 0:
        zero = np.zeros(len(box))
        names = ("gap", "words", "size", "weight", "colon", "length", "rise")
        return columns | {f"{p} {name}": zero for p in around.near for name in names}
    colon = np.array([text.endswith((":", "?", "：")) for text in words.text])
    length = np.array([len(text) for text in words.text])
    for position, gap in around.gap.items():
        nearest = gap.argmin(1)
        distance = gap.min(1)
        there = np.isfinite(distance)
        columns[f"{position} gap"] = np.where(there, distance, 200.0)
        columns[f"{position} words"] = around.near[position].sum(1)
        columns[f"{position} size"] = np.where(there, words.size[nearest], 0.0)
        columns[f"{position} weight"] = np.where(there, words.weight[nearest], 0.0)
        columns[f"{position} colon"] = there & colon[nearest]
        columns[f"{position} length"] = np.where(there, length[nearest], 0)
        columns[f"{position} rise"] = np.where(there, words.box[nearest, 3] - box[:, 3], 0.0)
    return columns


def _labels(words: Words, around: Surroundings, table: npt.NDArray[np.float32]) -> Columns:
    """Mean and highest log-odds of the words on the page and at each position around, for each class."""
    bucket = buckets(words)
    page = np.sort(table[PAGE, np.unique(bucket), -1])[::-1] if len(words) else np.zeros(1)
    n = len(around.covered)
    columns: Columns = {
        "page says signature": np.full(n, float(page.mean())),
        "page shouts signature": np.full(n, float(page[:_LOUDEST].mean())),
    }
    for number, position in enumerate(POSITIONS):
        odds = table[number, bucket].reshape(-1, CLASSES)
        there = around.at(position)
        count = np.maximum(there.sum(1), 1)
        mean = there.astype(np.float32) @ odds / count[:, None]
        highest = _highest(there, odds)
        for index, kind in enumerate(KINDS):
            columns[f"{position} says {kind.value}"] = mean[:, index]
            columns[f"{position} shouts {kind.value}"] = highest[:, index]
    return columns


def _highest(there: npt.NDArray[np.bool_], odds: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The highest odds ``(m, c)`` among the words that are there ``(n, m)``; ``(n, c)``, -9 where none is."""
    highest = np.full((len(there), odds.shape[1]), _SILENCE, dtype=np.float32)
    candidate, word = np.nonzero(there)
    if len(word):
        heard, first = np.unique(candidate, return_index=True)
        highest[heard] = np.maximum(np.maximum.reduceat(odds[word], first), _SILENCE)
    return highest


def _shapes(box: Boxes, shapes: Shapes) -> Columns:
    """Luminance of the last filled shape under the centre, and pictures and frames under it."""
    x, y = (box[:, 0] + box[:, 2]) / 2, (box[:, 1] + box[:, 3]) / 2
    x0, y0, x1, y1 = shapes.box.T
    paint = np.where(shapes.filled & (shapes.kind != ShapeKind.IMAGE), np.arange(1, len(shapes) + 1), 0)
    picture, frame = shapes.kind == ShapeKind.IMAGE, shapes.kind == ShapeKind.RECT
    last, pictured, framed = (
        np.zeros(len(box), np.intp),
        np.zeros(len(box), bool),
        np.zeros(len(box), np.intp),
    )
    for some in blocks(len(box), len(shapes)):
        under = (x[some, None] > x0) & (x[some, None] < x1) & (y[some, None] > y0) & (y[some, None] < y1)
        last[some] = np.where(under, paint, 0).max(1, initial=0)
        pictured[some] = under[:, picture].any(1)
        framed[some] = under[:, frame].sum(1)
    fill = np.concatenate([[1.0], shapes.fill])[last]
    return {"fill": fill, "on picture": pictured, "frames around": framed}


def _page(page: Page, primitives: Primitives, candidates: Candidates, *, inferred: bool) -> Columns:
    """Facts of the page, the same for each of its candidates."""
    words, n = primitives.words, len(candidates)
    texts = words.text
    colons = sum(text.endswith(":") for text in texts)
    counts = np.bincount(candidates.kind, minlength=len(CandidateKind))
    facts = {
        "page width": page.width,
        "page height": page.height,
        "page number": float(min(page.index, 20)),
        "page words": float(len(words)),
        "page colons": colons / max(len(texts), 1),
        "page size": usual_size(words),
        "page horizontals": float(len(candidates.rules.horizontal)),
        "page verticals": float(len(candidates.rules.vertical)),
        "page cells": float(counts[CandidateKind.CELL]),
        "page panels": float(counts[CandidateKind.PANEL]),
        "page squares": float(counts[CandidateKind.SQUARE] + counts[CandidateKind.GLYPH]),
        "page underscores": float(counts[CandidateKind.UNDERSCORES]),
        "inferred": float(inferred),
    }
    return {name: np.full(n, value) for name, value in facts.items()}
