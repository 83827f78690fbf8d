# SPDX-License-Identifier: Apache-2.0
"""Four lines to sign, two of them signature fields, among many text fields."""

from __future__ import annotations

from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.calibration import calibrate
from acromeld.evaluate.signature_threshold import for_signatures
from tests.evaluate.made_up import predicted_page, target_page

TEXTS = [[0.0, 20.0 * row, 100.0, 20.0 * row + 10] for row in range(20)]
LINES = [[200.0, 20.0 * row, 300.0, 20.0 * row + 10] for row in range(7)]


def pages(right: list[bool]):
    """Text fields that are all found, and signatures in falling score of which some are right."""
    scores = [0.9] * len(TEXTS) + [0.8 - 0.1 * number for number in range(len(right))]
    lines = LINES[: len(right)]
    page = predicted_page(TEXTS + lines, [0] * len(TEXTS) + [2] * len(right), scores, decoded=False)
    signed = [line for line, hit in zip(lines, right, strict=True) if hit]
    truth = target_page(TEXTS + signed, [0] * len(TEXTS) + [2] * len(signed))
    return compare({page.key: page}, {truth.key: truth})


def test_micro_f1_leaves_out_what_the_f1_of_signatures_takes():
    compared = pages([True, False, False, True, False, False, False])
    found = calibrate(compared)
    assert found.selected.thresholds[2] == 800, "every further one is right one time in three"
    chosen = for_signatures(found, compared)
    assert chosen.selected.thresholds[:2] == found.selected.thresholds[:2]
    assert chosen.selected.thresholds[2] == 800, "2/3 with one of two found, as with two of four"
    chosen = for_signatures(calibrate(pages([True, False, True])), pages([True, False, True]))
    assert chosen.selected.thresholds[2] == 600


def test_the_record_tells_both_points_and_the_counts_are_the_decoders():
    compared = pages([False, False, True, False, True])
    found = for_signatures(calibrate(compared), compared)
    assert found.by_micro is not None
    assert found.by_micro.thresholds[2] == 990, "two of five are right, so micro-F1 wants none"
    assert found.selected.thresholds[2] == 400
    outcome = total(score_page(page, NATIVE, found.selected.point()) for page in compared)
    assert found.selected.counts == outcome.counts()
    assert found.selected.signatures == outcome.counts(2)
    record = found.as_dict()
    assert record["point"]["signature"] == 0.4
    assert record["by_micro"]["signature"] == 0.99
    assert record["signatures"]["tp"] == 2
    assert found.tied == 48


def test_a_corpus_without_signatures_keeps_the_highest_threshold():
    compared = pages([])
    found = for_signatures(calibrate(compared), compared)
    assert found.selected.thresholds[2] == 990
    assert "signatures" in found.as_dict()
