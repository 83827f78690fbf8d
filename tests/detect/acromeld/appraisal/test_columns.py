# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.detect.acromeld.appraisal.appraiser import sources
from acromeld.detect.acromeld.appraisal.columns import Measured, log_odds, measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.seen import Seen
from acromeld.detect.decoding import NOBODY
from tests.detect.acromeld.appraisal.made import SIZE, contract, opinions, seen, silence
from tests.detect.acromeld.signing.made import words


def measured(network: Seen, heard=None, printed=None) -> Measured:
    heard = opinions() if heard is None else heard
    return measure(network, speakers(network), sources(contract()), heard, printed, SIZE)


def test_the_best_query_speaks_for_its_place():
    found = speakers(seen())
    assert found.rows.tolist() == [4, 0, 2, 1], "best first; the twin is spoken for, the last is too faint"
    assert found.of.tolist() == [1, 3, 2, 1, 0, NOBODY]


def test_places_are_measured_in_their_company():
    columns = measured(seen(), printed=words(("Amount", 60, 288), ("kg", 70, 303))).columns
    place = {name: dict(zip(("tick", "first", "third", "second"), column, strict=True)) for name, column in
             columns.items()}  # fmt: skip
    score = seen().score
    assert place["score"]["first"] == pytest.approx(np.sqrt(0.72))
    assert place["text"]["first"] == pytest.approx(np.log(4))
    assert (place["is choice"]["tick"], place["is choice"]["first"]) == (1.0, 0.0)
    assert place["source"] == {"first": 0.0, "second": 0.0, "third": 0.0, "tick": 1.0}
    assert (place["spoken for"]["first"], place["spoken for"]["third"]) == (1.0, 0.0)
    assert place["best structure"]["first"] == pytest.approx(score[3]), "the twin is from structure"
    assert place["near structure"]["first"] == pytest.approx(score[3])
    assert (place["opinion belief"]["second"], place["opinion belief"]["first"]) == (0.95, -9.0)
    assert (place["opinion kind"]["second"], place["opinion kind"]["first"]) == (4.0, -1.0)
    assert (place["width"]["first"], place["height"]["tick"]) == (80.0, 10.0)
    assert place["alike in row"]["first"] == pytest.approx((score[1] + score[2]) / 2)
    assert (place["alike in row, count"]["first"], place["alike, count"]["tick"]) == (2.0, 0.0)
    assert place["alike"]["tick"] == -1.0, "nothing is like it"
    assert place["nearest"]["first"] == pytest.approx(20.0)
    assert (place["gap above"]["tick"], place["score above"]["tick"]) == (-1.0, -1.0), (
        "nothing right above it"
    )
    assert (place["words"]["first"], place["words inside"]["first"]) == (2.0, 1.0)
    assert place["word above"]["first"] == pytest.approx(2.0)
    assert all(np.isfinite(column).all() and len(column) == 4 for column in columns.values())


def test_what_stands_above_and_across_is_told():
    network = seen()
    network.box[4] = [60.0, 320.0, 70.0, 330.0]  # the box to tick, below the first of the row
    columns = measured(network).columns
    assert columns["gap above"][0] == pytest.approx(5.0)
    assert columns["score above"][0] == pytest.approx(network.score[0])
    assert columns["gap below"][1] == pytest.approx(5.0)
    network.box[2] = [55.0, 302.0, 120.0, 312.0]  # the third inside the first, and not linked to it
    assert measured(network).columns["rival"][1] == pytest.approx(network.score[2])


def test_pages_without_words_opinions_or_company_are_measured_too():
    lone = seen()
    lone.score[1:] = 0.0
    for network in (seen(), lone):
        columns = measured(network, silence()).columns
        assert all(np.isfinite(column).all() for column in columns.values())
        assert (columns["opinion best"] == -1.0).all()
        assert (columns["words"] == 0).all()


def test_log_odds_stay_finite():
    assert log_odds(np.array([0.0, 0.5, 1.0])) == pytest.approx([-11.5129, 0.0, 11.5129], abs=1e-3)
