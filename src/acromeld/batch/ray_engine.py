# SPDX-License-Identifier: Apache-2.0
"""The same job on a Ray cluster: an actor for each worker, a task for each document.

The journal, the plan and the report stay with the driver. Actors that die are replaced and their documents
given out again; the driver never has more than two documents waiting at an actor, so that neither its memory
nor the object store fills up.
"""

from __future__ import annotations

import os
from collections import deque
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from acromeld.batch.bench import Bench
from acromeld.batch.intake import read_input
from acromeld.batch.job import Finished, Job, Options, failure
from acromeld.batch.supervisor import WORKER
from acromeld.errors import AcromeldError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

_AHEAD = 2
"""Documents given to an actor at a time: the one in work and the next."""

_TRIES = 3
"""Actors a document may lose before it has failed; what a document does itself ends in the worker below."""


class RayEngine:
    """Runs jobs on a cluster; use as a context manager.

    Args:
        options: What is done with every document.
        out: The output folder.
        workers: Actors; default is one for each CPU of the cluster.
        address: Cluster to join; none for the one RAY_ADDRESS names, or a new local one.
        data: ``shared`` when all nodes see both folders under the same paths, else ``store``.
        on_page: Called for the pages of a document when it has ended.
        command: What actors start as workers.
    """

    def __init__(
        self,
        options: Options,
        *,
        out: Path,
        workers: int | None = None,
        address: str | None = None,
        data: Literal["shared", "store"] = "shared",
        on_page: Callable[[Job, int, int], None] = lambda _job, _done, _total: None,
        command: Sequence[str] = WORKER,
    ) -> None:
        # By name, and only here: Ray is an extra that nothing else may need.
        self._ray: Any = import_module("ray")
        self._options = options
        self._out = out
        self._workers = workers
        self._address = address
        self._store = data == "store"
        self._on_page = on_page
        self._command = tuple(command)
        self._lost: dict[int, int] = {}
        self._started = False
        self.actors: list[Any] = []

    def __enter__(self) -> RayEngine:
        if not self._ray.is_initialized():
            # Ray would otherwise report its use to its makers; nothing leaves the machine.
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            self._start()
        count = self._workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self.actors = [self._hire() for _ in range(count)]
        return self

    def _hire(self) -> Any:
        """A new actor, never restarted by Ray: calls to one that restarts fail, to a new one they wait."""
        out = None if self._store else str(self._out.resolve())
        return self._ray.remote(num_cpus=1, max_restarts=0)(Bench).remote(self._options, out, self._command)

    def _start(self) -> None:
        settings: dict[str, Any] = {"logging_level": "error", "log_to_driver": False}
        address = self._address or os.environ.get("RAY_ADDRESS")
        if address is None:
            settings |= {"include_dashboard": False}
            if self._workers is not None:
                settings |= {"num_cpus": max(self._workers, os.cpu_count() or 1)}
        try:
            self._ray.init(address=address, **settings)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise AcromeldError(f"Ray cannot be reached: {str(error).splitlines()[0]}.") from None
        self._started = True

    def __exit__(self, *_: object) -> None:
        for actor in self.actors:
            self._ray.kill(actor)
        if self._started:
            self._ray.shutdown()

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Outcomes as they come; a job is taken from the iterable only when an actor has room for it."""
        waiting = iter(jobs)
        again: deque[Job] = deque()
        flying: dict[Any, tuple[Job, int, Any]] = {}
        room = deque(slot for _ in range(_AHEAD) for slot in range(len(self.actors)))
        while True:
            while room and (job := again.popleft() if again else next(waiting, None)) is not None:
                actor = self.actors[room[0]]
                try:
                    flying[self._give(actor, job)] = job, room[0], actor
                    room.popleft()
                except AcromeldError as error:
                    yield Finished(job, failure(str(error), error.exit_code))
            if not flying:
                return
            (reference, *_), _ = self._ray.wait(list(flying), num_returns=1)
            job, slot, actor = flying.pop(reference)
            room.append(slot)
            try:
                finished: Finished = self._ray.get(reference)
            except self._ray.exceptions.RayError as error:
                if self.actors[slot] is actor:
                    self._replace(slot)
                yield from self._lose(job, error, again)
            else:
                for page in range(finished.outcome.pages):
                    self._on_page(job, page + 1, finished.outcome.pages)
                yield finished

    def _give(self, actor: Any, job: Job) -> Any:
        return actor.work.remote(job, self._ray.put(read_input(job)) if self._store else None)

    def _replace(self, slot: int) -> None:
        self._ray.kill(self.actors[slot])
        self.actors[slot] = self._hire()

    def _lose(self, job: Job, error: Exception, again: deque[Job]) -> Iterator[Finished]:
        """Another try for a document whose actor or node was lost, unless it has had enough of them."""
        lost = self._lost[job.key] = self._lost.get(job.key, 0) + 1
        if lost < _TRIES:
            again.append(job)
            return
        reason = f"{job.name} lost its Ray worker {lost} times ({type(error).__name__})."
        yield Finished(job, failure(reason, ExitCode.LIMIT), attempts=lost)
