# SPDX-License-Identifier: Apache-2.0
from dataclasses import replace

import numpy as np
import pytest

from acromeld.detect.acromeld.appraisal.appraiser import Appraiser
from acromeld.detect.acromeld.appraisal.weights import pack, unpack
from acromeld.detect.acromeld.hashed_words import BUCKETS, Evidence
from acromeld.errors import IntegrityError
from acromeld.weights_file import pack as pack_arrays
from tests.detect.acromeld.appraisal.made import SIZE, appraiser, contract, opinions, seen, weights
from tests.detect.acromeld.signing.made import words


def test_a_place_scores_what_the_trees_say_and_others_rise_and_fall_with_it():
    network = seen()
    found = appraiser(bias=np.log(0.2 / 0.8)).appraise(network, opinions(), None, SIZE)
    assert found.speakers.tolist() == [4, 0, 2, 1]
    assert found.score[found.speakers] == pytest.approx(np.full(4, np.sqrt(0.2 * 0.9)))
    assert found.score[3] == pytest.approx(network.score[3] * np.sqrt(0.2 / 0.8)), "so does the twin"
    assert found.score[3] < found.score[0]
    assert found.score[5] == network.score[5], "nobody looks at what is too faint"


def test_no_score_is_above_one():
    found = appraiser(bias=20.0).appraise(seen(), opinions(), None, SIZE)
    assert found.score.max() <= 1.0


def test_captions_are_heard():
    weight = np.zeros(BUCKETS, dtype=np.float32)
    listening = appraiser({"caption says": 1.0}, caption=Evidence(weight, -2.0))
    before = listening.appraise(seen(), opinions(), words(("Amount", 60, 288)), SIZE).score
    weight[:] = 5.0
    after = listening.appraise(seen(), opinions(), words(("Amount", 60, 288)), SIZE).score
    assert after[0] > before[0]
    assert after[2] == pytest.approx(before[2]), "nothing is written at the third"


def test_an_empty_page_stays_empty():
    network = seen()
    network.score[:] = 0.0
    found = appraiser().appraise(network, opinions(), None, SIZE)
    assert not found.score.any()
    assert not len(found.speakers)


def test_files_are_read_back_and_others_refused():
    given = weights({"score": 2.0}, 0.5)
    data = pack(given)
    found = unpack(data)
    assert (found.trees, found.columns) == (given.trees, given.columns)
    assert data == pack(given), "the same parts give the same bytes"
    with pytest.raises(IntegrityError, match="damaged"):
        unpack(data[:-40])
    with pytest.raises(IntegrityError, match="this version reads"):
        unpack(pack_arrays({"format": "acromeld.appraisal/9"}, {}))
    few = replace(given, caption=Evidence(np.zeros(7, dtype=np.float32), 0.0))
    with pytest.raises(IntegrityError, match="other words"):
        unpack(pack(few))


def test_trees_for_other_columns_are_refused():
    given = weights()
    other = Appraiser(replace(given, columns=given.columns[::-1]), contract())
    with pytest.raises(IntegrityError, match="other columns"):
        other.appraise(seen(), opinions(), None, SIZE)
