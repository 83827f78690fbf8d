# SPDX-License-Identifier: Apache-2.0
"""Pages on which hardly a word is written are read off their picture where that says more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from acromeld.corpus.as_scan import as_scan
from acromeld.detect.acromeld.detector import AcromeldDetector
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.decoding import decode
from acromeld.detect.reading import certainty, read
from acromeld.detect.rules import RulesDetector
from acromeld.pdf.page import Primitives, ShapeKind
from acromeld.structure.availability import hardly_written
from tests.evaluate.test_scanned import first_page
from tests.structure.made_up import across, joined, shapes, words


def found(*scores):
    """Candidates of which only the scores matter."""
    count = len(scores)
    box = np.tile([[0.0, 0.0, 9.0, 9.0]], (count, 1))
    return PageCandidates(box, np.zeros(count, dtype=np.int64), np.array(scores), ("x",) * count)


def drawn(page, written=10):
    """The page as a picture with a frame of strokes around it and a few words on it."""
    picture = shapes([(0, 0, page.width, page.height)], ShapeKind.IMAGE)
    frame = shapes([across(4 + n, 20, page.width - 20) for n in range(14)])
    said = words(*((f"word{n}", (20 + 30 * n, 20, 45 + 30 * n, 30)) for n in range(written)))
    return replace(page, primitives=Primitives(said, joined(picture, frame)))


@pytest.mark.parametrize(
    ("own", "seen", "kept"),
    [
        ((0.1, 0.1), (0.9, 0.9), "seen"),
        ((0.9, 0.9, 0.9), (0.8, 0.8, 0.8), "own"),
        ((0.9, 0.9, 0.9), (0.92, 0.92, 0.92), "own"),
        ((), (), "own"),
    ],
)
def test_the_clearly_more_certain_answer_is_kept(own, seen, kept):
    answers = {"own": found(*own), "seen": found(*seen)}
    page = drawn(first_page())
    answer = read(page, lambda each: answers["own" if each.primitives is page.primitives else "seen"])
    assert answer is answers[kept]


def test_one_lucky_candidate_is_less_certain_than_three():
    assert certainty(found(0.9)) < certainty(found(0.5, 0.5, 0.5, 0.5))


def test_pages_with_words_and_scans_are_read_once():
    page, asked = first_page(), []

    def find(each):
        asked.append(each)
        return PageCandidates.empty()

    for given in (page, drawn(page, written=60), as_scan(page), replace(page, raster=None)):
        assert not hardly_written(given)
        asked.clear()
        read(given, find)
        assert len(asked) == 1


@pytest.mark.parametrize("detector", [RulesDetector, AcromeldDetector])
def test_a_form_that_is_drawn_gives_the_fields_of_its_picture(detector):
    reader, page = detector(), first_page()
    own, scan = reader.detect([drawn(page), as_scan(page)])
    kept, expected = (decode(each, reader.operating_point).kept for each in (own, scan))
    assert len(expected) > 10
    assert own.box[kept] == pytest.approx(scan.box[expected])
