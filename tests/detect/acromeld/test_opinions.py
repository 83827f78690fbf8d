# SPDX-License-Identifier: Apache-2.0
"""FFGBT's opinion as tokens."""

from __future__ import annotations

import numpy as np

from acromeld.detect.acromeld.contract import RuntimeContract
from acromeld.detect.acromeld.inputs import read_tokens
from acromeld.detect.acromeld.opinions import JUDGEMENTS
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.structure.descriptor import SIZE
from acromeld.structure.kinds import TokenKind
from tests.detect.acromeld.pages import page, picture, ruled
from tests.detect.acromeld.test_inputs import CONTRACT

EXPERT = FfgbtDetector()


def contract(**changes: object) -> RuntimeContract:
    return CONTRACT.model_copy(update={"opinions": True, "max_evidence": 6, "descriptor": 250, **changes})


def test_the_likeliest_candidates_follow_the_primitives_with_what_is_known_of_them():
    seen = page(primitives=ruled(), raster=picture())
    tokens = read_tokens(seen, contract(), expert=EXPERT)
    known = EXPERT.study(seen, ruled(), inferred=False)
    assert known is not None
    derived = tokens.kind >= len(TokenKind)
    assert 0 < derived.sum() == min(6, len(known))
    assert not tokens.descriptor[~derived, SIZE:].any()
    belief = tokens.descriptor[derived, SIZE + JUDGEMENTS - 1]
    assert np.allclose(belief, np.sort(1 - known.probability[:, 0])[::-1][:6])
    best = known.probability[:, 0].argmin()
    sides = [seen.width, seen.height] * 2
    assert np.allclose(tokens.box[derived][0], known.box[best] / sides, atol=1e-6)
    assert np.allclose(
        tokens.descriptor[derived][0, SIZE + JUDGEMENTS :][: known.features.shape[1]], known.features[best]
    )


def test_descriptors_are_as_wide_as_the_contract_says_even_where_nothing_is_known():
    assert read_tokens(page(), contract(), expert=EXPERT).descriptor.shape == (1, 250)


def test_fewer_tokens_for_a_smaller_contract():
    tokens = read_tokens(page(primitives=ruled(), raster=picture()), contract(max_tokens=3), expert=EXPERT)
    assert (tokens.kind < len(TokenKind)).sum() == 3
