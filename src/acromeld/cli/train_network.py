# SPDX-License-Identifier: Apache-2.0
"""What ``acromeld train acromeld`` does: resolve names and files, show progress, stop politely."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from acromeld.errors import BadFields, InputNotFound
from acromeld.model.contract import CONTRACTS, ModelContract
from acromeld.train.data.cache import open_cache
from acromeld.train.engine.distributed import join_group
from acromeld.train.engine.plan import PLANS, TrainingPlan
from acromeld.train.engine.run import Live, Settings, Trainer
from acromeld.train.engine.summary import finish

if TYPE_CHECKING:
    from collections.abc import Mapping
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
    verify: bool,
) -> int:
    """Run or continue a training run; see the command for the arguments."""
    torch.set_num_threads(threads or os.cpu_count() or 1)
    chosen = named_or_file(plan, PLANS, TrainingPlan).with_epochs(parse_epochs(epochs))
    model = named_or_file(contract or chosen.contract, CONTRACTS, ModelContract)
    group = join_group()
    settings = Settings(
        minutes=minutes,
        checkpoint_minutes=checkpoint_minutes,
        workers=workers,
        device=torch.device("cuda", group.rank) if torch.cuda.is_available() else torch.device("cpu"),
        accept_implementation=accept_implementation,
        stop=_stop_on_signals(),
    )
    live = Shown() if group.first else Live()
    try:
        with live.progress if isinstance(live, Shown) else _nothing():
            pages = open_cache(cache, contract=model, verify=verify and group.first)
            trainer = Trainer(
                chosen, model, pages, out, settings=settings, group=group, live=live,
                development_pages=development_pages, pretrained=pretrained,
            )  # fmt: skip
            ended = trainer.run()
        if group.first:
            if ended != "stopped":
                finish(out, trainer)
            print(f"{out}: {ended} after {trainer.state.position.epoch} epochs.")
    finally:
        group.close()
    return 0


def named_or_file(name: str, known: Mapping[str, Any], kind: type[BaseModel]) -> Any:
    """A plan or contract by its name, or from a JSON file."""
    if name in known:
        return known[name]
    path = Path(name)
    if not path.is_file():
        raise InputNotFound(f"There is no {name!r}; known are {', '.join(known)}, or name a JSON file.")
    try:
        return kind.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise BadFields(f"{path} cannot be used: {where}: {first['msg']}.") from None


def parse_epochs(text: str | None) -> dict[str, int]:
    """``visual=6,graph=8`` as a mapping."""
    try:
        pairs = [part.split("=") for part in (text or "").split(",") if part]
        return {name.strip(): int(number) for name, number in pairs}
    except ValueError:
        raise BadFields(f"{text!r} is not a list such as visual=6,graph=8.") from None


def _stop_on_signals() -> Any:
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

    def __init__(self) -> None:
        self.console = Console(stderr=True)
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
        scores = "  ".join(f"{name} {row[name]:.4f}" for name in _SHOWN if row.get(name) is not None)
        star = "  best so far" if row["best"] else ""
        self.say(f"epoch {row['epoch']} ({row['phase']}): {scores}{star}")

    def say(self, sentence: str) -> None:
        """A line above the bars."""
        if self.progress.disable:
            print(sentence, file=sys.stderr, flush=True)
        else:
            self.console.print(sentence, highlight=False)
