# SPDX-License-Identifier: Apache-2.0
import numpy as np
import pytest

from acromeld.detect.acromeld.hashed_words import BUCKETS, Evidence, caption_words, page_buckets, plain
from acromeld.detect.ffgbt.labels import surroundings
from tests.detect.acromeld.signing.made import line_to_sign


@pytest.mark.parametrize(
    ("text", "expected"), [("SIGNATURE:", "signature"), ("12b.", "0b"), ("***", ""), ("Straße", "strasse")]
)
def test_words_are_compared_without_case_punctuation_and_numbers(text, expected):
    assert plain(text) == expected


def test_a_page_is_its_words_and_the_pairs_that_follow_each_other():
    assert len(page_buckets(["sign", "here", "sign", "here"])) == 4  # two words, two pairs
    assert set(page_buckets(["sign", "here"])) != set(page_buckets(["here", "sign"]))
    assert len(page_buckets(["", ""])) == 0


def test_long_pages_are_not_surer_than_short_ones():
    evidence = Evidence(np.ones(BUCKETS, dtype=np.float32), -1.0)
    assert evidence.of_page(np.arange(100)) == pytest.approx(9.0)
    assert evidence.of_page(np.arange(0)) == -1.0


def test_a_caption_counts_where_it_stands():
    printed = line_to_sign()
    above, far = [50.0, 495.0, 300.0, 515.0], [50.0, 20.0, 300.0, 40.0]
    said = [plain(text) for text in printed.text]
    captions = caption_words(surroundings(np.array([above, far]), printed.box), said)
    assert captions.count.tolist() == [3, 0]
    weight = np.zeros(BUCKETS, dtype=np.float32)
    below = dict(zip(said, captions.parts[2][1], strict=True))
    weight[below["signature"]] = 6.0
    assert Evidence(weight, 0.5).of_captions(captions) == pytest.approx([6 / np.sqrt(3) + 0.5, 0.5])
    left = dict(zip(said, captions.parts[0][1], strict=True))
    assert left["signature"] != below["signature"]
