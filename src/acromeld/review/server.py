# SPDX-License-Identifier: Apache-2.0
"""The server of the review: the loopback interface, a port of its own, a token nobody can guess."""

from __future__ import annotations

import mimetypes
import secrets
import socket
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.errors import OutputProblem
from acromeld.review.api import make_app

if TYPE_CHECKING:
    import uvicorn

    from acromeld.review.desk import Desk

_ADDRESS = "127.0.0.1"
_GOODBYE_SECONDS = 2
_TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
"""Set here because Windows takes them from its registry, where other programs may have changed them."""


@dataclass(frozen=True)
class Listening:
    """A server that is ready to run: the address to open in a browser, and the server itself."""

    address: str
    server: uvicorn.Server
    listener: socket.socket

    def run(self) -> None:
        """Serve until stopped."""
        try:
            self.server.run(sockets=[self.listener])
        finally:
            self.listener.close()


def listen(desk: Desk, port: int = 0) -> Listening:
    """Bind to a port of this machine, a free one unless named, and make the server for it."""
    import uvicorn

    for suffix, media_type in _TYPES.items():
        mimetypes.add_type(media_type, suffix)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.bind((_ADDRESS, port))
        # From here on connections wait; a browser that is quicker than the server is not refused.
        listener.listen()
    except OSError as error:
        listener.close()
        raise OutputProblem(f"Port {port} cannot be used: {error.strerror}.") from None
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        make_app(desk, token=token, port=port),
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=_GOODBYE_SECONDS,
    )
    return Listening(f"http://{_ADDRESS}:{port}/#token={token}", uvicorn.Server(config), listener)
