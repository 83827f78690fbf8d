# SPDX-License-Identifier: Apache-2.0
"""The judge of parity sees a field that is missing, moved, of another class or of another score."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from acromeld.detect.candidates import PageCandidates
from acromeld.fields import OperatingPoint

_TOOL = Path(__file__).parents[2] / "tools" / "onnx_parity.py"
_SPEC = importlib.util.spec_from_file_location("onnx_parity", _TOOL)
assert _SPEC is not None
assert _SPEC.loader is not None
parity = importlib.util.module_from_spec(_SPEC)
# Dataclasses look their module up by name.
sys.modules["onnx_parity"] = parity
_SPEC.loader.exec_module(parity)

POINT = OperatingPoint(text=0.4, choice=0.4, signature=0.4)
PAGE = PageCandidates(
    box=np.array([[10.0, 10, 60, 20], [10, 40, 60, 50], [10, 70, 18, 78], [10, 90, 60, 99]]),
    kind=np.array([0, 0, 1, 2]),
    score=np.array([0.9, 0.8, 0.7, 0.1]),
    origin=("visual",) * 4,
)


def changed(column: str, row: int, value: float) -> PageCandidates:
    array = getattr(PAGE, column).copy()
    array[row] = value
    return replace(PAGE, **{column: array})


def test_the_same_set_in_another_order_is_the_same() -> None:
    order = np.array([2, 3, 0, 1])
    shuffled = replace(PAGE, box=PAGE.box[order] + 0.05, kind=PAGE.kind[order], score=PAGE.score[order])
    told = parity.final_difference(PAGE, shuffled, POINT)
    assert told.fine
    assert (told.fields, told.unpaired, round(told.box, 6)) == (3, 0, 0.05)


@pytest.mark.parametrize(
    "other",
    [
        changed("score", 2, 0.39),
        changed("score", 3, 0.5),
        changed("score", 0, 0.905),
        changed("kind", 2, 0),
        changed("box", 1, [10.0, 40, 60, 50.2]),
        changed("box", 1, [10.0, 45, 60, 55]),
    ],
    ids=["one less", "one more", "score", "class", "moved a little", "moved away"],
)
def test_every_difference_is_seen(other: PageCandidates) -> None:
    assert not parity.final_difference(PAGE, other, POINT).fine


def test_two_empty_pages_agree() -> None:
    assert parity.final_difference(PageCandidates.empty(), PageCandidates.empty(), POINT).fine
