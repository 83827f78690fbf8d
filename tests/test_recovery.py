# SPDX-License-Identifier: Apache-2.0
"""From candidates to a form: what is said about pages that stay bare."""

import numpy as np
import pytest

import acromeld
from acromeld.detect.candidates import PageCandidates
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.pdf.page import PageNeeds
from tests.form.samples import flat


class Scored:
    """Finds one field below the other, with the given scores, on every page."""

    ref = DetectorRef(name="scored")
    needs = PageNeeds()
    cap = 100
    operating_point = OperatingPoint(text=0.5, choice=0.5, signature=0.5, nms=1.0, link=1.0)

    def __init__(self, *scores: float, kind: int = 0) -> None:
        self._scores, self._kind = scores, kind

    def detect(self, pages):
        count = len(self._scores)
        top = 200.0 + 40.0 * np.arange(count)
        box = np.stack([np.full(count, 50.0), top, np.full(count, 300.0), top + 20.0], axis=1)
        kind = np.full(count, self._kind, dtype=np.int64)
        some = PageCandidates(box, kind, np.array(self._scores), ("made",) * count)
        return [some for _ in pages]


def notes(*scores: float, raw: bool = False) -> list[str]:
    found = acromeld.detect(flat(), detector=Scored(*scores), isolated=False, raw=raw)
    return [note for page in found.pages for note in page.notes]


def test_a_bare_page_with_several_likely_places_is_told():
    (note,) = notes(0.45, 0.4, 0.31)
    assert note.startswith("Page 1 got no fields, though 3 places look like some")
    assert note.endswith("A review can show and keep them.")


@pytest.mark.parametrize("scores", [(), (0.45, 0.4), (0.2, 0.2, 0.2, 0.2), (0.9, 0.45, 0.4, 0.31)])
def test_other_pages_are_not(scores):
    assert notes(*scores) == []


def test_places_that_were_left_for_a_pen_are_no_doubt():
    found = acromeld.detect(flat(), detector=Scored(0.9, 0.8, 0.7, kind=2), isolated=False, signatures="pen")
    assert not found.pages[0].fields
    assert not found.pages[0].notes


def test_raw_candidates_need_no_comment():
    assert notes(0.45, 0.4, 0.31, raw=True) == []
