# SPDX-License-Identifier: Apache-2.0
"""One batch at a time in an output folder; the system lets go of the lock however the owner ends."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock, or say that somebody else does."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError as error:
        raise OutputProblem(f"{path} cannot be written: {error.strerror}.") from None
    try:
        _claim(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _claim(descriptor: int, path: Path) -> None:
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise OutputProblem(f"Another batch is at work in {path.parent}.") from None
