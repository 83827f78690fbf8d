# SPDX-License-Identifier: Apache-2.0
"""The trial that says how many pages a device takes at a time."""

from __future__ import annotations

import pytest
import torch

from acromeld.errors import LimitExceeded
from acromeld.model.contract import PAPER as PAPER_CONTRACT
from acromeld.train.engine import batch_trial
from acromeld.train.engine.batch_trial import try_sizes, worst_batch, worst_canvas
from acromeld.train.engine.plan import PAPER, Phase
from tests.train.made_up import RATES, SMALL, quick_plan

CPU = torch.device("cpu")
GIB = 1 << 30


@pytest.fixture
def as_in_the_paper(monkeypatch):
    """Memory of an RTX A6000 by pages, as far as the paper tells it."""
    peaks = {1: 6.0, 2: 11.4, 4: 22.10, 8: 44.57}
    told: list[tuple[int, int]] = []

    def peak(contract, plan, phase, size, targets, device):
        told.append((size, targets))
        return None if size not in peaks else int(peaks[size] * GIB)

    monkeypatch.setattr(batch_trial, "_in_own_process", peak)
    return told


def test_the_reserve_policy_chooses_four_pages_as_in_the_paper(as_in_the_paper):
    found = try_sizes(
        PAPER_CONTRACT, PAPER, PAPER.phases[0], targets=849, device=CPU, ranks=2, memory=48 * GIB
    )  # fmt: skip
    assert found.chosen == 4
    assert [trial.accepted for trial in found.trials] == [True, True, True, False]
    assert as_in_the_paper == [(1, 849), (2, 849), (4, 849), (8, 849)]
    record = found.record()
    assert (record["canvas"], record["targets"], record["tokens"]) == ((2048, 1440), 849, 512)
    assert record["chosen"] == 4


def test_sizes_must_divide_the_batch_among_the_devices(as_in_the_paper):
    phase = Phase(name="odd", max_epochs=1, effective_batch=12)
    found = try_sizes(PAPER_CONTRACT, PAPER, phase, targets=10, device=CPU, ranks=3, memory=480 * GIB)
    assert [trial.per_device for trial in found.trials] == [1, 2, 4]


def test_a_device_without_room_is_told_so(as_in_the_paper):
    found = try_sizes(PAPER_CONTRACT, PAPER, PAPER.phases[0], targets=849, device=CPU, memory=4 * GIB)
    with pytest.raises(LimitExceeded, match="Not even one page"):
        _ = found.chosen


def test_the_worst_page_is_as_full_as_the_contract_allows():
    batch = worst_batch(SMALL, 2, 20, CPU)
    assert batch.images.shape == (2, 1, *worst_canvas(SMALL))
    assert batch.tokens.box.shape == (2, SMALL.max_tokens + SMALL.max_evidence, 4)
    assert [len(page) for page in batch.targets] == [20, 20]


def test_a_real_trial_in_a_process_of_its_own():
    plan = quick_plan(phases=(Phase(name="all", max_epochs=1, rates=RATES, effective_batch=4, per_device=1),))
    found = try_sizes(SMALL, plan, plan.phases[0], targets=9999, device=CPU, sizes=(2,))
    (trial,) = found.trials
    assert trial.accepted
    # Python and torch alone are larger than this.
    assert trial.peak is not None
    assert trial.peak > 50_000_000
    assert found.targets == SMALL.queries
