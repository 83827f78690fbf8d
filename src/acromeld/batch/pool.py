# SPDX-License-Identifier: Apache-2.0
"""The process pool: workers that are given documents, watched, and replaced when they die.

A dead worker costs one attempt of one document. The document is tried once more by a fresh worker that reads
each page in a process of its own; if that dies too, the document has failed, with the reason.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from acromeld.batch.intake import read_input
from acromeld.batch.job import Finished, Job, Options, failure
from acromeld.batch.supervisor import WORKER, Heard, Worker
from acromeld.errors import AcromeldError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_LOOK = 0.5
"""Seconds between two looks at the clock."""

_TRIES_TO_START = 3
_LIFETIME = 400
"""Documents after which a worker is replaced, so that memory lost in native code does not add up."""


@dataclass
class Pool:
    """Runs jobs in worker processes; use as a context manager.

    Attributes:
        options: What is done with every document.
        workers: How many processes.
        command: What is started; tests start something worse.
        on_page: Called with (job, pages done, pages in all).
        read: Gives the bytes of a job.
    """

    options: Options
    workers: int
    command: Sequence[str] = WORKER
    on_page: Callable[[Job, int, int], None] = lambda _job, _done, _total: None
    read: Callable[[Job], bytes] = read_input
    _ears: queue.SimpleQueue[Heard] = field(default_factory=queue.SimpleQueue)
    _staff: dict[Worker, int] = field(default_factory=dict)
    _second: deque[Job] = field(default_factory=deque)
    _stillborn: int = 0

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._staff:
            worker.kill()
        for worker in self._staff:
            worker.close()

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Outcomes as they come; a job is taken from the iterable only when a worker is free for it."""
        waiting = iter(jobs)
        upcoming = next(waiting, None)
        while upcoming is not None or self._second or self._busy():
            while len(self._staff) < self.workers and (upcoming is not None or self._second):
                self._hire()
            for worker in [worker for worker in self._staff if worker.ready and worker.job is None]:
                if self._second:
                    yield from self._give(worker, self._second.popleft())
                elif upcoming is not None:
                    yield from self._give(worker, upcoming)
                    upcoming = next(waiting, None)
            yield from self._hear()

    def _busy(self) -> bool:
        return any(worker.job is not None for worker in self._staff)

    def _hire(self) -> None:
        self._staff[Worker(self.options, self._ears, self.command)] = 0

    def _give(self, worker: Worker, job: Job) -> Iterator[Finished]:
        """Hand a document over, or report at once that it cannot be read."""
        try:
            worker.give(job, self.read(job))
        except AcromeldError as error:
            yield Finished(job, failure(str(error), error.exit_code))

    def _hear(self) -> Iterator[Finished]:
        """Wait for the next thing a worker says, and watch the clock."""
        try:
            heard = self._ears.get(timeout=_LOOK)
        except queue.Empty:
            self._watch()
            return
        self._watch()
        worker, job = heard.worker, heard.job
        if heard.gone:
            yield from self._bury(worker)
        elif heard.outcome is not None and job is not None and worker in self._staff:
            seconds = time.monotonic() - worker.started
            worker.job = None
            self._staff[worker] += 1
            if heard.outcome.again or job.isolated or self._staff[worker] >= _LIFETIME:
                self._dismiss(worker)
            if heard.outcome.again:
                self._second.append(job.again())
            else:
                yield Finished(job, heard.outcome, heard.parts, attempts=1 + job.isolated, seconds=seconds)
        elif heard.beat is not None:
            self._stillborn = 0
            worker.beat = time.monotonic()
            if job is not None:
                self.on_page(job, *heard.beat)

    def _watch(self) -> None:
        now = time.monotonic()
        for worker in self._staff:
            if reason := worker.overdue(now):
                worker.kill(reason)

    def _dismiss(self, worker: Worker) -> None:
        """Replace an idle worker by a fresh one."""
        del self._staff[worker]
        worker.close()

    def _bury(self, worker: Worker) -> Iterator[Finished]:
        """What to do about a worker that is gone: the document gets its second attempt, or has failed."""
        if self._staff.pop(worker, None) is None:
            return
        worker.close()
        job = worker.job
        if job is None:
            self._stillborn += 1
            if not worker.ready and self._stillborn >= _TRIES_TO_START:
                raise AcromeldError(
                    f"Workers end before they are ready; is {self.options.memory_mb} MB enough for one?"
                )
        elif not job.isolated:
            self._second.append(job.again())
        else:
            reason = f"{job.name} {worker.cause_of_death()}, twice."
            seconds = time.monotonic() - worker.started
            yield Finished(job, failure(reason, ExitCode.LIMIT), attempts=2, seconds=seconds)
