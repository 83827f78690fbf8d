# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import numpy as np
import pytest

from acromeld.geometry import as_boxes
from acromeld.peers.commonforms.postprocess import Detections
from acromeld.peers.commonforms.verify import compare, table


def _found(*rows: tuple[float, float, float, float, float, int]) -> Detections:
    return Detections(
        as_boxes([row[:4] for row in rows]),
        np.array([row[4] for row in rows]),
        np.array([row[5] for row in rows], dtype=np.intp),
    )


def test_equal_answers_agree() -> None:
    found = _found((0, 0, 10, 10, 0.9, 0), (20, 0, 30, 10, 0.2, 1))
    result = compare(found, found)
    assert (result.matched, result.pixels, result.score, result.unmatched) == (2, 0.0, 0.0, 0.0)


def test_differences_are_the_largest_ones() -> None:
    ours = _found((0, 0, 10, 10, 0.9, 0), (20, 0, 30, 10, 0.2, 1), (50, 50, 60, 60, 0.1, 0))
    theirs = _found((0, 0.5, 10, 10, 0.88, 0), (20, 0, 32, 10, 0.2, 1), (50, 50, 60, 60, 0.15, 2))
    result = compare(ours, theirs)
    assert result.matched == 2
    assert result.pixels == 2.0
    assert result.pixels_kept == 0.5
    assert result.score == pytest.approx(0.02)
    assert result.unmatched == 0.15


def test_empty_answers_agree_and_the_table_has_a_row_a_page() -> None:
    result = compare(_found(), _found())
    assert (result.matched, result.unmatched) == (0, 0.0)
    assert len(table([result, result]).splitlines()) == 4
