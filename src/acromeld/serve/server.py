# SPDX-License-Identifier: Apache-2.0
"""Running the application: the socket, impatience with slow connections, signals, the log.

``SIGTERM`` and Ctrl-C stop the server gracefully: no new connections, requests under way get
``drain_seconds`` to finish, then everything ends. A second Ctrl-C does not wait.
"""

from __future__ import annotations

import logging
import signal
import socket
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from acromeld.errors import OutputProblem, Refused
from acromeld.serve.app import Service
from acromeld.serve.guards import LOOPBACK_HOSTS, is_loopback
from acromeld.serve.worker import WORKER

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Iterator

    from acromeld.serve.settings import Settings

_HEAD_SECONDS = 20.0
"""Time for a connection to say what it wants, first or again."""

_CONNECTIONS = 500
"""Connections open at a time, below what a process may have open as a rule."""

_PAUSES = 10
"""How many of the longest pauses taking a whole answer may last."""

_SHORTEST_TOKEN = 16


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that does not wait for ever: for a request to begin, or for a client to take its answer."""

    stall_seconds = 30.0
    _head: asyncio.TimerHandle | None = None
    _stall: asyncio.TimerHandle | None = None
    _whole: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # Its own access log has whole addresses in it, and is written whenever any handler would take it.
        self.access_log = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client has come."""
        super().connection_made(transport)
        self._expect_request(None)

    def on_response_complete(self) -> None:
        """An answer is out; the next request, and the rest of the last one, are waited for, but not long."""
        finished = self.cycle
        _cancel(self._whole)
        self._whole = None
        super().on_response_complete()
        self._expect_request(finished)

    def pause_writing(self) -> None:
        """The client does not take what we send. A trickle is no better than a pause: all has an end, too."""
        super().pause_writing()
        if self._whole is None:
            self._whole = self.loop.call_later(_PAUSES * self.stall_seconds, self.transport.abort)
        self._stall = self.loop.call_later(self.stall_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        _cancel(self._stall)
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        _cancel(self._head)
        _cancel(self._stall)
        _cancel(self._whole)
        super().connection_lost(exc)

    def _expect_request(self, last: object) -> None:
        _cancel(self._head)
        self._head = self.loop.call_later(_HEAD_SECONDS, self._give_up, last)

    def _give_up(self, last: object) -> None:
        if self.cycle is last:
            self.transport.abort()


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


def make_server(service: Service) -> uvicorn.Server:
    """A server for the application, not yet running; `uvicorn.Server.serve` takes the socket of `bind`."""
    settings = service.settings
    # The parser of uploads complains of single bytes it found there, which is nobody's business.
    logging.getLogger("python_multipart").setLevel(logging.CRITICAL + 1)
    protocol = type("Protocol", (ImpatientProtocol,), {"stall_seconds": settings.stall_seconds})
    config = uvicorn.Config(
        service.app,
        http=protocol,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_CONNECTIONS,
        timeout_graceful_shutdown=round(settings.drain_seconds),
    )
    return uvicorn.Server(config)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes any that is free."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()  # Clients that come before the application is up wait instead of failing.
    except OSError as error:
        raise OutputProblem(f"{host}, port {port}, cannot be listened on: {error.strerror}.") from None
    return listener


def check_exposure(host: str, token: str | None) -> None:
    """Refuse to let strangers in: an address that others can reach needs a token, and a token some length."""
    if token is not None and len(token) < _SHORTEST_TOKEN:
        raise Refused(f"The token is too short to be a secret; it needs {_SHORTEST_TOKEN} characters.")
    if token is None and not is_loopback(host):
        raise Refused(
            f"{host} can be reached by others, so the server needs a token: "
            "set ACROMELD_TOKEN, or name a file with --token-file."
        )


def served_hosts(host: str, names: Iterable[str]) -> frozenset[str] | None:
    """Names to answer to: on a public address without names given any, as the token keeps others out."""
    given = frozenset(names)
    if not is_loopback(host) and not given:
        return None
    own = f"[{host}]" if ":" in host else host
    return LOOPBACK_HOSTS | {own} | given


def serve(
    settings: Settings,
    host: str,
    port: int,
    *,
    announce: Callable[[str], None],
    worker: tuple[str, ...] = WORKER,
) -> None:
    """Serve until told to stop; ``announce`` gets the address once it is open."""
    check_exposure(host, settings.token)
    listener = bind(host, port)
    name = f"[{host}]" if ":" in host else host
    announce(f"http://{name}:{listener.getsockname()[1]}")
    server = make_server(Service(settings, worker))
    _stop_quietly()
    server.run(sockets=[listener])


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """One line per request, and what the web server has to say if it is serious; while the context lasts."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    levels = {"acromeld.serve": logging.INFO, "uvicorn.error": logging.WARNING}
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.addHandler(handler)
        logger.setLevel(level)
        logger.propagate = False
    try:
        yield
    finally:
        for name in levels:
            logger = logging.getLogger(name)
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
            logger.propagate = True


def _stop_quietly() -> None:
    """The web server raises the signal that stopped it once more; being told to stop is no failure."""

    def ignore(*_: Any) -> None:
        return

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, ignore)
        signal.signal(signal.SIGINT, ignore)
