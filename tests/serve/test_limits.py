# SPDX-License-Identifier: Apache-2.0
"""Too much, too many, too slow: each is turned away with its own status, and the server goes on."""

import socket
import time
from contextlib import suppress

import pytest

from acromeld.errors import ExitCode
from acromeld.serve import server as serving
from acromeld.serve.metrics import Metrics
from acromeld.serve.pool import Pool
from acromeld.serve.settings import Settings
from tests.serve.alone import run_alone
from tests.serve.running import in_background, running, until

STUB = b"%STUB 3"
HEAD = b"POST /v1/detect HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\n"
PART = b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\n'


def said(connection):
    """All that the server says until it closes the connection; a reset is an end, too."""
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        pass
    return heard


def test_an_oversized_upload_is_refused_by_its_announced_length(server):
    answer = server.post("/v1/detect", bytes(19 * 1024**2))
    assert (answer.status_code, answer.json()["exit_code"]) == (413, ExitCode.LIMIT)
    assert server.post("/v1/detect", STUB).status_code == 200


def test_an_oversized_upload_is_cut_off_where_no_length_is_announced(server):
    def pieces():
        yield PART
        for _ in range(3 * 16):
            yield bytes(64 * 1024)

    headers = {"Content-Type": "multipart/form-data; boundary=b"}
    answer = server.client.post("/v1/detect", content=pieces(), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")
    assert "2097152 bytes" in answer.json()["detail"]


def test_a_file_of_the_largest_size_is_taken(server):
    assert server.post("/v1/detect", STUB.ljust(2 * 1024**2)).status_code == 200
    assert server.post("/v1/detect", STUB.ljust(2 * 1024**2 + 1)).status_code == 413


def test_a_full_queue_turns_away_and_says_when_to_come_back(gate):
    with running(queue=1) as up:
        first = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        second = in_background(lambda: up.post("/v1/detect", STUB))
        until(lambda: up.service.pool.waiting)
        for accept in ("application/json", "text/event-stream"):
            third = up.post("/v1/detect", STUB, accept=accept)
            assert (third.status_code, third.json()["code"]) == (429, "busy")
            assert int(third.headers["retry-after"]) >= 1
        gate.open()
        assert first.answer().status_code == 200
        assert second.answer().status_code == 200
        assert up.post("/v1/detect", STUB).status_code == 200


def test_too_many_requests_under_way_are_turned_away(gate):
    with running(requests=1) as up:
        first = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        assert up.post("/v1/detect", STUB).status_code == 429
        assert up.client.get("/healthz").status_code == 200
        gate.open()
        assert first.answer().status_code == 200


def test_a_document_does_not_wait_for_ever_for_a_worker(gate):
    with running(wait_seconds=0.2) as up:
        until(lambda: up.service.pool.ready)
        first = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        second = up.post("/v1/detect", STUB)
        assert (second.status_code, second.json()["detail"]) == (429, "No worker became free in time.")
        assert int(second.headers["retry-after"]) >= 1
        gate.open()
        assert first.answer().status_code == 200


def test_the_time_to_come_back_grows_with_the_queue():
    async def estimates():
        pool = Pool(Settings(workers=2), Metrics())
        pool.mean_seconds = 3.0
        shortest = pool.retry_after()
        pool.waiting = set(range(7))
        longer = pool.retry_after()
        pool.mean_seconds = 1000.0
        return shortest, longer, pool.retry_after()

    assert run_alone(estimates()) == (2, 12, 120)


@pytest.mark.parametrize("settings", [{"stall_seconds": 0.2}, {"upload_seconds": 0.2}])
def test_a_client_that_dawdles_with_its_upload_is_told_so(settings):
    with running(**settings) as up, socket.create_connection(("127.0.0.1", up.port)) as client:
        client.sendall(HEAD + b"Content-Length: 1000\r\nConnection: close\r\n\r\n" + PART)
        assert said(client).startswith(b"HTTP/1.1 408 ")
        assert up.service.metrics.in_flight == 0


def test_a_client_that_does_not_take_its_answer_is_dropped():
    body = PART + b"%STUB 30000000\r\n--b--\r\n"
    with running(stall_seconds=0.5) as up, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", up.port))
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        until(lambda: up.service.metrics.requests["/v1/detect", 200])
        assert up.service.metrics.in_flight == 0
        assert len(said(client)) < 30_000_000


def test_a_client_that_takes_its_answer_in_a_trickle_is_dropped(monkeypatch):
    monkeypatch.setattr(serving, "_PAUSES", 1)
    body = PART + b"%STUB 60000000\r\n--b--\r\n"
    with running(stall_seconds=2) as up, socket.socket() as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.connect(("127.0.0.1", up.port))
        client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        until(lambda: up.service.metrics.in_flight)
        taken = 0
        # Never a pause of two seconds, but many times that in all if nobody stopped it.
        with suppress(ConnectionError):
            while up.service.metrics.in_flight:
                taken += len(client.recv(100_000))
                time.sleep(0.005)
        assert taken < 30_000_000


def test_a_connection_that_says_nothing_is_dropped(monkeypatch):
    monkeypatch.setattr(serving, "_HEAD_SECONDS", 0.2)
    with running() as up:
        for beginning in (b"", b"GET /healthz HT"):
            with socket.create_connection(("127.0.0.1", up.port)) as client:
                client.sendall(beginning)
                assert said(client) == b""


def test_a_request_that_takes_long_is_not_taken_for_silence(monkeypatch, gate):
    """Neither while its body comes in, nor while it is worked on, nor for the requests after it."""
    monkeypatch.setattr(serving, "_HEAD_SECONDS", 0.2)
    with running() as up:
        until(lambda: up.service.pool.ready)
        first = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        with socket.create_connection(("127.0.0.1", up.port)) as silent:
            assert said(silent) == b""
        gate.open()
        assert first.answer().status_code == 200
        assert up.client.get("/healthz").status_code == 200
