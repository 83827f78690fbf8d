# SPDX-License-Identifier: Apache-2.0
"""Kinds of text: one line, several lines, or one character per cell; told by a small learned scorer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.comb import inner_cells
from acromeld.form.textstyle import body_size
from acromeld.structure.intervals import blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.fields import Box
    from acromeld.form.describe.label_weights import LabelScorer
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words

    Index = npt.NDArray[np.intp]


class TextKind(IntEnum):
    """Classes of the kind scorer."""

    LINE = 0
    LINES = 1
    COMB = 2


@dataclass(frozen=True)
class Kinds:
    """``kind`` ``(n,)`` of `TextKind` and ``cells`` ``(n,)``, how many cells a comb has."""

    kind: Index
    cells: Index


_BONUS = np.array([0.0, 0.7, 0.0])
"""Added to the raw scores: authors set the multi-line flag seldom, and missing it cuts answers short.

Chosen on the development documents, where the F1 of multi-line is flat between 0.6 and 0.9.
"""


def kind_columns(around: Surroundings, words: Words) -> dict[str, Floats]:
    """What the kind scorer is told about each field: columns ``(n,)``."""
    box = around.field
    width, height = box[:, 2] - box[:, 0], box[:, 3] - box[:, 1]
    size = np.array([body_size(_box(row), words) for row in box])
    usual = float(np.median(height[~around.choice])) if (~around.choice).any() else 12.0
    divided = inner_cells(around)
    text_inside = _words_inside(box, words)
    lines = _rules_inside(around)
    below = _gap_below(box)
    return {
        "height": height,
        "width": width,
        "lines high": height / np.maximum(size, 1.0),
        "shape": width / np.maximum(height, 1.0),
        "higher than usual": height / max(usual, 1.0),
        "share of page width": width / around.width,
        "size": size,
        "cells": divided.count.astype(np.float64),
        "unevenness": divided.unevenness,
        "cell height": divided.reach,
        "cell width": width / np.maximum(divided.count, 1),
        "words inside": text_inside,
        "rules inside": lines,
        "in a cell": (around.field_cell >= 0).astype(np.float64),
        "free below": below,
        "usual height": np.full(len(box), usual),
        "usual lines": np.full(len(box), usual / max(float(np.median(size)) if len(size) else 10.0, 1.0)),
        "text fields": np.full(len(box), float((~around.choice).sum())),
    }


def text_kinds(around: Surroundings, words: Words, scorer: LabelScorer) -> Kinds:
    """The kind of each field; says nothing useful about boxes to tick and signatures."""
    columns = kind_columns(around, words)
    if not len(around.field):
        return Kinds(np.zeros(0, np.intp), np.zeros(0, np.intp))
    kind = (scorer.kind(columns) + _BONUS).argmax(1)
    cells = columns["cells"].astype(np.intp)
    # A comb needs cells to count; where none are drawn there is nothing to take the number from.
    return Kinds(np.where((kind == TextKind.COMB) & (cells < 2), TextKind.LINE, kind), cells)


def _box(row: Floats) -> Box:
    x0, y0, x1, y1 = (float(side) for side in row)
    return x0, y0, x1, y1


def _words_inside(box: Boxes, words: Words) -> Floats:
    x, y = (words.box[:, 0] + words.box[:, 2]) / 2, (words.box[:, 1] + words.box[:, 3]) / 2
    out = np.zeros(len(box))
    for part in blocks(len(box), len(words) + 1):
        x0, y0, x1, y1 = box[part].T[:, :, None]
        out[part] = ((x > x0) & (x < x1) & (y > y0) & (y < y1)).sum(1)
    return out


def _rules_inside(around: Surroundings) -> Floats:
    """How many horizontal rules cross at least half of a field, its edges not counted."""
    box, rules = around.field, around.rules.writable
    out = np.zeros(len(box))
    for part in blocks(len(box), len(rules) + 1):
        x0, y0, x1, y1 = box[part].T[:, :, None]
        shared = np.minimum(rules.high, x1) - np.maximum(rules.low, x0)
        out[part] = ((rules.at > y0 + 4) & (rules.at < y1 - 4) & (shared > 0.5 * (x1 - x0))).sum(1)
    return out


def _gap_below(box: Boxes) -> Floats:
    """Distance to the next field below, at most 99."""
    out = np.full(len(box), 99.0)
    for part in blocks(len(box), len(box) + 1):
        column = (box[None, :, 0] < box[part, None, 2]) & (box[None, :, 2] > box[part, None, 0])
        gap = np.where(
            column & (box[None, :, 1] > box[part, None, 1] + 1), box[None, :, 1] - box[part, None, 3], 99.0
        )
        out[part] = np.clip(gap.min(1, initial=99.0), -99.0, 99.0)
    return out
