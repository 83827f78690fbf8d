# SPDX-License-Identifier: Apache-2.0
"""Two processes that share the pages of a step learn what one process learns from all of them."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch.distributed as dist

from acromeld.train.engine.distributed import Group
from acromeld.train.engine.plan import Phase
from acromeld.train.engine.run import Settings, Trainer
from tests.train.made_up import RATES, SMALL, made_cache, quick_plan
from tests.train.processes import run_together

STILL = SMALL.model_copy(update={"dropout": 0.0})
"""Without dropout, which every process draws for itself."""

PLAN = quick_plan(
    phases=(Phase(name="all", max_epochs=1, rates=RATES, effective_batch=4, per_device=1),), clip=1e9
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return made_cache(tmp_path_factory.mktemp("cache") / "pages")


class Watched(Trainer):
    """Keeps the gradients of its first step."""

    def _step(self, steps: int) -> None:
        first = not hasattr(self, "gradients")
        if first:
            parameters = [p for group in self.optimiser.param_groups for p in group["params"]]
            self.group.sum_gradients(parameters)
            self.gradients = {name: p.grad.clone() for name, p in self.model.named_parameters()}
            # Summed already; the step itself must not do it again.
            self.group, kept = Group(0, 1), self.group
            super()._step(steps)
            self.group = kept
        else:
            super()._step(steps)


def worker(rank: int, ranks: int, cache, out: Path, store: str) -> None:
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=ranks)
    group = Group(rank, ranks)
    trainer = Watched(PLAN, STILL, cache, out, settings=Settings(), group=group)
    trainer.run()
    parameters = {name: p.detach() for name, p in trainer.model.named_parameters()}
    torch.save({"gradients": trainer.gradients, "parameters": parameters}, f"{out}.{rank}.pt")
    group.close()


def test_two_processes_have_the_gradients_of_one(cache, tmp_path, monkeypatch):
    monkeypatch.setattr("acromeld.train.engine.metrics.plot", lambda rows: b"")
    alone = Watched(PLAN, STILL, cache, tmp_path / "alone")
    alone.run()
    ranks = [(rank, 2, cache, tmp_path / "pair", str(tmp_path / "store")) for rank in range(2)]
    assert run_together(worker, ranks) == [0, 0]
    pair = [torch.load(f"{tmp_path / 'pair'}.{rank}.pt", weights_only=True) for rank in range(2)]
    for name, gradient in alone.gradients.items():
        for one in pair:
            assert torch.allclose(one["gradients"][name], gradient, rtol=1e-4, atol=1e-6), name
    for name, value in pair[0]["parameters"].items():
        assert torch.equal(value, pair[1]["parameters"][name]), name
