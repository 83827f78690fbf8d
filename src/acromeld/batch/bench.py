# SPDX-License-Identifier: Apache-2.0
"""What a Ray actor does: keep one confined worker with the model in it, and give it documents.

The document is parsed in the worker, a process below the actor with the limits of any batch worker, and not
in the actor itself, which holds Ray's connections and cannot be confined.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from acromeld.batch.delivery import deliver
from acromeld.batch.intake import read_input
from acromeld.batch.job import Finished, Job, Options
from acromeld.batch.pool import Pool
from acromeld.batch.supervisor import WORKER
from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from collections.abc import Sequence


class Bench:
    """One actor.

    Args:
        options: What is done with every document.
        out: The output folder, when this node sees it and writes there itself; none to send outputs back.
        command: What is started as a worker.
    """

    def __init__(self, options: Options, out: str | None, command: Sequence[str] = WORKER) -> None:
        self._out = Path(out) if out is not None else None
        self._data: bytes | None = None
        self._pool = Pool(options, 1, command, read=self._read)

    def pid(self) -> int:
        """Process id of the actor."""
        return os.getpid()

    def work(self, job: Job, data: bytes | None = None) -> Finished:
        """Do one document, from the bytes given or its path, with the attempts and limits of the pool."""
        self._data = data
        (finished,) = self._pool.run([job])
        self._data = None
        if self._out is None or not finished.outcome.done:
            return finished
        return self._delivered(self._out, finished)

    def _read(self, job: Job) -> bytes:
        return read_input(job) if self._data is None else self._data

    def _delivered(self, out: Path, finished: Finished) -> Finished:
        """Put the outputs in place; where that fails they go back to the driver, who tries and tells why."""
        job = finished.job
        try:
            delivered = deliver(out, job.stem, job.sha256, finished.parts, job.ours)
        except (OutputProblem, OSError):
            return finished
        return replace(finished, parts={}, delivered=delivered)
