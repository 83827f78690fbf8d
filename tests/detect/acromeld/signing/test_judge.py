# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.detect.acromeld.hashed_words import BUCKETS, Evidence, page_buckets
from acromeld.detect.acromeld.seen import CHOICE, SIGNATURE, TEXT
from acromeld.detect.acromeld.signing.judge import SigningJudge
from acromeld.detect.acromeld.signing.weights import unpack
from acromeld.errors import IntegrityError
from acromeld.weights_file import pack as pack_arrays
from tests.detect.acromeld.signing.made import SIZE, line_to_sign, packed, seen, words

LINE = ([50.0, 495.0, 300.0, 515.0], [0.8, 0.0, 0.1])
TWIN = ([51.0, 496.0, 299.0, 515.0], [0.1, 0.0, 0.7])
NAME = ([90.0, 298.0, 300.0, 312.0], [0.9, 0.0, 0.0])
BOX = ([400.0, 100.0, 410.0, 110.0], [0.0, 0.9, 0.0])


def settle(data: bytes, *places, printed=None, factor=1.0):
    network = seen(*places)
    kind = network.probability.argmax(axis=1)
    judge = SigningJudge(unpack(data))
    printed = line_to_sign() if printed is None else printed
    return judge.settle(network, printed, SIZE, kind, network.score * factor)


def logit(probability: float) -> float:
    return float(np.log(probability / (1 - probability)))


def test_a_likely_place_is_a_signature_and_the_rest_stays():
    kind, score = settle(packed(bias=logit(0.49)), LINE, TWIN, NAME, BOX, factor=0.5)
    assert kind.tolist() == [SIGNATURE, SIGNATURE, TEXT, CHOICE]
    assert score[:2] == pytest.approx(0.5 * np.sqrt([0.9 * 0.9, 0.8 * 0.9])), "a field of either kind"
    assert score[2:] == pytest.approx(0.5 * np.sqrt([0.81, 0.81]))


def test_the_likeliest_candidate_says_what_its_place_is():
    kind, _ = settle(packed({"signature": 1.0}, bias=logit(0.6)), LINE, TWIN)
    assert kind.tolist() == [SIGNATURE, SIGNATURE]
    kind, _ = settle(packed({"signature": 1.0}, bias=logit(0.6)), LINE)
    assert kind.tolist() == [TEXT]


def test_an_unlikely_place_is_text_even_if_the_network_said_signature():
    kind, score = settle(packed(bias=logit(0.1)), LINE, TWIN, factor=0.5)
    assert kind.tolist() == [TEXT, TEXT]
    assert score == pytest.approx(0.5 * np.sqrt([0.9 * 0.9, 0.8 * 0.9]))


def test_an_appraised_score_is_that_of_either_kind_already():
    network = seen(LINE)
    judge = SigningJudge(unpack(packed(bias=logit(0.49))))
    kind, score = judge.settle(
        network, line_to_sign(), SIZE, np.array([TEXT]), np.array([0.99]), appraised=True
    )
    assert (kind.tolist(), score.tolist()) == ([SIGNATURE], [0.99])


def test_what_the_network_takes_for_a_box_to_tick_stays_one():
    tick = ([50.0, 495.0, 300.0, 515.0], [0.3, 0.4, 0.1])
    kind, score = settle(packed(bias=5.0), tick)
    assert kind.tolist() == [CHOICE]
    assert score == pytest.approx(seen(tick).score)


def test_where_nothing_asks_for_a_signature_the_network_has_the_last_word():
    kind, score = settle(packed(bias=9.0), LINE, TWIN, printed=words(("Name", 50, 520)))
    assert kind.tolist() == [TEXT, SIGNATURE]
    assert score == pytest.approx(seen(LINE, TWIN).score)


def heard(told: str) -> Evidence:
    """Evidence that a word is all there is to know."""
    weight = np.zeros(BUCKETS, dtype=np.float32)
    weight[page_buckets([told])] = 30.0
    return Evidence(weight, -3.0)


def test_the_words_of_the_page_decide():
    says = {"page says": 1.0}
    assert settle(packed(says, page=heard("applicant")), LINE)[0].tolist() == [SIGNATURE]
    assert settle(packed(says, page=heard("witness")), LINE)[0].tolist() == [TEXT]


def test_words_at_the_top_of_the_page_decide_on_their_own():
    says, bureau = {"margin says": 1.0}, heard("bureau")
    for top, kind in ((40, SIGNATURE), (300, TEXT)):
        printed = words(("Bureau", 50, top), ("Signature", 50, 520))
        assert settle(packed(says, margin=bureau), LINE, printed=printed)[0].tolist() == [kind]


def test_damaged_and_foreign_files_are_refused():
    whole = packed(enough=0.25)
    assert unpack(whole).enough == 0.25
    assert whole == packed(enough=0.25), "the same parts give the same bytes"
    with pytest.raises(IntegrityError, match="damaged"):
        unpack(whole[:-40])
    with pytest.raises(IntegrityError, match="damaged"):
        unpack(pack_arrays({"format": "acromeld.signing/2"}, {}))
    with pytest.raises(IntegrityError, match="this version reads"):
        unpack(pack_arrays({"format": "acromeld.signing/9"}, {}))


def test_trees_for_other_columns_are_refused():
    from dataclasses import replace

    weights = unpack(packed())
    judge = SigningJudge(replace(weights, columns=weights.columns[::-1]))
    network = seen(LINE)
    with pytest.raises(IntegrityError, match="other columns"):
        judge.settle(network, line_to_sign(), SIZE, np.array([TEXT]), network.score)
