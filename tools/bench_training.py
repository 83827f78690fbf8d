# SPDX-License-Identifier: Apache-2.0
"""Where the time of training goes: the data path alone, and the parts of a step of each phase.

    python tools/bench_training.py CACHE [--plan compact] [--steps 4] [--threads 1] [--operators]

Times are wall clock and CPU time of this process; on a busy machine only the latter means anything.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from rich.console import Console
from rich.table import Table

from acromeld.corpus.roles import Role
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import CONTRACTS, ModelContract
from acromeld.train.data.cache import PageCache, open_cache
from acromeld.train.data.loader import Lessons, Loaded, Recipe, load
from acromeld.train.data.sampler import Visit, epoch_batches
from acromeld.train.engine.ema import Ema
from acromeld.train.engine.groups import make_optimiser, set_learning
from acromeld.train.engine.plan import PLANS, Phase, TrainingPlan
from acromeld.train.engine.step import autocast, in_full, model_output, visual_native, visual_terms
from acromeld.train.loss import total_loss


class Clock:
    """Adds up wall and CPU seconds under names."""

    def __init__(self) -> None:
        self.wall: defaultdict[str, float] = defaultdict(float)
        self.cpu: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall[name] += time.perf_counter() - wall
        self.cpu[name] += time.process_time() - cpu


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("cache", type=Path)
    parser.add_argument("--plan", default="compact", choices=sorted(PLANS))
    parser.add_argument("--contract", help="name or JSON file; the plan's own unless given")
    parser.add_argument("--steps", type=int, default=4, help="micro-batches to measure, after one to warm up")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--operators", action="store_true", help="list the costliest operators, too")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    plan = PLANS[given.plan]
    name = given.contract or plan.contract
    contract = CONTRACTS.get(name) or ModelContract.model_validate_json(Path(name).read_bytes())
    cache = open_cache(given.cache, contract=contract, verify=False)
    console = Console(width=110)
    console.print(data_path(cache, contract, plan, given.steps * 8))
    phases = [p for p in plan.phases if p.augment and (p.trains == "visual" or not cache.pictures_only)]
    for phase in phases:
        console.print(step_times(cache, contract, plan, phase, given.steps, operators=given.operators))


def some_batches(
    cache: PageCache, contract: ModelContract, plan: TrainingPlan, size: int
) -> list[list[Visit]]:
    rows = cache.rows(Role.TRAIN_REAL)
    batches = epoch_batches(
        cache.pages, rows, contract.canvases,
        seed=plan.seed, epoch=0, size=size, per_step=1, signature_weight=plan.signature_weight,
    )  # fmt: skip
    return [batch for batch in batches if len(batch) == size]


def data_path(cache: PageCache, contract: ModelContract, plan: TrainingPlan, pages: int) -> Table:
    """Pages a second of reading alone, of clean pages, and of augmented ones."""
    batches = some_batches(cache, contract, plan, 1)[:pages]
    clock = Clock()
    with clock.timed("read from the cache"):
        for (visit,) in batches:
            cache.read(visit.row)
    recipes = {
        "as a detector sees it": Recipe(plan.seed),
        "augmented": Recipe(plan.seed, plan.augmentation, plan.missing),
    }
    for name, recipe in recipes.items():
        with clock.timed(name):
            for _ in load(Lessons(cache, contract.canvases, recipe, batches)):
                pass
    return table_of("Data path alone", clock, len(batches))


def step_times(
    cache: PageCache,
    contract: ModelContract,
    plan: TrainingPlan,
    phase: Phase,
    steps: int,
    *,
    operators: bool,
) -> Table | str:
    """Seconds a page of the parts of a step."""
    model = AcroMeld(contract)
    model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    set_learning(model, phase, phase.frozen_backbone_epochs)
    optimiser, ema = make_optimiser(model, phase, plan), Ema(model, plan.ema_decay)
    recipe = Recipe(plan.seed, plan.augmentation, plan.missing)
    batches = some_batches(cache, contract, plan, phase.per_device)[: steps + 1]
    loaded = iter(load(Lessons(cache, contract.canvases, recipe, batches)))
    one_step(model, next(loaded), plan, phase, optimiser, ema, Clock())
    clock = Clock()
    profiler = torch.profiler.profile() if operators else None
    if profiler:
        profiler.start()
    for _ in batches[1:]:
        with clock.timed("load"):
            batch = next(loaded)
        one_step(model, batch, plan, phase, optimiser, ema, clock)
    table = table_of(f"Phase {phase.name}", clock, phase.per_device * (len(batches) - 1))
    if profiler:
        profiler.stop()
        return profiler.key_averages().table(sort_by="self_cpu_time_total", row_limit=20)
    return table


def one_step(
    model: AcroMeld,
    loaded: Loaded,
    plan: TrainingPlan,
    phase: Phase,
    optimiser: torch.optim.Optimizer,
    ema: Ema[AcroMeld],
    clock: Clock,
) -> None:
    batch = loaded.to(torch.device("cpu")).batch
    with clock.timed("forward"):
        if phase.trains == "visual":
            with autocast(plan.precision, torch.device("cpu")):
                seen = visual_native(model, batch)
        else:
            output = model_output(model, batch, phase.trains, plan.precision)
    with clock.timed("matching and loss"):
        if phase.trains == "visual":
            loss = torch.stack(list(visual_terms(in_full(seen), batch).values())).sum()
        else:
            loss = total_loss(output, batch).total
    with clock.timed("backward"):
        loss.backward()
    with clock.timed("optimiser and average"):
        torch.nn.utils.clip_grad_norm_([p for p in model.parameters() if p.requires_grad], plan.clip)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        ema.update(model)


def table_of(title: str, clock: Clock, pages: int) -> Table:
    table = Table(title=title, title_justify="left")
    for heading in ("part", "CPU ms a page", "wall ms a page", "pages per CPU second"):
        table.add_column(heading, justify="left" if heading == "part" else "right")
    rows = {**clock.cpu}
    if "forward" in rows:
        rows["whole step"] = sum(clock.cpu.values())
        clock.wall["whole step"] = sum(clock.wall.values())
    for name, seconds in rows.items():
        per_page = seconds / pages
        rate = f"{1 / per_page:.2f}" if per_page > 0 else ""
        table.add_row(name, f"{1e3 * per_page:.1f}", f"{1e3 * clock.wall[name] / pages:.1f}", rate)
    return table


if __name__ == "__main__":
    main()
