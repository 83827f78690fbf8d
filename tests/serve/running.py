# SPDX-License-Identifier: Apache-2.0
"""A real server on loopback, in a thread of the test."""

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from acromeld.serve.app import Service
from acromeld.serve.server import bind, make_server, served_hosts
from acromeld.serve.settings import Settings

UNRULY = (str(Path(__file__).with_name("unruly_worker.py")),)
DEFAULTS = Settings(workers=1, hosts=served_hosts("127.0.0.1", ()))


@dataclass(frozen=True)
class Running:
    """A server that is up, and a client for it."""

    service: Service
    url: str
    client: httpx.Client

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def post(self, path: str, data: bytes, name: str = "form.pdf", **options: object) -> httpx.Response:
        """Post a document; ``fields`` goes as a second file, ``accept`` as a header."""
        accept = {"Accept": str(options.pop("accept"))} if "accept" in options else {}
        files = {"file": (name, data, "application/pdf")}
        if "fields" in options:
            files["fields"] = ("fields.json", options.pop("fields"), "application/json")
        return self.client.post(path, files=files, data=options, headers=accept)

    def begin(self, path: str, data: bytes, accept: str = "*/*") -> socket.socket:
        """Send a request and do not wait for the answer; closing the socket takes it back."""
        body = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n' + data + b"\r\n--b--\r\n"
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\n"
            f"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        connection = socket.create_connection(("127.0.0.1", self.port))
        connection.sendall(head.encode() + body)
        return connection

    def restarts(self, reason: str) -> int:
        return self.service.metrics.restarts[reason]


@contextmanager
def running(**changes: object) -> Iterator[Running]:
    service = Service(replace(DEFAULTS, **changes), UNRULY)
    listener = bind("127.0.0.1", 0)
    server = make_server(service)
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with httpx.Client(base_url=url, timeout=120, trust_env=False) as client:
            yield Running(service, url, client)
    finally:
        server.should_exit = True
        thread.join()
    assert not Path(service.folder.name).exists()


def until(condition: Callable[[], object]) -> None:
    """Wait for something that happens elsewhere; gives up only when it cannot be slowness any more."""
    pause = threading.Event()
    last = time.monotonic() + 180
    while not condition():
        pause.wait(0.01)
        assert time.monotonic() < last, "what was waited for did not happen"


def in_background(call: Callable[[], httpx.Response]) -> "Background":
    return Background(call)


class Background:
    """A request made by another thread."""

    def __init__(self, call: Callable[[], httpx.Response]) -> None:
        self._call = call
        self._answer: httpx.Response | Exception | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._answer = self._call()
        except Exception as error:
            self._answer = error

    def answer(self) -> httpx.Response:
        self._thread.join()
        if isinstance(self._answer, Exception):
            raise self._answer
        assert self._answer is not None
        return self._answer


class Gate:
    """Holds up the documents made by it until it is opened."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "gate"
        os.mkfifo(self.path)

    def document(self) -> bytes:
        return f"%GATE {self.path} %STUB 3".encode()

    def open(self) -> None:
        """Let one document pass; waits for it to arrive."""
        with self.path.open("wb"):
            pass


def events(text: str) -> list[tuple[str, dict[str, object]]]:
    """Server-sent events as names and data."""
    found = []
    for block in text.strip().split("\n\n"):
        name, *lines = block.split("\n")
        data = "\n".join(line.removeprefix("data: ") for line in lines)
        found.append((name.removeprefix("event: "), json.loads(data)))
    return found
