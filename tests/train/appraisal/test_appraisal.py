# SPDX-License-Identifier: Apache-2.0
"""The appraisal learns from made-up pages: what stands under "office use" is no field, whatever the score."""

from __future__ import annotations

import numpy as np
import pytest

from acromeld.detect.acromeld.appraisal.appraiser import Appraiser, sources
from acromeld.detect.acromeld.appraisal.columns import measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.appraisal.weights import pack, unpack
from acromeld.errors import AcromeldError
from acromeld.evaluate.pages import TargetPage
from acromeld.train.appraisal.examples import AppraisedPage, authored
from acromeld.train.appraisal.fitting import fit_all, log_loss
from acromeld.train.word_evidence import balanced, caption_rows
from tests.detect.acromeld.appraisal.made import BOXES, ROW, SIZE, contract, opinions, seen
from tests.detect.acromeld.signing.made import words


def printed(*, office: bool):
    return words(("office" if office else "name", 55, 288), ("use" if office else "here", 100, 288))


def made_page(number: int, *, office: bool) -> AppraisedPage:
    network = seen(faint=0.2)
    spoken = speakers(network)
    found = measure(network, spoken, sources(contract()), opinions(), printed(office=office), SIZE)
    boxes = np.array(BOXES[1:3] + BOXES[4:5] if office else BOXES[:3] + BOXES[4:5])
    kind = np.array([0, 0, 1] if office else [0, 2, 0, 1])
    target = TargetPage("0" * 64, 0, *SIZE, boxes, kind, True)
    return AppraisedPage(
        f"group {number}",
        tuple(found.columns),
        np.column_stack(list(found.columns.values())).astype(np.float32),
        caption_rows(found.captions),
        authored(network, spoken.rows, target),
    )


def test_text_and_signature_are_one_and_a_field_is_found_once():
    page = made_page(0, office=False)
    assert page.label.tolist() == [True, True, True, True, False], "best first: tick, row, what is faint"
    network = seen()
    twice = TargetPage("0" * 64, 0, *SIZE, np.array([ROW[0]]), np.array([2]), True)
    assert authored(network, np.array([0, 3]), twice).tolist() == [True, False]


@pytest.fixture(scope="module")
def fitted():
    pages = [made_page(number, office=number % 2 == 0) for number in range(600)]
    said: list[str] = []
    return fit_all(pages, threads=1, log=said.append), said


def test_captions_are_learned_and_heard(fitted):
    found, said = fitted
    assert any("3,000 places on 600 pages, 2,100 of them fields" in line for line in said)
    assert found.after < 0.5 * found.before
    data = pack(found.weights)
    judge = Appraiser(unpack(data), contract())
    worth = {
        office: judge.appraise(seen(faint=0.2), opinions(), printed(office=office), SIZE).score[0]
        for office in (True, False)
    }
    assert worth[True] < 0.5 < worth[False]


def test_a_corpus_with_nothing_to_tell_apart_teaches_nothing():
    with pytest.raises(AcromeldError, match="no places to tell apart"):
        fit_all([], threads=1, log=lambda _: None)


def test_log_loss_is_the_mean_surprise():
    assert log_loss(np.array([0.5, 0.5]), np.array([True, False])) == pytest.approx(np.log(2))


def test_balanced_labels_weigh_the_same():
    label = np.array([True, False, False, False])
    weight = balanced(label, 2.0)
    assert weight[label].sum() == pytest.approx(weight[~label].sum())
    assert weight.sum() == pytest.approx(8.0)
