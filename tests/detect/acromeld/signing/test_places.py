# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.detect.acromeld.hashed_words import page_buckets
from acromeld.detect.acromeld.signing.places import places_to_sign
from tests.detect.acromeld.signing.made import SIZE, line_to_sign, seen, words

LINE = ([50.0, 495.0, 300.0, 515.0], [0.6, 0.0, 0.2])


def test_a_page_that_asks_for_no_signature_has_no_places():
    assert places_to_sign(seen(LINE), words(("Name", 50, 520)), SIZE) is None
    assert places_to_sign(seen(LINE), words(), SIZE) is None


@pytest.mark.parametrize(
    "box",
    [
        [50.0, 100.0, 300.0, 120.0],  # far from the wording
        [50.0, 495.0, 70.0, 515.0],  # narrower than a signature
        [50.0, 512.0, 300.0, 515.0],  # flat
        [50.0, 300.0, 300.0, 515.0],  # a whole block
    ],
)
def test_what_nobody_signs_in_is_no_place(box):
    assert places_to_sign(seen((box, [0.6, 0.0, 0.2])), line_to_sign(), SIZE) is None


def test_check_boxes_and_what_the_network_has_not_seen_are_no_places():
    box = LINE[0]
    found = places_to_sign(seen((box, [0.1, 0.8, 0.1]), (box, [0.001, 0, 0.001]), LINE), line_to_sign(), SIZE)
    assert found is not None
    assert found.rows.tolist() == [2]


def test_places_are_measured():
    other = ([320.0, 495.0, 500.0, 515.0], [0.9, 0.0, 0.01])
    twin = ([52.0, 495.0, 300.0, 516.0], [0.1, 0.0, 0.7])
    printed = words(("Signature", 50, 520), ("Date", 320, 520))
    found = places_to_sign(seen(LINE, other, twin), printed, SIZE)
    assert found is not None
    assert found.rows.tolist() == [0, 2], "what stands over the date alone is no place to sign"
    measured = {name: column[0] for name, column in found.columns.items()}
    assert measured["sign below"] == 5.0
    assert measured["sign left"] == 170.0, "none there: past the reach"
    assert measured["beside below"] == 50.0
    assert measured["signature"] == pytest.approx(np.log(0.2))
    assert measured["same signature"] == pytest.approx(np.log(0.7)), "its twin speaks of the same place"
    assert (measured["width"], measured["height"]) == (250.0, 20.0)
    assert all(len(column) == 2 and np.isfinite(column).all() for column in found.columns.values())


def test_words_at_the_top_and_at_the_bottom_are_heard_apart():
    printed = words(("Bureau", 50, 40), ("Name", 50, 300), ("Signature", 50, 520), ("Form 7", 50, 760))
    found = places_to_sign(seen(LINE), printed, SIZE)
    assert found is not None
    assert set(found.margin) == set(page_buckets(["bureau", "form 0"]))
    assert set(page_buckets(["name", "signature"])) <= set(found.page)
