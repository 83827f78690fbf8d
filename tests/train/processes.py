# SPDX-License-Identifier: Apache-2.0
"""Processes for tests: forked from a server that has imported torch but run nothing, so no thread is lost."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload(["torch", "torch._dynamo", "acromeld.train.engine.run"])


def run_together(work: Callable[..., None], arguments: list[tuple[Any, ...]]) -> list[int | None]:
    """Run one process for each tuple of arguments; their exit codes, negative for a signal."""
    processes = [CONTEXT.Process(target=work, args=each) for each in arguments]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]
