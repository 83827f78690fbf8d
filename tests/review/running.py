# SPDX-License-Identifier: Apache-2.0
"""A review server in a thread of the test, and a client that has its token."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from acromeld.review.desk import Desk
from acromeld.review.server import Listening, listen

STEP_SECONDS = 0.02


@dataclass(frozen=True)
class Running:
    """A server that is up."""

    desk: Desk
    listening: Listening
    client: httpx.Client

    @property
    def address(self) -> str:
        """What a person opens in the browser."""
        return self.listening.address

    @property
    def origin(self) -> str:
        return self.address.partition("/#")[0]

    @property
    def token(self) -> str:
        return self.address.partition("token=")[2]

    def address_of(self, pdf: Path) -> str:
        """What opens one form of a folder."""
        (key,) = (entry.key for entry in self.desk.entries() if entry.pdf == pdf)
        return f"{self.address}&form={key}"

    def ready(self, key: str | None = None) -> str:
        """Wait until a form is open; gives its address below ``/api``."""
        path = f"/api/forms/{key or self.client.get('/api/session').json()['form']}"
        tick = threading.Event()
        while self.client.get(path).json()["stage"] in ("opening", "detecting"):
            tick.wait(STEP_SECONDS)
        return path


@contextmanager
def running(path: Path, *, detector: str = "rules") -> Iterator[Running]:
    desk = Desk(path, detector=detector)
    listening = listen(desk)
    thread = threading.Thread(target=listening.run)
    thread.start()
    origin, _, token = listening.address.partition("/#token=")
    headers = {"Authorization": f"Bearer {token}"}
    try:
        with httpx.Client(base_url=origin, headers=headers, timeout=60, trust_env=False) as client:
            yield Running(desk, listening, client)
    finally:
        listening.server.should_exit = True
        thread.join()
        desk.close()
