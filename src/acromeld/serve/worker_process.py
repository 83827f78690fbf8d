# SPDX-License-Identifier: Apache-2.0
"""A worker: ``python -m acromeld.serve.worker_process``, driven by `acromeld.serve.worker`.

It gets documents on standard input and answers on what was standard output, in the messages of
`acromeld.pdf.wire`. It runs the functions of `acromeld.recovery`, as the command line does, and so gives the
same bytes. It limits its own memory first; a document that crashes it, hangs it or needs too much costs one
request.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from acromeld.errors import AcromeldError, LimitExceeded
from acromeld.pdf.limits import Limits
from acromeld.pdf.wire import receive, send
from acromeld.serve.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.recovery import Progress
    from acromeld.serve.jobs import Result

    Do = Callable[[Job, bytes, bytes | None, Limits, Progress], Result]
    Inbox = queue.SimpleQueue[tuple[dict[str, Any], dict[str, Any]]]


def main(do: Do, warm_up: Callable[[], None]) -> None:
    """Serve documents, one after the other, until standard input ends; ready after warming up."""
    requests, replies = _claim_streams()
    inbox: Inbox = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests, inbox), daemon=True).start()
    setup, _ = inbox.get()
    limits = Limits(**setup["limits"] | {"page_points": tuple(setup["limits"]["page_points"])})
    _limit_resources(limits.memory_bytes)
    warm_up()
    send(replies, {"ready": True})
    while True:
        body, arrays = inbox.get()
        given = arrays["fields"].tobytes() if "fields" in arrays else None
        _serve(do, replies, Job.from_message(body["job"]), arrays["file"].tobytes(), given, limits)


def _serve(do: Do, replies: BinaryIO, job: Job, data: bytes, given: bytes | None, limits: Limits) -> None:
    """One document: progress as it comes, then the result or the reason why there is none."""

    def progress(done: int, total: int) -> None:
        send(replies, {"progress": [done, total]})

    try:
        result = do(job, data, given, limits, progress)
    except AcromeldError as error:
        send(replies, {"error": type(error).__name__, "message": str(error)})
    except MemoryError:
        message = f"{job.name} needs more memory than the limit allows."
        send(replies, {"error": LimitExceeded.__name__, "message": message, "retire": "memory"})
    except Exception as error:
        # The text of an unexpected error may quote the document, so only its place is told.
        frames = traceback.extract_tb(error.__traceback__)
        place = " < ".join(f"{frame.name}:{frame.lineno}" for frame in reversed(frames[-6:]))
        send(replies, {"bug": f"{type(error).__name__} in {place}", "retire": "failed"})
    else:
        send(replies, {"result": result.summary}, {"body": np.frombuffer(result.body, dtype=np.uint8)})


def _listen(requests: BinaryIO, inbox: Inbox) -> None:
    """Collect messages; when the server is gone, end at once and take the reading process along."""
    try:
        while True:
            inbox.put(receive(requests))
    except (EOFError, OSError, ValueError):
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(0)


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard output for replies: whatever a library prints goes to standard error instead."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies


def _limit_resources(memory: int) -> None:
    """Bound the memory, and leave no dump behind: it would hold the document, and outlive the request."""
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    ceiling = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    from acromeld.serve import work

    main(work.do, work.warm_up)
