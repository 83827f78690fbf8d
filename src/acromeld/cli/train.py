# SPDX-License-Identifier: Apache-2.0
"""``acromeld train``: make the weights of a detector from a sealed index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

if TYPE_CHECKING:
    from rich.progress import TaskID

app = App(name="train", help="Make the weights of a detector from a sealed index.")


@app.command
def ffgbt(
    index: Path, /, *, pdf: Path, out: Path, workers: int | None = None, limit: int | None = None
) -> int:
    """Train the boosted-tree detector.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        out: Folder for the weights and the records of the run.
        workers: Processes and threads; default is one per core.
        limit: Use only so many training documents, for a rehearsal.
    """
    from acromeld.train.ffgbt.run import Settings, train

    bars = _Bars()
    with bars.progress:
        digest = train(
            index, pdf, out, settings=Settings(limit=limit), workers=workers, progress=bars.step, log=bars.say
        )
    print(f"{out / 'ffgbt.npz'}: sha256 {digest}")
    return 0


class _Bars:
    """One bar per stage on a terminal, plain lines in a log file."""

    def __init__(self) -> None:
        self.console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=self.console, disable=not self.console.is_terminal)
        self.tasks: dict[str, TaskID] = {}

    def step(self, stage: str, done: int, total: int) -> None:
        """Advance a stage, and say so every tenth of the way where there is no terminal."""
        if stage not in self.tasks:
            self.tasks[stage] = self.progress.add_task(stage, total=total)
        self.progress.update(self.tasks[stage], completed=done)
        if self.progress.disable and done % max(total // 10, 1) == 0:
            self.say(f"{stage}: {done} of {total}")

    def say(self, sentence: str) -> None:
        """A line above the bars."""
        if self.progress.disable:
            print(sentence, file=sys.stderr, flush=True)
        else:
            self.console.print(sentence, highlight=False)
