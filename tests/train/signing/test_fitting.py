# SPDX-License-Identifier: Apache-2.0
"""The second look learns a habit from made-up pages: where "bureau" is printed, lines to sign are fields."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import vstack

from acromeld.detect.acromeld.signing.judge import SigningJudge
from acromeld.detect.acromeld.signing.places import places_to_sign
from acromeld.detect.acromeld.signing.weights import pack, unpack, with_enough
from acromeld.evaluate.pages import TargetPage
from acromeld.train.signing.examples import SigningPage, labelled
from acromeld.train.signing.fitting import best_threshold, fit_all, page_places
from acromeld.train.word_evidence import caption_rows, page_rows
from tests.detect.acromeld.signing.made import SIZE, seen, words

LINE = [50.0, 495.0, 300.0, 515.0]


def made_page(number: int, *, habit: bool, signed: bool) -> SigningPage:
    rng = np.random.default_rng(number)
    shift = float(rng.integers(0, 200))
    box = [LINE[0] + shift, *LINE[1:2], LINE[2] + shift, LINE[3]]
    network = seen(*((box, [0.6, 0.0, 0.1 + 0.01 * copy]) for copy in range(4)))
    printed = words(
        ("Signature", 50 + shift, 520), ("bureau" if habit else "club", 50, 40), (f"w{number}", 200, 40)
    )
    places = places_to_sign(network, printed, SIZE)
    assert places is not None
    boxes = np.array([box if signed else [0.0, 0.0, 50.0, 10.0]])
    target = TargetPage("0" * 64, 0, *SIZE, boxes, np.array([2 if signed else 0]), True)
    return labelled(f"group {number}", places, network.box[places.rows], target)


@pytest.fixture(scope="module")
def pages() -> list[SigningPage]:
    return [made_page(number, habit=number % 2 == 0, signed=number % 2 == 0) for number in range(120)]


def test_a_habit_is_learned_and_used(pages):
    said: list[str] = []
    fitted = fit_all(pages, log=said.append)
    assert fitted.f1 > 0.95, "folds see other pages of the same habit"
    assert (fitted.found, fitted.fields) == (60, 60)
    assert any("480 candidates on 120 pages, 60 with" in line for line in said)
    data = pack(fitted.heard, fitted.trees, fitted.columns, fitted.enough)
    judge = SigningJudge(unpack(data))
    for habit in (True, False):
        new = made_page(7_000 + habit, habit=habit, signed=habit)
        likely = judge.probability(new.places)
        assert (likely >= fitted.enough).all() == habit
    assert data == pack(fitted.heard, fitted.trees, fitted.columns, fitted.enough)
    stricter = unpack(with_enough(data, 0.97))
    assert (stricter.enough, stricter.trees) == (0.97, fitted.trees)
    assert with_enough(data, fitted.enough) == data


def test_rows_add_up_to_what_the_judge_adds_up(pages):
    weights = fit_all(pages, log=lambda _: None).heard
    page = page_rows([each.places.page for each in pages[:3]])
    captions = vstack([caption_rows(each.places.captions) for each in pages[:3]], format="csr")
    expected = [weights.page.of_page(each.places.page) for each in pages[:3]]
    assert page @ weights.page.weight + weights.page.bias == pytest.approx(expected, abs=1e-4)
    spoken = np.concatenate([weights.caption.of_captions(each.places.captions) for each in pages[:3]])
    assert captions @ weights.caption.weight + weights.caption.bias == pytest.approx(spoken, abs=1e-4)


def test_a_place_counts_once_and_so_does_a_field():
    boxes = np.array([LINE, [52.0, 495.0, 300.0, 515.0], [320.0, 495.0, 560.0, 515.0]])
    score, likely = np.array([0.9, 0.6, 0.8]), np.array([0.4, 0.7, 0.6])
    assert page_places(boxes, score, likely, np.array([LINE])) == [(0.7, 1.0), (0.6, 0.0)]
    faint = np.array([0.9, 0.6, 0.3])
    assert page_places(boxes, faint, likely, np.zeros((0, 4))) == [(0.7, 0.0)], "the third is no field"


def test_the_threshold_is_the_highest_with_about_the_greatest_f1():
    places = np.array([[0.9, 1], [0.5, 0], [0.4, 1], [0.1, 0], [0.1, 0]])
    assert best_threshold(places, 2) == (0.4, 2, 3)
    many = np.array([[0.9, 1]] * 60 + [[0.5, 1], [0.5, 0]])
    assert best_threshold(many, 61) == (0.9, 60, 60), "one field more among sixty is no reason"
