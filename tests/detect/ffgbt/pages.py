"""Pages made by hand for the FFGBT tests."""

import numpy as np

from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, ShapeKind, Shapes, Words


def words(*rows: tuple[str, float, float, float, float]) -> Words:
    count = len(rows)
    yes, no = np.ones(count, dtype=bool), np.zeros(count, dtype=bool)
    box = np.array([row[1:] for row in rows], dtype=float).reshape(-1, 4)
    size, weight = np.full(count, 9.0), np.full(count, 400.0)
    return Words(box, tuple(row[0] for row in rows), size, weight, yes, no, yes)


def shapes(*rows: tuple[ShapeKind, float, float, float, float]) -> Shapes:
    count = len(rows)
    return Shapes(
        kind=np.array([row[0] for row in rows], dtype=np.int8),
        box=np.array([row[1:] for row in rows], dtype=float).reshape(-1, 4),
        stroke=np.full(count, 0.7),
        filled=np.zeros(count, dtype=bool),
        fill=np.ones(count),
        ink=np.zeros(count),
        segments=np.full(count, 4, dtype=np.int32),
        curves=np.zeros(count, dtype=np.int32),
        dashed=np.zeros(count, dtype=bool),
    )


def form_page() -> Page:
    """A label before a rule, a labelled cell, two check boxes, and a comb of four cells."""
    drawn = shapes(
        (ShapeKind.LINE, 120, 112, 300, 112),
        (ShapeKind.RECT, 60, 140, 300, 170),
        (ShapeKind.RECT, 60, 200, 69, 209),
        (ShapeKind.RECT, 140, 200, 149, 209),
        *[(ShapeKind.RECT, 60.0 + 15 * n, 240.0, 75.0 + 15 * n, 258.0) for n in range(4)],
    )
    printed = words(
        ("Name:", 60, 103, 90, 111),
        ("City", 63, 142, 80, 149),
        ("yes", 73, 201, 88, 209),
        ("no", 153, 201, 165, 209),
    )
    raster = Raster(np.full((1600, 1236), 255, dtype=np.uint8), 1600 / 792)
    return Page(0, PageFrame((0, 0, 612, 792)), raster, Primitives(printed, drawn))
