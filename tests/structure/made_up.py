# SPDX-License-Identifier: Apache-2.0
"""Primitives made up without a PDF, so that every expected number is known."""

import itertools

import numpy as np

from acromeld.pdf.page import Primitives, ShapeKind, Shapes, Words

WIDTH, HEIGHT = 600.0, 800.0


def shapes(boxes, kind=ShapeKind.LINE, *, stroke=1.0, filled=False, fill=1.0, ink=0.0, curves=0, segments=1):
    """Shapes of one kind and look."""
    count = len(boxes)
    return Shapes(
        kind=np.full(count, kind, dtype=np.int8),
        box=np.array(boxes, dtype=np.float64).reshape(-1, 4),
        stroke=np.full(count, stroke),
        filled=np.full(count, filled),
        fill=np.full(count, fill),
        ink=np.full(count, ink),
        segments=np.full(count, segments, dtype=np.int32),
        curves=np.full(count, curves, dtype=np.int32),
        dashed=np.zeros(count, dtype=np.bool_),
    )


def joined(*several):
    """Several groups of shapes, one after the other."""
    columns = [vars(group) for group in several]
    return Shapes(**{name: np.concatenate([column[name] for column in columns]) for name in columns[0]})


def words(*rows, size=10.0, symbolic=False, visible=True, upright=True):
    """Words from ``(text, box)`` pairs."""
    count = len(rows)
    return Words(
        box=np.array([box for _, box in rows], dtype=np.float64).reshape(-1, 4),
        text=tuple(text for text, _ in rows),
        size=np.full(count, size),
        weight=np.full(count, 400.0),
        visible=np.full(count, visible),
        symbolic=np.full(count, symbolic),
        upright=np.full(count, upright),
    )


def across(y, x0, x1):
    return (x0, y, x1, y)


def down(x, y0, y1):
    return (x, y0, x, y1)


def grid(xs, ys):
    """Line boxes of a whole grid."""
    return [across(y, xs[0], xs[-1]) for y in ys] + [down(x, ys[0], ys[-1]) for x in xs]


def cells_of(xs, ys):
    """The cells of that grid, in reading order."""
    rows, columns = list(itertools.pairwise(ys)), list(itertools.pairwise(xs))
    return [[x0, y0, x1, y1] for y0, y1 in rows for x0, x1 in columns]


def scattered(count, seed=0, kinds=(ShapeKind.LINE, ShapeKind.RECT, ShapeKind.PATH)):
    """Many words and shapes all over a page, in no order."""
    random = np.random.default_rng(seed)
    corner = random.uniform([0, 0], [WIDTH - 40, HEIGHT - 20], (count, 2))
    box = np.hstack([corner, corner + random.uniform(1, [40, 15], (count, 2))])
    half = count // 2
    some = words(*((f"w{n}", box[n]) for n in range(half)))
    drawn = shapes(box[half:])
    kind = random.choice(np.array(kinds, dtype=np.int8), count - half)
    return Primitives(some, Shapes(**(vars(drawn) | {"kind": kind})))
