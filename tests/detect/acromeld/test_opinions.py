# SPDX-License-Identifier: Apache-2.0
"""FFGBT's opinion as tokens."""

from __future__ import annotations

import numpy as np

from acromeld.detect.acromeld.contract import RuntimeContract
from acromeld.detect.acromeld.inputs import read_tokens
from acromeld.detect.acromeld.opinions import JUDGEMENTS, chosen, judgements, opinions_in
from acromeld.detect.ffgbt.detector import FfgbtDetector, Study
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


def test_opinions_are_read_back_from_tokens():
    seen = page(primitives=ruled(), raster=picture())
    known = EXPERT.study(seen, ruled(), inferred=False)
    assert known is not None
    heard = opinions_in(read_tokens(seen, contract(), expert=EXPERT), (seen.width, seen.height))
    rows = chosen(known, 6, spread=False)
    assert np.allclose(heard.box, known.box[rows], atol=1e-3)
    assert heard.kind.tolist() == known.kind[rows].tolist()
    assert np.allclose(heard.said, judgements(known)[rows])
    assert len(opinions_in(read_tokens(page(), contract(), expert=EXPERT), (600.0, 800.0)).box) == 0


def test_descriptors_are_as_wide_as_the_contract_says_even_where_nothing_is_known():
    assert read_tokens(page(), contract(), expert=EXPERT).descriptor.shape == (1, 250)


def test_fewer_tokens_for_a_smaller_contract():
    tokens = read_tokens(page(primitives=ruled(), raster=picture()), contract(max_tokens=3), expert=EXPERT)
    assert (tokens.kind < len(TokenKind)).sum() == 3


def crowded() -> Study:
    """Three places with two candidates each, the second nearly as likely, and a fourth with one unlikely."""
    left = np.array([0.0, 0.0, 100.0, 100.0, 200.0, 200.0, 300.0])
    nudge = np.array([0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 0.0])
    box = np.stack([left + nudge, np.zeros(7), left + nudge + 50.0, np.full(7, 20.0)], axis=1)
    none = np.array([0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.6])
    probability = np.stack([none, 1 - none, np.zeros(7), np.zeros(7)], axis=1)
    return Study(
        np.zeros(7, dtype=np.int8), box, np.zeros((7, 3), dtype=np.float32), probability, np.full(7, 0.8)
    )


def test_spread_opinions_hear_every_place_before_a_second_candidate_of_one():
    assert chosen(crowded(), 4, spread=False).tolist() == [0, 1, 2, 3]
    assert chosen(crowded(), 4, spread=True).tolist() == [0, 2, 4, 6]
    assert chosen(crowded(), 6, spread=True).tolist() == [0, 2, 4, 6, 1, 3]


def test_where_there_is_room_for_all_nothing_is_rearranged():
    assert chosen(crowded(), 7, spread=True).tolist() == list(range(7))


def test_a_contract_from_before_there_was_a_choice_keeps_its_digest():
    before = CONTRACT.model_dump(mode="json")
    assert "spread_opinions" not in before
    assert contract(spread_opinions=True).model_dump()["spread_opinions"] is True
