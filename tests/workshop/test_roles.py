# SPDX-License-Identifier: Apache-2.0
"""Each step takes pages of its own role, whole and as they are; anything else is refused with a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.workshop.conftest import Workshop, do, predict

Refused = Callable[..., str]


def freeze(shop: Workshop, point: str) -> tuple[object, ...]:
    return (
        *("freeze", shop.root / "other", "--detector", "rules"),
        *("--index", shop.index, "--calibration", shop.root / point),
    )


def internal(shop: Workshop, *more: object) -> tuple[object, ...]:
    """An internal report of a candidate that has none yet."""
    for name in ("internal-report.json", "internal-report.json.sha256"):
        (shop.candidate / name).unlink()
    truth = ("--index", shop.index, "--role", "internal-test", "--resamples", 0)
    return (*more, *truth, "--candidate", shop.candidate, "--internal-report")


def test_only_a_point_chosen_on_calibration_is_frozen(workshop: Workshop, refused: Refused) -> None:
    predict(workshop, "train-real", workshop.looked)
    point = ("--index", workshop.index, "--role", "train-real", "-o", workshop.root / "looked.json")
    do("calibrate", workshop.looked, *point)
    assert "role train-real" in refused(10, *freeze(workshop, "looked.json"))
    assert not (workshop.root / "other").exists()


def test_calibration_is_on_pages_as_they_are(workshop: Workshop, refused: Refused) -> None:
    predict(workshop, "calibration", workshop.scans, "--scanned")
    point = ("--index", workshop.index, "-o", workshop.root / "scans.json")
    assert "poor scans" in refused(10, "calibrate", workshop.scans, *point)
    shard = workshop.scans / "shard-000.jsonl"
    assert "poor scans" in refused(10, "calibrate", shard, *point), "nor by naming the file"


def test_calibrating_on_scans_of_other_roles_is_for_looking(workshop: Workshop) -> None:
    predict(workshop, "train-real", workshop.scans, "--scanned")
    role = ("--index", workshop.index, "--role", "train-real")
    do("calibrate", workshop.scans, *role, "-o", workshop.root / "scans.json")
    assert json.loads((workshop.root / "scans.json").read_bytes())["role"] == "train-real"


@pytest.mark.parametrize(
    ("more", "sentence"), [(("--sample", 2), "whole role"), (("--scanned",), "poor scans")]
)
def test_an_internal_report_is_about_the_whole_role_as_it_is(
    workshop: Workshop, refused: Refused, more: tuple[object, ...], sentence: str
) -> None:
    predict(workshop, "internal-test", workshop.part, *more)
    assert sentence in refused(10, *internal(workshop, "evaluate", workshop.part))
    assert not (workshop.candidate / "internal-report.json").exists()


def test_an_internal_report_refuses_a_sample_of_a_whole_run(workshop: Workshop, refused: Refused) -> None:
    asked = internal(workshop, "evaluate", workshop.test, "--sample", 2)
    assert "whole role" in refused(10, *asked)


def test_an_internal_report_needs_a_declared_run(workshop: Workshop, refused: Refused) -> None:
    asked = internal(workshop, "evaluate", workshop.test / "shard-000.jsonl")
    assert "declared" in refused(10, *asked)


def test_two_folders_are_both_looked_at(workshop: Workshop, refused: Refused) -> None:
    point = ("--index", workshop.index, "-o", workshop.root / "both.json")
    both = (workshop.calibration, workshop.test)
    assert "another index or role" in refused(10, "calibrate", *both, *point)
    scored = ("--index", workshop.index, "--role", "internal-test", "--resamples", 0)
    assert "another index or role" in refused(10, "evaluate", *both, *scored)


def test_scans_and_pages_as_they_are_do_not_make_one_system(workshop: Workshop, refused: Refused) -> None:
    predict(workshop, "train-real", workshop.scans, "--scanned")
    both = ("evaluate", workshop.test, workshop.scans)
    assert "as poor scans" in refused(8, *both, "--pdf", workshop.pdf)
