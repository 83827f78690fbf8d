# SPDX-License-Identifier: Apache-2.0
"""The token of the review page, and the headers that keep the page to itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from acromeld.serve.guards import bearer_token, refuse, same_secret
from acromeld.serve.problems import Problem, Trouble

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' blob: data:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
"""Nothing from elsewhere, nothing inline. Page pictures are fetched with the token and shown as blobs."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class TokenGuard:
    """Lets requests to ``/api`` through that carry the token; the page itself is the same for everybody."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        if self._open(scope):
            await self.app(scope, receive, send)
        else:
            trouble = Trouble(Problem.UNAUTHORIZED, "Open the address that acromeld review has printed.")
            await refuse(trouble, scope, receive, send)

    def _open(self, scope: Scope) -> bool:
        if scope["type"] == "lifespan" or (scope["type"] == "http" and not scope["path"].startswith("/api")):
            return True
        given = bearer_token(scope) if scope["type"] == "http" else None
        return given is not None and same_secret(given, self.token)


class AnswerHeaders:
    """Security headers on every answer; nothing under ``/api`` is stored, the page is asked for again."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and add to the answer."""
        stored = "no-store" if scope.get("path", "").startswith("/api") else "no-cache"

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(HEADERS)
                headers["Cache-Control"] = stored
            await send(message)

        await self.app(scope, receive, answer if scope["type"] == "http" else send)
