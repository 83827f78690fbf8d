# SPDX-License-Identifier: Apache-2.0
"""One worker process as the server sees it: start it, give it a document, read its answer, kill it."""

from __future__ import annotations

import asyncio
import json
import math
import os
import signal
import struct
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import acromeld
from acromeld import errors
from acromeld.errors import AcromeldError
from acromeld.serve.jobs import Job, Result
from acromeld.serve.problems import Problem, Trouble
from acromeld.serve.settings import TOKEN_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from acromeld.serve.settings import Settings

    Progress = Callable[[int, int], None]

WORKER = ("-P", "-m", "acromeld.serve.worker_process")
"""Arguments of the interpreter that start a worker; ``-P`` keeps the current folder off its path."""

_LENGTH = struct.Struct("<I")
_CHUNK = 256 * 1024
_MAX_HEADER = 16 * 1024**2
_MAX_BODY = 1024**3
_START_SECONDS = 60.0


class WorkerDied(Exception):
    """The process is gone, or said something that makes no sense."""


@dataclass(eq=False)
class Worker:
    """A process in a group of its own, so that the processes it starts can be ended with it.

    ``retire`` says why the process should not be used again, if it should not.
    """

    process: asyncio.subprocess.Process
    jobs: int = 0
    retire: str | None = None

    @classmethod
    async def start(cls, settings: Settings, arguments: tuple[str, ...] = WORKER) -> Worker:
        """A worker that has said that it is ready."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            limit=_CHUNK,
            start_new_session=True,
            env=_environment(),
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker._send({"limits": asdict(settings.limits())}, {})
                await worker._receive()
        except TimeoutError:
            await worker._end()
            raise WorkerDied("it did not start in time") from None
        except BaseException:
            await worker._end()
            raise
        return worker

    @property
    def alive(self) -> bool:
        """Whether the process is there, as far as is known."""
        return self.process.returncode is None

    async def work(self, job: Job, files: Mapping[str, BinaryIO], progress: Progress) -> Result:
        """Have a job done; raises `Trouble` for what the worker complains of, `WorkerDied` if it is gone."""
        self.jobs += 1
        await self._send({"job": job.to_message()}, files)
        while True:
            body, arrays = await self._receive()
            if "progress" in body:
                progress(*body["progress"])
                continue
            self.retire = body.get("retire")
            if "error" in body:
                raise Trouble.from_error(_known_error(body["error"], body["message"]))
            if "bug" in body:
                raise Trouble(Problem.INTERNAL, log=body["bug"])
            return Result(arrays["body"], body["result"])

    def kill(self) -> None:
        """End the process and those it started; it holds nothing worth a polite goodbye."""
        with suppress(ProcessLookupError, PermissionError):
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()

    async def ended(self) -> None:
        """Wait until a killed process is gone and its pipes are closed."""
        stdin = self.process.stdin
        if stdin is not None:
            stdin.close()
        await self.process.wait()

    async def _end(self) -> None:
        self.kill()
        await self.ended()

    async def _send(self, body: dict[str, Any], files: Mapping[str, BinaryIO]) -> None:
        """The message of `acromeld.pdf.wire`, its arrays copied from files piece by piece."""
        stdin = self.process.stdin
        assert stdin is not None
        layout = [(name, "uint8", [_rewound_size(file)]) for name, file in files.items()]
        header = json.dumps({"body": body, "arrays": layout}).encode()
        try:
            stdin.write(_LENGTH.pack(len(header)) + header)
            for file in files.values():
                while piece := file.read(_CHUNK):
                    stdin.write(piece)
                    await stdin.drain()
            await stdin.drain()
        except (ConnectionError, RuntimeError):
            raise WorkerDied("it closed its end") from None

    async def _receive(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """One message; a worker that reads hostile files is not believed more than it has to be."""
        stdout = self.process.stdout
        assert stdout is not None
        try:
            (length,) = _LENGTH.unpack(await stdout.readexactly(_LENGTH.size))
            header = json.loads(await stdout.readexactly(_checked(length, _MAX_HEADER)))
            arrays: dict[str, bytes] = {}
            for name, dtype, shape in header["arrays"]:
                if dtype != "uint8":
                    raise WorkerDied("it sent something unexpected")
                arrays[name] = await stdout.readexactly(_checked(math.prod(shape), _MAX_BODY))
            return header["body"], arrays
        except (asyncio.IncompleteReadError, ConnectionError, ValueError, KeyError, TypeError):
            raise WorkerDied("it crashed or was killed") from None


def _checked(size: int, limit: int) -> int:
    if not 0 <= size <= limit:
        raise WorkerDied("it sent something unexpected")
    return size


def _rewound_size(file: BinaryIO) -> int:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return size


def _known_error(name: str, message: str) -> AcromeldError:
    kind = getattr(errors, name, AcromeldError)
    return kind(message) if issubclass(kind, AcromeldError) else AcromeldError(message)


def _environment() -> dict[str, str]:
    """That of the server without its secret: a hostile document may get to see what the worker sees."""
    kept = {name: value for name, value in os.environ.items() if name != TOKEN_VARIABLE}
    return kept | {"PYTHONPATH": _import_path()}


def _import_path() -> str:
    """Where the worker finds this very package, whatever the server's sys.path looks like."""
    root = str(Path(acromeld.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([root, inherited]) if inherited else root
