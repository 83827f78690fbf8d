# SPDX-License-Identifier: Apache-2.0
"""What ``acromeld train acromeld`` does: resolve names and files, show progress, stop politely."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import torch
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from acromeld.cli.console import plain_console
from acromeld.cli.named import named_or_file, parse_epochs
from acromeld.form.output import write_atomically
from acromeld.model.contract import CONTRACTS, ModelContract
from acromeld.provenance.records import json_bytes, read_json
from acromeld.train.data.cache import PageCache, open_cache
from acromeld.train.engine.batch_trial import TRIAL, try_sizes
from acromeld.train.engine.distributed import Group, join_group
from acromeld.train.engine.plan import PLANS, TrainingPlan
from acromeld.train.engine.run import Live, Settings, Trainer
from acromeld.train.engine.summary import finish

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import FrameType

    from rich.progress import TaskID


def train_network(
    cache: Path,
    out: Path,
    *,
    plan: str,
    contract: str | None,
    epochs: str | None,
    minutes: float | None,
    threads: int | None,
    workers: int,
    development_pages: int | None,
    pretrained: Path | None,
    checkpoint_minutes: float,
    accept_implementation: str | None,
    batch_trial: bool,
    tensorboard: Path | None,
    verify: bool,
) -> int:
    """Run or continue a training run; see the command for the arguments."""
    if threads is not None:
        torch.set_num_threads(threads)
    chosen = named_or_file(plan, PLANS, TrainingPlan).with_epochs(parse_epochs(epochs))
    model = named_or_file(contract or chosen.contract, CONTRACTS, ModelContract)
    device = own_device()
    group = join_group()
    settings = Settings(
        minutes=minutes,
        checkpoint_minutes=checkpoint_minutes,
        workers=workers,
        device=device,
        accept_implementation=accept_implementation,
        stop=_stop_on_signals(),
    )
    live = Shown(tensorboard) if group.first else Live()
    try:
        with live.progress if isinstance(live, Shown) else _nothing():
            pages = open_cache(cache, contract=model, verify=verify and group.first)
            sizes = trial_sizes(chosen, model, pages, out, group, settings.device) if batch_trial else None
            trainer = Trainer(
                chosen, model, pages, out, settings=settings, group=group, live=live,
                development_pages=development_pages, pretrained=pretrained, per_device=sizes,
            )  # fmt: skip
            ended = trainer.run()
        if group.first:
            if ended != "stopped":
                finish(out, trainer)
            print(f"{out}: {ended} after {trainer.state.position.epoch} epochs.")
    finally:
        group.close()
    return 0


def own_device() -> torch.device:
    """The GPU of this process, or the CPU."""
    if not torch.cuda.is_available():
        return torch.device("cpu")
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(device)
    return device


def trial_sizes(
    plan: TrainingPlan,
    contract: ModelContract,
    pages: PageCache,
    out: Path,
    group: Group,
    device: torch.device,
) -> dict[str, int]:
    """Pages a device takes at a time in each phase; a run that goes on uses what it found at its start."""
    place = out / TRIAL
    if group.first and not place.exists():
        densest = max(sum(page.fields) for page in pages.pages)
        phases = [
            try_sizes(contract, plan, phase, targets=densest, device=device, ranks=group.ranks)
            for phase in plan.phases
        ]
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(json_bytes({"phases": [phase.record() for phase in phases]}), place, overwrite=False)
    group.agree(True)
    return {str(phase["phase"]): int(phase["chosen"]) for phase in read_json(place)["phases"]}


def _stop_on_signals() -> Callable[[], bool]:
    """A function that says whether somebody asked to stop; a second time stops at once."""
    asked: list[int] = []

    def ask(number: int, _: FrameType | None) -> None:
        asked.append(number)
        signal.signal(number, signal.SIG_DFL)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return lambda: bool(asked)


class _nothing:  # noqa: N801
    """A context that does nothing, for processes that show nothing."""

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


_SHOWN = ("native_f1", "strict_f1", "map", "ap_text", "ap_choice", "ap_signature", "loss_total")


class Shown(Live):
    """Bars on a terminal; elsewhere a line every tenth of the way."""

    def __init__(self, board: Path | None = None) -> None:
        self.board = None
        if board is not None:
            from torch.utils.tensorboard import SummaryWriter

            self.board = SummaryWriter(str(board))
        self.console = plain_console(stderr=True)
        columns = (
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
            TextColumn("{task.fields[note]}"),
        )  # fmt: skip
        self.progress = Progress(*columns, console=self.console, disable=not self.console.is_terminal)
        self.tasks: dict[str, TaskID] = {}

    def step(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Advance the bar of a stage; finished ones make room."""
        if stage not in self.tasks:
            for task in self.tasks.values():
                self.progress.update(task, visible=False)
            self.tasks[stage] = self.progress.add_task(stage, total=total, note=note)
        self.progress.update(self.tasks[stage], completed=done, note=note)
        if self.progress.disable and (done % max(total // 10, 1) == 0 or done == total):
            self.say(f"{stage}: {done} of {total} {note}".rstrip())

    def row(self, row: dict[str, Any]) -> None:
        """The scores of an epoch."""
        if self.board is not None:
            for name, value in row.items():
                if isinstance(value, int | float):
                    self.board.add_scalar(name, value, row["epoch"])
        scores = "  ".join(f"{name} {row[name]:.4f}" for name in _SHOWN if row.get(name) is not None)
        star = "  best so far" if row["best"] else ""
        self.say(f"epoch {row['epoch']} ({row['phase']}): {scores}{star}")

    def say(self, sentence: str) -> None:
        """A line above the bars."""
        if self.progress.disable:
            print(sentence, file=sys.stderr, flush=True)
        else:
            self.console.print(sentence, highlight=False)
