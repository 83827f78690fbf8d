# SPDX-License-Identifier: Apache-2.0
"""Candidates: the derived evidence, widened until recall is not the limit.

Precision is the trees' business. What is added here are the shapes authors give to fields that no single
piece of evidence has: runs of equal cells taken together (combs), what is left of a cell beside its label,
whole rules in spite of words on them, taller room for signatures, and the blank strip below a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.evidence import EvidenceKind, derive_evidence, printed_words, usual_size
from acromeld.structure.intervals import cluster, merge
from acromeld.structure.rules import PageRules, page_rules
from acromeld.structure.spaces import above_rules, below_labels

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes
    from acromeld.pdf.page import Primitives


class CandidateKind(IntEnum):
    """Evidence kinds keep their numbers; the widened kinds follow."""

    CELL = EvidenceKind.CELL
    CELL_REST = EvidenceKind.CELL_REST
    PANEL = EvidenceKind.PANEL
    RULE_SPACE = EvidenceKind.RULE_SPACE
    UNDERSCORES = EvidenceKind.UNDERSCORES
    LEADER = EvidenceKind.LEADER
    LABEL_GAP = EvidenceKind.LABEL_GAP
    SQUARE = EvidenceKind.SQUARE
    CIRCLE = EvidenceKind.CIRCLE
    GLYPH = EvidenceKind.GLYPH
    BRACKETS = EvidenceKind.BRACKETS
    CELL_BESIDE = 11
    CELL_RUN = 12
    RULE_WHOLE = 13
    RULE_TALL = 14
    BELOW_LABEL = 15


MARKS = (CandidateKind.SQUARE, CandidateKind.CIRCLE, CandidateKind.GLYPH, CandidateKind.BRACKETS)
"""Kinds that are something to tick; all others are something to write on."""


@dataclass(frozen=True)
class Candidates:
    """``kind`` ``(n,)`` of `CandidateKind` and ``box`` ``(n, 4)``, and the rules they were made from."""

    kind: npt.NDArray[np.int8]
    box: Boxes
    rules: PageRules

    def __len__(self) -> int:
        return len(self.kind)


_MAX_CANDIDATES = 2_400
"""Described pairwise, so this bounds memory; the fullest page of the corpus stays below it."""

_MIN_SIDE = 4.0


def page_candidates(primitives: Primitives, width: float, height: float) -> Candidates:
    """All candidates of a page of the given displayed size, in a stable order."""
    rules = page_rules(primitives.shapes)
    evidence = derive_evidence(primitives, width, height, rules)
    printed = printed_words(primitives.words)
    size = usual_size(primitives.words)
    box, kind = evidence.box, evidence.kind
    closed = box[np.isin(kind, (EvidenceKind.CELL, EvidenceKind.PANEL, EvidenceKind.SQUARE))]
    found = [
        (CandidateKind.CELL_BESIDE, _beside_words(box[kind == EvidenceKind.CELL], printed)),
        (CandidateKind.CELL_RUN, _runs(closed)),
        (CandidateKind.RULE_WHOLE, above_rules(rules, np.zeros((0, 4)), size)),
        (CandidateKind.RULE_TALL, above_rules(rules, printed, size, lines=3.2)),
        (CandidateKind.BELOW_LABEL, below_labels(primitives.words, rules, size, width)),
    ]
    extra = np.concatenate([boxes for _, boxes in found])
    extra_kind = np.repeat(np.array([k for k, _ in found], dtype=np.int8), [len(b) for _, b in found])
    extra = np.clip(extra, 0.0, [width, height, width, height])
    keep = (extra[:, 2:] - extra[:, :2] >= _MIN_SIDE).all(1)
    keep &= _new(extra, box)
    kind, box = np.concatenate([kind, extra_kind[keep]]), np.concatenate([box, extra[keep]])
    return Candidates(kind[:_MAX_CANDIDATES], box[:_MAX_CANDIDATES], rules)


def _new(extra: Boxes, known: Boxes) -> npt.NDArray[np.bool_]:
    """Which extra boxes are not, to a point, already known or an earlier extra; ``(n,)``."""
    rounded = np.round(np.concatenate([known, extra]))
    _, first = np.unique(rounded, axis=0, return_index=True)
    fresh = np.zeros(len(rounded), dtype=np.bool_)
    fresh[first] = True
    return fresh[len(known) :]


def _beside_words(cells: Boxes, printed: Boxes) -> Boxes:
    """What is left of a cell to the right of the words printed in it."""
    if len(cells) == 0 or len(printed) == 0:
        return np.zeros((0, 4))
    x, y = (printed[:, 0] + printed[:, 2]) / 2, (printed[:, 1] + printed[:, 3]) / 2
    inside = (x > cells[:, :1]) & (x < cells[:, 2:3]) & (y > cells[:, 1:2]) & (y < cells[:, 3:])
    wall = np.where(inside, printed[:, 2], -np.inf).max(1, initial=-np.inf)
    keep = np.isfinite(wall) & (cells[:, 2] - wall >= 12)
    return np.column_stack([wall[keep] + 1, cells[keep, 1:]])


def _runs(cells: Boxes) -> Boxes:
    """Neighbouring cells of one row and size taken together: the whole comb, or a split table cell."""
    if len(cells) < 2:
        return np.zeros((0, 4))
    side = cells[:, 2:] - cells[:, :2]
    row = cluster(cells[:, 1] * 64 + np.round(side[:, 1] / 3), 2.0 * 64)
    low, high, _, member = merge(cells[:, 0], cells[:, 2], row, 3.0)
    count = np.bincount(member, minlength=len(low))
    top = np.full(len(low), np.inf)
    bottom = np.full(len(low), -np.inf)
    np.minimum.at(top, member, cells[:, 1])
    np.maximum.at(bottom, member, cells[:, 3])
    several = count > 1
    return np.stack([low, top, high, bottom], 1)[several]
