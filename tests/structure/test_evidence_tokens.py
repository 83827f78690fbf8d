# SPDX-License-Identifier: Apache-2.0
"""Derived evidence as further tokens."""

from dataclasses import replace

import numpy as np
import pytest

from acromeld.structure.evidence import Evidence, EvidenceKind
from acromeld.structure.evidence_tokens import with_evidence
from acromeld.structure.kinds import TokenKind
from acromeld.structure.tokens import unavailable

KINDS = np.arange(len(EvidenceKind), dtype=np.int8)
EVIDENCE = Evidence(KINDS, np.tile([60.0, 80.0, 120.0, 100.0], (len(KINDS), 1)))


def test_derived_evidence_follows_the_papers_tokens():
    tokens = with_evidence(replace(unavailable(), available=True), EVIDENCE, 600, 800, limit=9)
    assert len(tokens) == 10
    assert tokens.kind[0] == TokenKind.PAGE
    assert set(tokens.kind[1:]) <= set(range(len(TokenKind), len(TokenKind) + len(EvidenceKind)))
    assert tokens.box[3].tolist() == pytest.approx([0.1, 0.1, 0.2, 0.125])
    assert tokens.descriptor[3, :4].tolist() == pytest.approx([0.15, 0.1125, 0.1, 0.025])


def test_a_page_without_structure_gets_no_evidence():
    assert len(with_evidence(unavailable(), EVIDENCE, 600, 800, limit=9)) == 1
