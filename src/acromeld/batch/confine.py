# SPDX-License-Identifier: Apache-2.0
"""What a worker may not do, set by itself before it sees the first document.

Native code that parses hostile files may be talked into anything. A worker therefore has a limited address
space, a limit of CPU time for each document, no right to write files or leave core dumps, and it dies with
its owner. All of these are kept by the kernel, not by us.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import BinaryIO

_PR_SET_PDEATHSIG = 1


def confine(memory_bytes: int) -> None:
    """Limit this process for good; where the system has no such limits, the owner's watchdog is left."""
    try:
        import resource
    except ImportError:
        return
    _lower(resource.RLIMIT_AS, memory_bytes)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_CORE, 0)
    # Exceeding the file size is then an error like a full disk instead of the end of the process.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    die_with_owner()


def _lower(limit: int, value: int) -> None:
    import resource

    _, hard = resource.getrlimit(limit)
    ceiling = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(limit, (ceiling, ceiling))


def allow_cpu(seconds: float) -> None:
    """Give this process so many more CPU seconds; beyond them the kernel ends it."""
    try:
        import resource
    except ImportError:
        return
    usage = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(usage.ru_utime + usage.ru_stime + seconds) + 1
    resource.setrlimit(
        resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard)
    )


def die_with_owner() -> None:
    """Linux ends this process when its owner is gone, even one that is stuck in native code."""
    if sys.platform != "linux":
        return
    owner = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != owner:
        # It was gone before the request could be made.
        os.kill(os.getpid(), signal.SIGKILL)


def claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Requests and replies; whatever a library prints goes to standard error instead."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies
