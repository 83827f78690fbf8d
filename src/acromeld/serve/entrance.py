# SPDX-License-Identifier: Apache-2.0
"""The outermost layer: an identity for every request, one log line, one count, and an answer in any case.

Log lines hold no names, no queries and no texts of errors that may quote a document.
"""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from acromeld.serve.guards import bearer_token, header_values, same_secret
from acromeld.serve.problems import REQUEST_ID, Problem, Trouble
from acromeld.serve.uploads import ClientGone

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from acromeld.serve.metrics import Metrics

log = logging.getLogger("acromeld.serve")

CLIENT_GONE = 499
"""Status in logs and metrics for a client that did not wait for its answer."""

_KEPT_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HEADERS = [
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
]
_HTTP_PROBLEMS = {404: Problem.NOT_FOUND, 405: Problem.METHOD}


class Entrance:
    """Wraps the whole application; see the module."""

    def __init__(self, app: ASGIApp, metrics: Metrics, endpoints: Collection[str]) -> None:
        self.app = app
        self.metrics = metrics
        self.endpoints = frozenset(endpoints)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request to its end, whatever happens."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began = time.monotonic()
        scope[REQUEST_ID] = _request_id(scope)
        status = _Status(scope, send)
        try:
            await self._answered(scope, receive, status)
        finally:
            seconds = time.monotonic() - began
            endpoint = scope["path"] if scope["path"] in self.endpoints else "other"
            self.metrics.done(endpoint, status.code, seconds)
            log.info("%s %s %s %d %.3fs", scope[REQUEST_ID], _method(scope), endpoint, status.code, seconds)

    async def _answered(self, scope: Scope, receive: Receive, status: _Status) -> None:
        try:
            await self.app(scope, receive, status)
        except ClientGone:
            status.code = CLIENT_GONE
        except asyncio.CancelledError:
            # Told to stop and out of time; the task is over either way, and this answer is better than none.
            await self._told(Trouble(Problem.STOPPING), scope, receive, status)
        except Trouble as trouble:
            await self._told(trouble, scope, receive, status)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{type(error).__name__} in {place.name}:{place.lineno}"
            await self._told(Trouble(Problem.INTERNAL, log=where), scope, receive, status)

    async def _told(self, trouble: Trouble, scope: Scope, receive: Receive, status: _Status) -> None:
        """Answer with the problem, unless an answer is under way already."""
        if trouble.log is not None:
            log.warning("%s %s: %s", scope[REQUEST_ID], trouble.problem.code, trouble.log)
        if not status.started:
            with suppress(OSError):
                await trouble.response(scope)(scope, receive, status)


class _Status:
    """A ``send`` that remembers the status, and adds the headers every answer has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.send = send
        self.started = False
        self.code = CLIENT_GONE
        self.headers = [*_HEADERS, (b"x-request-id", scope[REQUEST_ID].encode())]

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self.code = message["status"]
            message = {**message, "headers": [*message.get("headers", ()), *self.headers]}
        await self.send(message)


class TokenGuard:
    """Asks for the bearer token everywhere but at the addresses named."""

    def __init__(self, app: ASGIApp, token: str, but: Collection[str]) -> None:
        self.app = app
        self.token = token
        self.but = frozenset(but)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        if scope["type"] == "http" and scope["path"] not in self.but:
            given = bearer_token(scope)
            if given is None or not same_secret(given, self.token):
                raise Trouble(Problem.UNAUTHORIZED, headers={"WWW-Authenticate": "Bearer"})
        await self.app(scope, receive, send)


async def router_problem(request: Request, error: Exception) -> Response:
    """What the router has to say, as a problem like any other."""
    assert isinstance(error, HTTPException)
    problem = _HTTP_PROBLEMS.get(error.status_code, Problem.BAD_REQUEST)
    return Trouble(problem, headers=error.headers).response(request.scope)


def _request_id(scope: Scope) -> str:
    """That of the client, so that both sides can find the request in their logs, or a new one."""
    given = header_values(scope, "x-request-id")
    if len(given) == 1 and _KEPT_ID.fullmatch(given[0]):
        return given[0]
    return secrets.token_hex(8)


def _method(scope: Scope) -> str:
    """A client can put anything there."""
    method: str = scope["method"]
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "-"
