# SPDX-License-Identifier: Apache-2.0
"""The `rules` detector: derived evidence scored by hand-set rules, no training.

It makes the product useful before any model is there, and it is the floor every trained detector has to
clear. A candidate is believed by its kind of evidence, less so when something is printed in it, when it holds
check boxes, or when its size is unusual. Of candidates that lie in one another the best one speaks. The
"weights" of this detector are this file.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import CAP
from acromeld.detect.reading import read
from acromeld.fields import KINDS, DetectorRef, FieldKind, OperatingPoint
from acromeld.geometry import intersection, overlap
from acromeld.pdf.page import PageNeeds, Primitives, ShapeKind
from acromeld.structure.availability import usable_primitives
from acromeld.structure.evidence import Evidence, EvidenceKind, derive_evidence, printed_words
from acromeld.structure.intervals import blocks
from acromeld.structure.marks import mark_sized

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Page, Shapes, Words

_BELIEF: dict[EvidenceKind, float] = {
    EvidenceKind.CELL: 0.70,
    EvidenceKind.CELL_REST: 0.60,
    EvidenceKind.PANEL: 0.66,
    EvidenceKind.RULE_SPACE: 0.62,
    EvidenceKind.UNDERSCORES: 0.80,
    EvidenceKind.LEADER: 0.20,
    EvidenceKind.LABEL_GAP: 0.18,
    EvidenceKind.SQUARE: 0.78,
    EvidenceKind.CIRCLE: 0.66,
    EvidenceKind.GLYPH: 0.74,
    EvidenceKind.BRACKETS: 0.72,
}
"""How often, roughly, an undisturbed candidate of each kind is a field."""

_TEXT, _CHOICE, _SIGNED = (
    KINDS.index(kind) for kind in (FieldKind.TEXT, FieldKind.CHOICE, FieldKind.SIGNATURE)
)
_MARKS = (EvidenceKind.SQUARE, EvidenceKind.CIRCLE, EvidenceKind.GLYPH, EvidenceKind.BRACKETS)
_SAME_PLACE = 0.5
_SIGNATURE = re.compile(
    r"signatur|signed|unterschrift|firma\b|assinatura|handtekening|underskrift|podpis|подпис|توقيع|署名|签名",
    re.IGNORECASE,
)
_SIGNATURE_REACH = (260.0, 16.0)


class RulesDetector:
    """Scores derived evidence; pages without primitives are read off their raster."""

    ref = DetectorRef(name="rules", weights=hashlib.sha256(Path(__file__).read_bytes()).hexdigest())
    needs = PageNeeds(raster_long_side=1600)
    cap = CAP
    operating_point = OperatingPoint(text=0.5, choice=0.5, signature=0.5, nms=0.5, link=1.0)

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page."""
        return [read(page, self._page) for page in pages]

    def _page(self, page: Page) -> PageCandidates:
        primitives, _ = usable_primitives(page)
        if primitives is None:
            return PageCandidates.empty()
        evidence = derive_evidence(primitives, page.width, page.height)
        if len(evidence) == 0:
            return PageCandidates.empty()
        score = _scores(evidence, primitives, page.width, page.height)
        kind = _kinds(evidence, primitives.words)
        rows = _representatives(evidence.box, score)
        origin = tuple(EvidenceKind(evidence.kind[row]).name.lower() for row in rows)
        return PageCandidates(evidence.box[rows], kind[rows], score[rows], origin)


def _scores(evidence: Evidence, primitives: Primitives, width: float, height: float) -> Floats:
    """Belief in each candidate, ``(n,)``."""
    belief = np.array([_BELIEF[EvidenceKind(kind)] for kind in range(len(EvidenceKind))])[evidence.kind]
    mark = np.isin(evidence.kind, _MARKS)
    covered = np.where(mark, 0.0, _printed_share(evidence.box, primitives.words))
    holds_marks = ~mark & (_marks_inside(evidence.box, evidence.box[mark]) > 0)
    score = belief * np.exp(-6.0 * covered) * np.where(holds_marks, 0.35, 1.0)
    score = np.where(mark, score, score * _size_belief(evidence.box, covered, width))
    score = score * np.where(_on_banner(evidence.box, primitives.shapes), 0.15, 1.0)
    rule = evidence.kind == EvidenceKind.RULE_SPACE
    return np.where(rule, score * _rule_belief(evidence.box, width, height), score)


def _on_banner(box: Boxes, shapes: Shapes) -> npt.NDArray[np.bool_]:
    """Whether a candidate lies on a dark area, where nobody can write; ``(n,)``."""
    dark = (shapes.kind == ShapeKind.RECT) & shapes.filled & (shapes.fill < 0.6)
    area = np.maximum((box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1]), 1.0)
    covered: npt.NDArray[np.bool_] = intersection(box, shapes.box[dark]).max(1, initial=0.0) / area > 0.5
    return covered & ~mark_sized(box[:, 2:] - box[:, :2])


def _size_belief(box: Boxes, covered: Floats, width: float) -> Floats:
    """Low for flat slits, and for tall boxes and frames across the page with something printed in them."""
    side = box[:, 2:] - box[:, :2]
    flat = np.clip(side[:, 1] / 9.0, 0.3, 1.0)
    used = covered > 0.01
    frame = used & (side[:, 0] > 0.8 * width) & (side[:, 1] > 40)
    tall = side[:, 1] > np.where(used, 160, 400)
    return flat * np.where(tall, 0.5, 1.0) * np.where(frame, 0.7, 1.0)


def _rule_belief(box: Boxes, width: float, height: float) -> Floats:
    """Low for short pieces between words, rules across the page, and rules of headers and footers."""
    share = (box[:, 2] - box[:, 0]) / width
    place = box[:, 1] / height
    piece = np.where(share < 0.05, 0.4, np.where(share < 0.1, 0.85, 1.0))
    divider = np.where(share > 0.85, 0.6, 1.0)
    margin = np.where((place < 0.05) | (place > 0.95), 0.5, 1.0)
    return piece * divider * margin * np.where(box[:, 3] - box[:, 1] < 10, 0.5, 1.0)


def _printed_share(box: Boxes, words: Words) -> Floats:
    """Share of each candidate that visible words cover, ``(n,)``; leaders and underscores do not count."""
    printed = printed_words(words)
    inner = box + np.array([0.5, 1.0, -0.5, -1.0])
    area = np.maximum((inner[:, 2] - inner[:, 0]) * (inner[:, 3] - inner[:, 1]), 1.0)
    share = np.zeros(len(box))
    for part in blocks(len(box), len(printed)):
        share[part] = intersection(inner[part], printed).sum(1) / area[part]
    return share


def _marks_inside(box: Boxes, marks: Boxes) -> npt.NDArray[np.int64]:
    centre = (marks[:, :2] + marks[:, 2:]) / 2
    count = np.zeros(len(box), dtype=np.int64)
    for part in blocks(len(box), len(marks)):
        inside = (centre[None] > box[part, None, :2]) & (centre[None] < box[part, None, 2:])
        count[part] = inside.all(2).sum(1)
    return count


def _kinds(evidence: Evidence, words: Words) -> npt.NDArray[np.int64]:
    """Class index of each candidate: marks are choices, a signature wording next to a space makes it one."""
    kind = np.where(
        np.isin(evidence.kind, _MARKS), KINDS.index(FieldKind.CHOICE), KINDS.index(FieldKind.TEXT)
    )
    wording = np.array([bool(_SIGNATURE.search(text)) for text in words.text], dtype=np.bool_)
    if not wording.any():
        return kind
    label = words.box[wording]
    box = evidence.box
    across, down = _SIGNATURE_REACH
    left = (label[None, :, 2] <= box[:, None, 0] + 4) & (label[None, :, 2] > box[:, None, 0] - across)
    left &= (label[None, :, 1] < box[:, None, 3] + 2) & (label[None, :, 3] > box[:, None, 1])
    below = (label[None, :, 1] >= box[:, None, 3] - 3) & (label[None, :, 1] < box[:, None, 3] + down)
    below &= (label[None, :, 0] >= box[:, None, 0] - 6) & (label[None, :, 2] <= box[:, None, 2] + 6)
    wide = (box[:, 2] - box[:, 0]) > 80
    signed = (left.any(1) | below.any(1)) & wide & (kind == _TEXT)
    kind[signed] = _SIGNED
    return kind


def _representatives(box: Boxes, score: Floats) -> npt.NDArray[np.intp]:
    """Greedy choice: the best candidate of each place, in descending score."""
    waiting = np.argsort(-score, kind="stable")
    kept: list[np.intp] = []
    while len(waiting):
        best = waiting[0]
        kept.append(best)
        waiting = waiting[1:]
        waiting = waiting[overlap(box[best : best + 1], box[waiting])[0] < _SAME_PLACE]
    return np.array(kept, dtype=np.intp)
