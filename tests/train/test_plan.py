# SPDX-License-Identifier: Apache-2.0
"""The paper's numbers: plan, schedule, average, selection, parameter groups."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from acromeld.fields import OperatingPoint
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import PAPER as PAPER_CONTRACT
from acromeld.train.engine.ema import Ema
from acromeld.train.engine.groups import group_of, grouped, make_optimiser, set_learning, set_rates
from acromeld.train.engine.plan import COMPACT, PAPER, Phase, TrainingPlan
from acromeld.train.engine.schedule import rate_share
from acromeld.train.engine.selection import Selection
from tests.train.made_up import SMALL, quick_plan

STEPS = 3087
"""Optimiser steps of an epoch of the registered run."""

MAIN, FINALE = PAPER.phases


def test_the_paper_plan_has_the_numbers_of_the_paper():
    assert PAPER.seed == 3407
    assert PAPER.betas == (0.9, 0.999)
    assert (PAPER.weight_decay, PAPER.clip, PAPER.ema_decay) == (1e-4, 0.1, 0.9998)
    assert not PAPER.ema_warmup
    assert PAPER.precision == "bf16"
    assert PAPER.signature_weight == 3
    assert PAPER.augmentation.scale == (0.92, 1.0)
    assert (PAPER.missing.pages, PAPER.missing.tokens, PAPER.missing.inferred) == (0.12, 0.05, 0.0)
    assert not PAPER.missing.synthetic
    point = OperatingPoint(text=0.3, choice=0.3, signature=0.3, nms=0.9, link=0.8)
    assert PAPER.point == point


def test_the_main_phase_is_that_of_the_paper():
    assert (MAIN.min_epochs, MAIN.max_epochs, MAIN.patience, MAIN.min_increment) == (7, 30, 5, 0.0005)
    assert (MAIN.rates.graph, MAIN.rates.visual, MAIN.rates.backbone) == (2e-4, 1e-4, 4e-6)
    assert (MAIN.warmup_steps, MAIN.decay_to, MAIN.frozen_backbone_epochs) == (1500, 0.05, 2)
    assert (MAIN.effective_batch, MAIN.per_device, MAIN.augment) == (32, 4, True)


def test_the_finale_is_that_of_the_paper():
    assert FINALE.min_epochs == FINALE.max_epochs == 3
    assert not FINALE.augment
    assert not FINALE.own_selection
    for name in ("graph", "visual", "backbone"):
        assert getattr(FINALE.rates, name) == pytest.approx(getattr(MAIN.rates, name) / 10)


def test_the_rate_rises_for_1500_steps_and_falls_to_a_twentieth_by_epoch_30():
    assert rate_share(0, STEPS, MAIN) == pytest.approx(1 / 1500)
    assert rate_share(749, STEPS, MAIN) == pytest.approx(0.5)
    assert rate_share(1500, STEPS, MAIN) == 1.0
    assert rate_share(30 * STEPS - 1, STEPS, MAIN) == pytest.approx(0.05)
    middle = (1500 + 30 * STEPS - 1) / 2
    assert rate_share(round(middle), STEPS, MAIN) == pytest.approx((1 + 0.05) / 2, abs=1e-4)
    shares = [rate_share(step, STEPS, MAIN) for step in range(1500, 30 * STEPS, 97)]
    assert shares == sorted(shares, reverse=True)


def test_the_finale_keeps_its_rate():
    assert {rate_share(step, STEPS, FINALE) for step in (0, STEPS, 3 * STEPS - 1)} == {1.0}


def test_the_average_follows_by_two_ten_thousandths():
    model = nn.Linear(1, 1, bias=False)
    nn.init.zeros_(model.weight)
    ema = Ema(model, PAPER.ema_decay)
    nn.init.ones_(model.weight)
    for _ in range(5000):
        ema.update(model)
    assert float(ema.module.weight) == pytest.approx(1 - 0.9998**5000, rel=1e-4)
    assert ema.updates == 5000


def test_the_average_holds_norm_statistics_and_copies_counters():
    model = nn.BatchNorm1d(2)
    ema = Ema(model, 0.5)
    model(torch.tensor([[1.0, 3.0], [3.0, 9.0]]))
    ema.update(model)
    assert torch.allclose(ema.module.running_mean, model.running_mean / 2)
    assert int(ema.module.num_batches_tracked) == 1


def test_a_warm_average_trusts_early_steps_little():
    ema = Ema(nn.Linear(1, 1), 0.999, warmup=True)
    assert ema.current_decay() == pytest.approx(0.1)
    ema.updates = 10**6
    assert ema.current_decay() == 0.999


def test_every_strict_improvement_is_saved_but_patience_wants_more():
    selection = Selection()
    assert selection.see(0.5, 1, 0.0005)
    for epoch, score in enumerate((0.5001, 0.5002, 0.5003, 0.5004), 2):
        assert selection.see(score, epoch, 0.0005)
    assert selection.waiting == 4
    assert not selection.see(0.5004, 6, 0.0005)
    assert (selection.best, selection.epoch, selection.waiting) == (0.5004, 5, 5)
    assert selection.see(0.5005, 7, 0.0005)
    assert selection.waiting == 0


def test_patience_ends_the_main_phase_not_before_epoch_seven():
    selection = Selection(0.8, 1, 0.8, waiting=5)
    assert selection.finished(MAIN, 6) is None
    assert selection.finished(MAIN, 7) == "main_patience"
    assert Selection().finished(MAIN, 30) == "main_epoch_cap"
    assert selection.finished(FINALE, 2) is None
    assert selection.finished(FINALE, 3) == "finale_epoch_cap"


def test_groups_hold_the_components_of_the_paper():
    with torch.device("meta"):
        model = AcroMeld(PAPER_CONTRACT)
    sizes = {name: sum(p.numel() for p in group) for name, group in grouped(model, "all").items()}
    # Two scalars of the bin function are parameters by the paper's count, but are never changed.
    assert sizes == {"graph": 6_528_485, "visual": 10_383_275 - 2, "backbone": 22_463_664}


def test_the_backbone_is_frozen_for_two_epochs():
    model = AcroMeld(SMALL)
    phase = MAIN.model_copy(update={"name": "small"})
    for epoch, learns in ((0, False), (1, False), (2, True)):
        set_learning(model, phase, epoch)
        frozen = {name for name, p in model.named_parameters() if not p.requires_grad}
        assert bool(frozen) is not learns
        assert all(name.startswith("visual.backbone.") for name in frozen)
        assert model.visual.backbone.training is learns
        assert model.visual.neck.training


@pytest.mark.parametrize(("part", "groups"), [("visual", {"visual", "backbone"}), ("graph", {"graph"})])
def test_a_part_learns_alone(part, groups):
    model = AcroMeld(SMALL)
    phase = Phase(name="part", trains=part, max_epochs=1)
    set_learning(model, phase, 0)
    learning = {group_of(name) for name, p in model.named_parameters() if p.requires_grad}
    assert learning == groups
    assert model.visual.training is (part == "visual")
    assert model.visual.project.weight.requires_grad is (part == "graph")


def test_rates_go_to_their_groups():
    optimiser = make_optimiser(AcroMeld(SMALL), MAIN, PAPER)
    set_rates(optimiser, MAIN, 0.5)
    assert {g["name"]: g["lr"] for g in optimiser.param_groups} == {
        "graph": 1e-4, "visual": 5e-5, "backbone": 2e-6,
    }  # fmt: skip
    assert all(g["weight_decay"] == 1e-4 and g["betas"] == (0.9, 0.999) for g in optimiser.param_groups)


def test_phases_can_be_left_out_and_shortened():
    plan = COMPACT.with_epochs({"joint": 2, "finale": 0})
    assert [phase.name for phase in plan.phases] == ["joint"]
    assert plan.phases[0].max_epochs == 2
    assert plan.digest() != COMPACT.digest()
    with pytest.raises(ValueError, match="no phase other"):
        COMPACT.with_epochs({"other": 1})


def test_a_plan_reads_back_from_its_json():
    assert TrainingPlan.model_validate_json(PAPER.canonical()) == PAPER
    assert TrainingPlan.model_validate_json(PAPER.canonical()).digest() == PAPER.digest()


def test_a_plan_cannot_contradict_itself():
    with pytest.raises(ValueError, match="names of their own"):
        quick_plan(phases=())
    with pytest.raises(ValueError, match="longer than its cap"):
        quick_plan(phases=(Phase(name="a", min_epochs=3, max_epochs=2),))


def test_the_schedule_of_a_phase_shorter_than_its_warm_up_stays_within_bounds():
    phase = Phase(name="short", max_epochs=1, warmup_steps=10, decay_to=0.1)
    shares = [rate_share(step, 4, phase) for step in range(20)]
    assert all(0 < share <= 1 and math.isfinite(share) for share in shares)
