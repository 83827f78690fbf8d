# SPDX-License-Identifier: Apache-2.0
"""One worker process as its owner sees it: give it a document, hear from it, or end it.

A thread does the blocking conversation, so that a worker that neither reads nor answers holds up nobody:
the owner's watchdog kills the process, which ends the conversation.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np
from pydantic import ValidationError

import acromeld
from acromeld.batch.job import Job, Options, Outcome, Parts, known_part
from acromeld.pdf.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Sequence

WORKER = (sys.executable, "-P", "-m", "acromeld.batch.worker")
"""How a worker is started; ``-P`` because the current folder may hold what strangers made."""

_STILL = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""One thread a worker: the pool uses the cores, and sums come out the same everywhere."""

_START_SECONDS = 300.0
_END_SECONDS = 5.0


@dataclass(frozen=True)
class Heard:
    """Something a worker said, or that it is gone (``outcome`` none and ``beat`` none)."""

    worker: Worker
    job: Job | None = None
    beat: tuple[int, int] | None = None
    outcome: Outcome | None = None
    parts: Parts = field(default_factory=dict, repr=False)

    @property
    def gone(self) -> bool:
        """Whether this was the last one hears of it."""
        return self.outcome is None and self.beat is None


class Worker:
    """A running worker process; what it says arrives in ``ears``."""

    def __init__(
        self, options: Options, ears: queue.SimpleQueue[Heard], command: Sequence[str] = WORKER
    ) -> None:
        self.options = options
        self.ready = False
        self.job: Job | None = None
        self.started = self.beat = time.monotonic()
        self.killed_for = ""
        self._ears = ears
        self._inbox: queue.SimpleQueue[tuple[Job, bytes] | None] = queue.SimpleQueue()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
            # A group of its own: ending a worker ends the readers it has started; Ctrl-C is ours alone.
            start_new_session=True,
        )
        self._talk = threading.Thread(target=self._converse, daemon=True)
        self._talk.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def give(self, job: Job, data: bytes) -> None:
        """Hand over a document; the worker must be idle."""
        assert self.job is None
        self.job = job
        self.started = self.beat = time.monotonic()
        self._inbox.put((job, data))

    def overdue(self, now: float) -> str:
        """Why the worker has to be killed, or nothing."""
        if not self.ready:
            return "did not start" if now - self.started > _START_SECONDS else ""
        if self.job is None:
            return ""
        if now - self.started > self.options.file_seconds:
            return f"took longer than {self.options.file_seconds:g} s"
        if now - self.beat > self.options.stall_seconds:
            return f"did not get on for {self.options.stall_seconds:g} s"
        return ""

    def kill(self, reason: str = "") -> None:
        """End the process and whatever it has started."""
        self.killed_for = self.killed_for or reason
        # Not poll(): until it is waited for, a dead worker keeps its number, and its group can be ended.
        if self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._inbox.put(None)

    def close(self) -> None:
        """Kill and wait until nothing is left."""
        self.kill()
        self._process.wait()
        self._talk.join()

    def cause_of_death(self) -> str:
        """Why there is no answer, as the rest of a sentence."""
        code = self._process.wait()
        if self.killed_for:
            return self.killed_for
        if code == -signal.SIGXCPU:
            return f"used more than {self.options.file_seconds:g} s of CPU time"
        if code < 0:
            return f"crashed its worker ({signal.Signals(-code).name})"
        return "ended its worker"

    def _converse(self) -> None:
        stdin, stdout = cast("BinaryIO", self._process.stdin), cast("BinaryIO", self._process.stdout)
        try:
            send(stdin, {"options": self.options.as_json()})
            self._listen(stdout)
            while (given := self._inbox.get()) is not None:
                job, data = given
                message = {"job": {"name": job.name, "isolated": job.isolated}}
                send(stdin, message, {"data": np.frombuffer(data, dtype=np.uint8)})
                while not self._listen(stdout, job):
                    pass
        except (OSError, EOFError):
            # It is ending; how it ends tells why.
            with suppress(subprocess.TimeoutExpired):
                self._process.wait(_END_SECONDS)
        except (ValueError, KeyError, TypeError, MemoryError, ValidationError):
            # Talking nonsense, which a worker taken over by a document might.
            self.killed_for = self.killed_for or "made its worker talk nonsense"
        self.kill()
        for stream in (stdin, stdout):
            with suppress(OSError):
                stream.close()
        self._process.wait()
        self._ears.put(Heard(self, self.job))

    def _listen(self, stdout: BinaryIO, job: Job | None = None) -> bool:
        """Pass one message on; true if it was the last for this job."""
        body, arrays = receive(stdout)
        if job is None:
            self.ready = bool(body["ready"])
            self._ears.put(Heard(self, beat=(0, 0)))
            return True
        if "page" in body:
            done, total = (int(number) for number in body["page"])
            self._ears.put(Heard(self, job, beat=(done, total)))
            return False
        outcome = Outcome.model_validate(body["outcome"])
        if not all(map(known_part, arrays)):
            raise ValueError("a part with a strange name")
        parts = {name: array.tobytes() for name, array in arrays.items()}
        self._ears.put(Heard(self, job, outcome=outcome, parts=parts))
        return True


def _environment() -> dict[str, Any]:
    root = str(Path(acromeld.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([root, inherited]) if inherited else root
    return os.environ | _STILL | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
