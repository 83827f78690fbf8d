from dataclasses import replace

import numpy as np

from acromeld.detect.ffgbt.candidates import CandidateKind, Candidates, page_candidates
from acromeld.detect.ffgbt.context import context
from acromeld.detect.ffgbt.features import describe, matrix
from acromeld.detect.ffgbt.labels import (
    PAGE,
    POSITIONS,
    SHAPE,
    buckets,
    label_counts,
    label_table,
    no_counts,
    surroundings,
)
from tests.detect.ffgbt.pages import form_page, words

TABLE = np.zeros(SHAPE, dtype=np.float32)


def described(page, candidates, table=TABLE):
    return describe(page, page.primitives, candidates, table)


def test_features_are_finite_and_one_row_each():
    page = form_page()
    found = page_candidates(page.primitives, page.width, page.height)
    features = matrix(described(page, found))
    assert features.shape[0] == len(found)
    assert np.isfinite(features).all()


def test_the_order_of_candidates_changes_nothing_but_the_order():
    page = form_page()
    found = page_candidates(page.primitives, page.width, page.height)
    turned = Candidates(found.kind[::-1], found.box[::-1], found.rules)
    forward, backward = described(page, found), described(page, turned)
    for name, column in forward.items():
        if name != "rank in place":
            np.testing.assert_allclose(column, backward[name][::-1], rtol=1e-6, err_msg=name)


def test_borders_words_and_ink_are_where_they_are():
    page = form_page()
    found = page_candidates(page.primitives, page.width, page.height)
    pixels = page.raster.pixels.copy()
    pixels[int(141 * page.raster.scale) : int(169 * page.raster.scale)] = 0
    columns = described(replace(page, raster=replace(page.raster, pixels=pixels)), found)
    cell = int(np.flatnonzero((found.kind == CandidateKind.CELL) & (np.abs(found.box[:, 1] - 140) < 1))[0])
    for side in ("top", "bottom", "left side", "right side"):
        assert columns[f"{side} ruled"][cell] > 0.95
    assert columns["words inside"][cell] == 1
    assert columns["ink inside"][cell] > 0.95
    rule = int(np.flatnonzero(found.kind == CandidateKind.RULE_SPACE)[0])
    assert columns["left colon"][rule]
    assert 25 < columns["left gap"][rule] < 35


def test_a_word_seen_beside_signatures_speaks_for_signatures():
    box = np.array([[100.0, 100, 300, 120]])
    page_words = words(("Unterschrift", 20, 105, 90, 115), ("Datum", 320, 105, 350, 115))
    around = surroundings(box, page_words.box)
    bucket = buckets(page_words)
    counts = sum(label_counts(around, bucket, np.array([3])) for _ in range(40))
    plain = surroundings(box, words(("Datum", 20, 105, 90, 115)).box)
    counts = counts + sum(label_counts(plain, bucket[1:], np.array([label])) for label in [0, 1] * 40)
    table = label_table(counts)
    left = POSITIONS.index("left")
    assert table[left, bucket[0], 2] > 1.0
    assert table[left, bucket[1], 2] < table[left, bucket[0], 2]


def test_a_page_with_the_words_of_signed_forms_says_so():
    box = np.array([[100.0, 100, 300, 120]])
    signed, plain = words(("Veterans", 20, 5, 90, 15)), words(("Picnic", 20, 5, 90, 15))
    counts = no_counts()
    for page_words, label in ((signed, 3), (plain, 1)):
        around = surroundings(box, page_words.box)
        counts += 30 * label_counts(around, buckets(page_words), np.array([label]))
    table = label_table(counts)
    assert table[PAGE, buckets(signed)[0], 2] > 0.3 > table[PAGE, buckets(plain)[0], 2]


def test_unseen_words_say_nothing():
    assert np.allclose(label_table(no_counts()), 0)


def test_case_punctuation_and_digits_do_not_make_other_words():
    one, other = words(("Date:", 0, 0, 1, 1)), words(("(DATE)", 0, 0, 1, 1))
    assert buckets(one) == buckets(other)
    assert buckets(words(("12/2024", 0, 0, 1, 1))) == buckets(words(("3/1", 0, 0, 1, 1)))


def test_context_sees_rivals_and_alike():
    box = np.array([[0.0, 0, 100, 20], [0, 0, 100, 22], [0, 40, 100, 60]])
    kind = np.zeros(3, dtype=np.int8)
    probability = np.array([[0.1, 0.9, 0, 0], [0.6, 0.4, 0, 0], [0.2, 0.8, 0, 0]])
    columns = context(box, kind, probability)
    assert columns["rival"][1] == np.float64(0.9)
    assert columns["rivals better"].tolist() == [0, 1, 0]
    assert np.isclose(columns["alike mean"][0], 0.8)
