# SPDX-License-Identifier: Apache-2.0
"""Lines to sign, some of them signature fields, among many text fields."""

from __future__ import annotations

from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.calibration import calibrate
from acromeld.evaluate.signature_threshold import with_signatures
from tests.evaluate.made_up import predicted_page, target_page

TEXTS = [[0.0, 20.0 * row, 100.0, 20.0 * row + 10] for row in range(20)]
LINES = [[200.0, 20.0 * row, 300.0, 20.0 * row + 10] for row in range(7)]
WEAKEST = 0.55


def pages(right: list[bool]):
    """Text fields that are all found, and signatures in falling score of which some are right."""
    texts = [0.9] * (len(TEXTS) - 1) + [WEAKEST]
    scores = texts + [0.8 - 0.1 * number for number in range(len(right))]
    lines = LINES[: len(right)]
    page = predicted_page(TEXTS + lines, [0] * len(TEXTS) + [2] * len(right), scores, decoded=False)
    signed = [line for line, hit in zip(lines, right, strict=True) if hit]
    truth = target_page(TEXTS + signed, [0] * len(TEXTS) + [2] * len(signed))
    return compare({page.key: page}, {truth.key: truth})


def test_signatures_have_the_threshold_that_is_given():
    compared = pages([False, False, True, False, True])
    found = with_signatures(calibrate(compared), compared, 0.55)
    assert found.by_micro is not None
    assert found.by_micro.thresholds[2] == 990, "two of five are right, so micro-F1 wants none"
    assert found.selected.thresholds == (550, found.by_micro.thresholds[1], 550)
    assert found.selected.signatures is not None
    assert (found.selected.signatures.matched, found.selected.signatures.predicted) == (1, 3)


def test_the_record_tells_both_points_and_the_counts_are_the_decoders():
    compared = pages([False, False, True, False, True])
    found = with_signatures(calibrate(compared), compared, 0.35)
    outcome = total(score_page(page, NATIVE, found.selected.point()) for page in compared)
    assert found.selected.counts == outcome.counts()
    assert found.selected.signatures == outcome.counts(2)
    record = found.as_dict()
    assert (record["point"]["text"], record["point"]["signature"]) == (WEAKEST, 0.35)
    assert record["by_micro"]["signature"] == 0.99
    assert record["signatures"]["tp"] == 2
    assert found.tied == 48
