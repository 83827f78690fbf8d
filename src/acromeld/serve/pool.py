# SPDX-License-Identifier: Apache-2.0
"""A few worker processes and a short queue in front of them.

A worker that crashes, hangs, or works for a client that went away is killed and replaced; the others do not
notice. When the queue is full, a document is turned away at once instead of piling up.
"""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Any, BinaryIO

from acromeld.serve.problems import Problem, Trouble
from acromeld.serve.worker import WORKER, Worker, WorkerDied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from acromeld.serve.jobs import Job, Result
    from acromeld.serve.metrics import Metrics
    from acromeld.serve.settings import Settings

    Tell = Callable[[str, dict[str, int]], None]
    """Told what happens to a job: ``queued``, ``started``, ``progress``, with numbers."""

_LONGEST_PAUSE = 30.0
_LONGEST_RETRY = 120


class Pool:
    """Workers and their queue; lives in one event loop, between `start` and `stop`."""

    def __init__(self, settings: Settings, metrics: Metrics, arguments: tuple[str, ...] = WORKER) -> None:
        self.settings = settings
        self.metrics = metrics
        self.arguments = arguments
        self.idle: asyncio.Queue[Worker] = asyncio.Queue()
        self.busy: set[Worker] = set()
        self.dismissed: set[Worker] = set()
        self.running: set[asyncio.Task[Any]] = set()
        self.waiting: set[asyncio.Task[Any]] = set()
        self.starting: set[asyncio.Task[Any]] = set()
        self.mean_seconds = 2.0
        self.stopped = False

    def start(self) -> None:
        """Begin to start the workers; requests may come at once and wait for them."""
        for _ in range(self.settings.workers):
            self._begin(None)

    async def stop(self) -> None:
        """Kill everything."""
        self.stopped = True
        tasks = self.running | self.starting
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for _ in range(self.idle.qsize()):
            self._dismiss(self.idle.get_nowait())
        await asyncio.gather(*(worker.ended() for worker in self.dismissed))

    @property
    def ready(self) -> bool:
        """Whether a worker is there at all."""
        return bool(self.busy) or not self.idle.empty()

    def check_room(self) -> None:
        """Raise `Trouble` if a document would be turned away."""
        if self.idle.empty() and len(self.waiting) >= self.settings.queue:
            raise Trouble(Problem.BUSY, headers={"Retry-After": str(self.retry_after())})

    def retry_after(self) -> int:
        """Seconds after which the queue should have moved on, from the documents of late."""
        seconds = self.mean_seconds * (len(self.waiting) + 1) / self.settings.workers
        return min(max(1, math.ceil(seconds)), _LONGEST_RETRY)

    def submit(self, job: Job, files: Mapping[str, BinaryIO], tell: Tell) -> asyncio.Task[Result]:
        """Queue a job or raise `Trouble` at once; cancelling the task takes it back, whatever its state."""
        self.check_room()
        tell("queued", {"ahead": len(self.waiting)})
        task = asyncio.create_task(self._run(job, files, tell))
        for group in (self.running, self.waiting):
            group.add(task)
            task.add_done_callback(group.discard)
        return task

    async def _run(self, job: Job, files: Mapping[str, BinaryIO], tell: Tell) -> Result:
        worker = await self._take()
        self.busy.add(worker)
        began = time.monotonic()
        tell("started", {})
        reason: str | None = "cancelled"
        try:
            async with asyncio.timeout(self.settings.seconds):
                result = await worker.work(job, files, lambda done, total: _progress(tell, done, total))
            reason = self._worn(worker)
            self.metrics.pages += result.summary.get("pages", 0)
            return result
        except TimeoutError:
            reason = "time"
            raise Trouble(Problem.TIME, self._too_long()) from None
        except WorkerDied as death:
            reason = "crashed"
            raise Trouble(Problem.CRASHED, log=str(death)) from None
        except Trouble:
            reason = self._worn(worker)
            raise
        finally:
            self.busy.discard(worker)
            self.mean_seconds += 0.2 * (time.monotonic() - began - self.mean_seconds)
            self._put_back(worker, reason)

    async def _take(self) -> Worker:
        """The next free worker; those that died in their sleep are replaced on the way."""
        task = asyncio.current_task()
        try:
            async with asyncio.timeout(self.settings.wait_seconds):
                while True:
                    worker = await self.idle.get()
                    if worker.alive:
                        return worker
                    self._put_back(worker, "crashed")
        except TimeoutError:
            headers = {"Retry-After": str(self.retry_after())}
            raise Trouble(Problem.BUSY, "No worker became free in time.", headers=headers) from None
        finally:
            self.waiting.discard(task)

    def _worn(self, worker: Worker) -> str | None:
        """Why a worker that answered should be replaced all the same, if it should."""
        return worker.retire or ("retired" if worker.jobs >= self.settings.retire_after else None)

    def _put_back(self, worker: Worker, reason: str | None) -> None:
        """Back to the others, or out."""
        if reason is None:
            self.idle.put_nowait(worker)
            return
        self._dismiss(worker)
        self.metrics.restarts[reason] += 1
        self._begin(worker)

    def _dismiss(self, worker: Worker) -> None:
        worker.kill()
        self.dismissed.add(worker)

    def _begin(self, old: Worker | None) -> None:
        if self.stopped:
            return
        task = asyncio.create_task(self._replace(old))
        self.starting.add(task)
        task.add_done_callback(self.starting.discard)

    async def _replace(self, old: Worker | None) -> None:
        """See the old worker off, and try until there is a new one, with growing pauses."""
        if old is not None:
            await old.ended()
            self.dismissed.discard(old)
        pause = 0.5
        while True:
            try:
                self.idle.put_nowait(await Worker.start(self.settings, self.arguments))
                return
            except (WorkerDied, OSError):
                self.metrics.restarts["start"] += 1
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _too_long(self) -> str:
        return f"The work took longer than the limit of {self.settings.seconds:g} s."


def _progress(tell: Tell, done: int, total: int) -> None:
    tell("progress", {"done": done, "total": total})
