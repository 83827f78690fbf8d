# SPDX-License-Identifier: Apache-2.0
"""``acromeld serve``: the main job over HTTP, see ``docs/service.md``."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from acromeld.errors import InputNotFound
from acromeld.serve.settings import TOKEN_VARIABLE, Settings, default_workers

_MIB = 1024**2
_Count = Annotated[int, Parameter(validator=Number(gte=1))]
_Seconds = Annotated[float, Parameter(validator=Number(gt=0))]


def serve(
    *,
    host: str = "127.0.0.1",
    port: Annotated[int, Parameter(validator=Number(gte=0, lte=65535))] = 8770,
    token_file: Path | None = None,
    allow_host: tuple[str, ...] = (),
    workers: _Count | None = None,
    queue: _Count = Settings.queue,
    requests: _Count = Settings.requests,
    max_megabytes: _Count = Settings.upload_bytes // _MIB,
    max_pages: _Count = Settings.pages,
    seconds: _Seconds = Settings.seconds,
    wait_seconds: _Seconds = Settings.wait_seconds,
    upload_seconds: _Seconds = Settings.upload_seconds,
    drain_seconds: _Seconds = Settings.drain_seconds,
    memory_megabytes: Annotated[int, Parameter(validator=Number(gte=1024))] = Settings.memory_bytes // _MIB,
    quiet: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Answer to HTTP requests on this machine, or on a network if there is a token.

    Args:
        host: Address to listen on. One that others can reach needs a token.
        port: Port to listen on; 0 takes one that is free.
        token_file: File with the bearer token; default is the environment variable ACROMELD_TOKEN, if set.
        allow_host: Further names the server answers to, for example behind a proxy; can be given repeatedly.
        workers: Documents worked on at a time; default is one per two cores.
        queue: Documents that may wait; more are turned away.
        requests: Uploads, waiting documents and answers under way at a time; more are turned away.
        max_megabytes: Largest PDF.
        max_pages: Longest document.
        seconds: Time for a document.
        wait_seconds: Time a document waits for a worker before it is turned away.
        upload_seconds: Time for a client to send its request.
        drain_seconds: Time for requests under way when the server is told to stop.
        memory_megabytes: Address space of a worker.
        quiet: No line per request on standard error.
    """
    from acromeld.serve import server

    settings = Settings(
        workers=workers or default_workers(),
        queue=queue,
        requests=requests,
        upload_bytes=max_megabytes * _MIB,
        pages=max_pages,
        seconds=seconds,
        wait_seconds=wait_seconds,
        upload_seconds=upload_seconds,
        drain_seconds=drain_seconds,
        memory_bytes=memory_megabytes * _MIB,
        token=read_token(token_file),
        hosts=server.served_hosts(host, allow_host),
    )
    with nullcontext() if quiet else server.log_to_stderr():
        server.serve(settings, host, port, announce=_announce)
    return 0


def read_token(file: Path | None) -> str | None:
    """The token of the file, or of the environment; white space around it does not count."""
    if file is None:
        return os.environ.get(TOKEN_VARIABLE, "").strip() or None
    try:
        token = file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputNotFound(f"{file} cannot be read: {getattr(error, 'strerror', 'not text')}.") from None
    if not token:
        raise InputNotFound(f"{file} is empty.")
    return token


def _announce(address: str) -> None:
    print(f"Serving on {address} until Ctrl-C; {address}/openapi.json describes it.", file=sys.stderr)
