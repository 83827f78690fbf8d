# SPDX-License-Identifier: Apache-2.0
"""Derived evidence as further tokens, for contracts with ``derived_kinds``.

A derived token is described like an undrawn rectangle: its geometry, no ink, no text. What it is derived
from is its kind. The paper's tokens of the page stay as they are, in front.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.pdf.page import ShapeKind, Shapes
from acromeld.structure.descriptor import shape_descriptors
from acromeld.structure.kinds import TokenKind
from acromeld.structure.selection import select
from acromeld.structure.tokens import Tokens

if TYPE_CHECKING:
    from acromeld.geometry import Boxes
    from acromeld.structure.evidence import Evidence


def with_evidence(tokens: Tokens, evidence: Evidence, width: float, height: float, limit: int) -> Tokens:
    """Tokens of a page of the given displayed size followed by at most ``limit`` derived ones.

    Too much evidence is thinned like primitives are: spread over the page and over the kinds.
    """
    if not tokens.available or len(evidence) == 0:
        return tokens
    box = np.clip(evidence.box / [width, height, width, height], 0.0, 1.0)
    rows = select(box, evidence.kind, np.ones(len(evidence), dtype=np.bool_), limit)
    descriptor = shape_descriptors(_undrawn(evidence.box), rows, width, height)
    descriptor[:, -1] = tokens.descriptor[0, -1]
    kind = (evidence.kind[rows] + len(TokenKind)).astype(np.int8)
    text = np.zeros((len(rows), tokens.text.shape[1]), dtype=np.uint8)
    return Tokens(
        kind=np.concatenate([tokens.kind, kind]),
        box=np.concatenate([tokens.box, box[rows].astype(np.float32)]),
        descriptor=np.concatenate([tokens.descriptor, descriptor]),
        text=np.concatenate([tokens.text, text]),
        available=True,
    )


def _undrawn(box: Boxes) -> Shapes:
    """Rectangles without stroke or fill."""
    count, zero, one = len(box), np.zeros(len(box)), np.ones(len(box))
    no = np.zeros(count, dtype=np.bool_)
    kind = np.full(count, ShapeKind.RECT, dtype=np.int8)
    straight = np.full(count, 4, dtype=np.int32)
    curves = np.zeros(count, dtype=np.int32)
    return Shapes(kind, box, zero, no, one, one, straight, curves, no)
