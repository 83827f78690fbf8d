# SPDX-License-Identifier: Apache-2.0
"""What keeps other people's web pages from driving a server on this machine.

A page from anywhere can make the browser send requests to 127.0.0.1. Three checks stop that, and each answers
a different trick:

- `HostGuard`: a name of the attacker that resolves to 127.0.0.1 (DNS rebinding) makes his page and our server
  the same origin, but the browser still sends his name in ``Host``.
- `OriginGuard`: a form or script of another page that posts to us (CSRF) carries its own ``Origin``.
- `same_secret`: a token that nobody else knows, compared in constant time.

The guards are plain ASGI middleware, for HTTP and for web sockets, and look at nothing but the headers.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from acromeld.serve.problems import Problem, Trouble

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "[::1]"})
"""Names under which a browser on this machine reaches a server on this machine."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def same_secret(given: str, expected: str) -> bool:
    """Whether two secrets are equal, in a time that does not tell how much of them agrees."""
    digests = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in (given, expected)]
    return hmac.compare_digest(*digests)


def header_values(scope: Scope, name: str) -> list[str]:
    """All values of a header, as the client sent them."""
    wanted = name.lower().encode("latin-1")
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == wanted]


def bearer_token(scope: Scope) -> str | None:
    """The token of ``Authorization: Bearer …``, if there is exactly one such header."""
    values = header_values(scope, "authorization")
    scheme, _, token = values[0].partition(" ") if len(values) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" and token.strip() else None


def is_loopback(address: str) -> bool:
    """Whether an address to bind to can be reached from this machine only; unknown names count as public."""
    if address.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return False


def split_host(value: str) -> tuple[str, int | None] | None:
    """Name and port of a ``Host`` header, or none if it is not one."""
    try:
        parts = urlsplit(f"//{value}")
        port = parts.port
    except ValueError:
        return None
    if parts.netloc != value or parts.username is not None or not parts.hostname:
        return None
    name = parts.hostname.lower().rstrip(".")
    return (f"[{name}]" if ":" in name else name), port


class HostGuard:
    """Lets through requests that were sent to one of our own names.

    Args:
        app: What is guarded.
        hosts: Names or addresses (IPv6 in brackets) with or without a port; without one any port will do.
    """

    def __init__(self, app: ASGIApp, hosts: Collection[str] = LOOPBACK_HOSTS) -> None:
        self.app = app
        self.hosts = frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        if scope["type"] in ("http", "websocket") and not self._known(header_values(scope, "host")):
            await refuse(Trouble(Problem.HOST), scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _known(self, values: list[str]) -> bool:
        found = split_host(values[0]) if len(values) == 1 else None
        if found is None:
            return False
        name, port = found
        return name in self.hosts or f"{name}:{port}" in self.hosts


class OriginGuard:
    """Refuses what the page of another site makes the browser send: posts, and web sockets of any kind.

    A browser names the page's origin in ``Origin``, and its relation to us in ``Sec-Fetch-Site``, which no
    script can forge. Programs send neither and pass, unless ``required``.

    Args:
        app: What is guarded.
        origins: Other origins to trust, as ``https://name[:port]``; our own, as named by ``Host``, always is.
        required: Refuse requests without ``Origin``, too; for pages that only a browser drives.
    """

    def __init__(self, app: ASGIApp, origins: Collection[str] = (), *, required: bool = False) -> None:
        self.app = app
        self.origins = frozenset(filter(None, map(_normal_origin, origins)))
        self.required = required

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on."""
        if _changes_state(scope) and not self._trusted(scope):
            await refuse(Trouble(Problem.ORIGIN), scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _trusted(self, scope: Scope) -> bool:
        origins = header_values(scope, "origin")
        if not origins:
            sites = header_values(scope, "sec-fetch-site")
            return not self.required and all(site in ("same-origin", "none") for site in sites)
        origin = _normal_origin(origins[0]) if len(origins) == 1 else None
        return origin is not None and (origin in self.origins or origin == _own_origin(scope))


async def refuse(trouble: Trouble, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the problem; a web socket is closed before it opens."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008})
    else:
        await trouble.response(scope)(scope, receive, send)


def _changes_state(scope: Scope) -> bool:
    if scope["type"] == "http":
        return scope["method"] not in _SAFE
    return bool(scope["type"] == "websocket")


def _own_origin(scope: Scope) -> str | None:
    """The origin a page of ours has in the browser."""
    hosts = header_values(scope, "host")
    scheme = {"ws": "http", "wss": "https"}.get(scope["scheme"], scope["scheme"])
    return _normal_origin(f"{scheme}://{hosts[0]}") if len(hosts) == 1 else None


def _normal_origin(origin: str) -> str | None:
    """``scheme://name:port`` with the port always given; none for ``null`` and for what is no origin."""
    scheme, separator, rest = origin.partition("://")
    found = split_host(rest) if separator else None
    if found is None or scheme.lower() not in _PORTS:
        return None
    name, port = found
    return f"{scheme.lower()}://{name}:{_PORTS[scheme.lower()] if port is None else port}"
