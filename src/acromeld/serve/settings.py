# SPDX-License-Identifier: Apache-2.0
"""How much the service takes on at a time, and from whom."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from acromeld.pdf.limits import Limits

TOKEN_VARIABLE = "ACROMELD_TOKEN"
"""Environment variable that holds the bearer token: unlike an argument, other users cannot see it."""

_MIB = 1024**2


def default_workers() -> int:
    """One per two cores: a worker detects in one process while the next page is read in another."""
    return max(1, (os.cpu_count() or 1) // 2)


@dataclass(frozen=True)
class Settings:
    """Every bound of the service. Memory and disk are bounded by their products, whatever clients do.

    Attributes:
        workers: Documents worked on at a time.
        queue: Documents that may wait for a worker; more are turned away with 429.
        requests: Uploads, waiting documents and answers under way at a time; more are turned away with 429.
        upload_bytes: Largest PDF.
        fields_bytes: Largest fields file.
        pages: Longest document.
        seconds: Time a worker gets for a document.
        wait_seconds: Time a document waits for a worker; more than the above, or one bad document turns away
            those behind it.
        page_seconds: Time for reading one page; a page that takes longer is skipped with a note.
        upload_seconds: Time a client gets for sending its request.
        stall_seconds: Longest pause of a client while it sends or while it takes the answer, which may take
            ten of them in all.
        drain_seconds: Time that requests under way get to finish when the server is told to stop.
        memory_bytes: Address space of a worker, and of the process that reads pages for it.
        retire_after: Documents after which a worker is replaced, so that nothing adds up.
        token: Bearer token that requests must carry, if any.
        hosts: Names the server answers to; none for all.
    """

    workers: int = field(default_factory=default_workers)
    queue: int = 16
    requests: int = 64
    upload_bytes: int = 50 * _MIB
    fields_bytes: int = 16 * _MIB
    pages: int = 300
    seconds: float = 120.0
    wait_seconds: float = 300.0
    page_seconds: float = 30.0
    upload_seconds: float = 120.0
    stall_seconds: float = 30.0
    drain_seconds: float = 30.0
    memory_bytes: int = 4 * 1024 * _MIB
    retire_after: int = 200
    token: str | None = field(default=None, repr=False)
    hosts: frozenset[str] | None = None

    def limits(self) -> Limits:
        """What a worker may read of a document."""
        return Limits(
            file_bytes=self.upload_bytes,
            pages=self.pages,
            page_seconds=self.page_seconds,
            memory_bytes=self.memory_bytes,
        )
