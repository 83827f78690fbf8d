import numpy as np
import pytest

from acromeld.detect.ffgbt.candidates import CandidateKind, page_candidates
from acromeld.geometry import as_boxes, iou
from acromeld.pdf.page import Primitives
from tests.detect.ffgbt.pages import form_page


@pytest.fixture(scope="module")
def found():
    page = form_page()
    return page_candidates(page.primitives, page.width, page.height)


@pytest.mark.parametrize(
    ("kind", "box"),
    [
        (CandidateKind.RULE_SPACE, (120, 96, 300, 112)),
        (CandidateKind.CELL_REST, (60, 149, 300, 170)),
        (CandidateKind.CELL_BESIDE, (81, 140, 300, 170)),
        (CandidateKind.SQUARE, (60, 200, 69, 209)),
        (CandidateKind.CELL_RUN, (60, 240, 120, 258)),
    ],
)
def test_every_place_to_write_is_proposed(found, kind, box):
    fits = iou(found.box[found.kind == kind], as_boxes([box]))
    assert fits.max(initial=0.0) > 0.75


def test_no_two_candidates_are_the_same_box_of_the_same_kind(found):
    rows = np.column_stack([found.kind, np.round(found.box)])
    assert len(np.unique(rows, axis=0)) == len(found)


def test_nothing_drawn_nothing_proposed():
    assert len(page_candidates(Primitives(), 612, 792)) == 0
