# SPDX-License-Identifier: Apache-2.0
"""How many workers a machine can feed: one a core, and no more than its memory holds."""

from __future__ import annotations

import os
from pathlib import Path

WORKING_SET = 700 * 1024**2
"""What a worker may need on the fullest page of a form; the memory bar of the project."""

_SHARE = 0.8
"""Part of the free memory that is ours to use."""

_GROUPS = Path("/sys/fs/cgroup")


def worker_count(cores: int | None = None, memory: int | None = None) -> int:
    """Workers for this machine, at least one."""
    cores = cores or usable_cores()
    memory = memory if memory is not None else usable_memory()
    return max(1, min(cores, int(memory * _SHARE) // WORKING_SET)) if memory else cores


def usable_cores() -> int:
    """Cores this process may run on, which a container or ``taskset`` can make fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usable_memory() -> int:
    """Bytes that are free for us, within the limit of a container; 0 when the system does not say."""
    free = [value for value in (_available(), _container()) if value]
    return min(free, default=0)


def _available() -> int:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0


def _container() -> int:
    try:
        limit = (_GROUPS / "memory.max").read_text().strip()
        used = int((_GROUPS / "memory.current").read_text())
        return 0 if limit == "max" else max(int(limit) - used, 1)
    except (OSError, ValueError):
        return 0
