# SPDX-License-Identifier: Apache-2.0
"""Reading an input file: a regular file, not through a link, and the very bytes that were planned for."""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound, IntegrityError, LimitExceeded
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits

if TYPE_CHECKING:
    from acromeld.batch.job import Job

_CHUNK = 1 << 20
_SAFELY = os.O_RDONLY
for _flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):
    _SAFELY |= getattr(os, _flag, 0)


def open_regular(path: Path) -> int:
    """A descriptor of a regular file; a link, pipe or device in its place is an error, and nothing waits."""
    try:
        descriptor = os.open(path, _SAFELY)
    except OSError as error:
        raise InputNotFound(f"{shown(path.name)} cannot be read: {error.strerror}.") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise InputNotFound(f"{shown(path.name)} is not a regular file.")
    return descriptor


def file_digest(path: Path) -> tuple[str, int]:
    """SHA-256 and size of a file, read in pieces so that memory stays flat."""
    digest, size = hashlib.sha256(), 0
    with os.fdopen(open_regular(path), "rb") as file:
        try:
            while piece := file.read(_CHUNK):
                digest.update(piece)
                size += len(piece)
        except OSError as error:
            raise InputNotFound(f"{shown(path.name)} cannot be read: {error.strerror}.") from None
    return digest.hexdigest(), size


def read_input(job: Job, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a job; another content than planned is refused, the next run will plan for it."""
    return read_exactly(Path(job.path), job.sha256, limits)


def read_exactly(path: Path, sha256: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """The bytes of a file that must have the given hash."""
    name = shown(path.name)
    with os.fdopen(open_regular(path), "rb") as file:
        try:
            data = file.read(limits.file_bytes + 1)
        except OSError as error:
            raise InputNotFound(f"{name} cannot be read: {error.strerror}.") from None
    if len(data) > limits.file_bytes:
        raise LimitExceeded(f"{name} is larger than the limit of {limits.file_bytes / 1024**2:.0f} MB.")
    if hashlib.sha256(data).hexdigest() != sha256:
        raise IntegrityError(f"{name} was changed while the batch was running; run it again.")
    return data


def shown(name: str) -> str:
    """A file name as text; names need not be."""
    return name.encode("utf-8", "replace").decode()
