# SPDX-License-Identifier: Apache-2.0
"""Documents that kill, hang or fill a worker cost their own request and no other."""

import os
import signal

import pytest

from acromeld.errors import ExitCode
from acromeld.serve.entrance import CLIENT_GONE
from acromeld.serve.settings import TOKEN_VARIABLE
from tests.serve.running import in_background, running, until

STUB = b"%STUB 3"
EVENTS = "text/event-stream"


def test_a_document_that_crashes_its_worker_is_a_502(server):
    before = server.restarts("crashed")
    answer = server.post("/v1/recover", b"%CRASH")
    assert (answer.status_code, answer.json()["code"]) == (502, "crashed")
    assert answer.json()["exit_code"] == ExitCode.FAILURE
    assert server.restarts("crashed") == before + 1
    assert server.post("/v1/recover", STUB).status_code == 200


def test_a_crash_does_not_disturb_the_neighbour(gate):
    with running(workers=2) as up:
        neighbour = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        assert up.post("/v1/detect", b"%CRASH").status_code == 502
        gate.open()
        assert neighbour.answer().status_code == 200


def test_a_document_that_hangs_is_a_504():
    with running(seconds=0.5) as up:
        until(lambda: up.service.pool.ready)
        answer = up.post("/v1/recover", b"%HANG")
        assert (answer.status_code, answer.json()["code"]) == (504, "time")
        assert answer.json()["exit_code"] == ExitCode.LIMIT
        assert up.restarts("time") == 1
        until(lambda: up.service.pool.ready)
        assert up.post("/v1/recover", STUB).status_code == 200


def test_a_document_that_needs_too_much_memory_is_a_422(server):
    before = server.restarts("memory")
    problem = server.post("/v1/recover", b"%MEMORY", "big.pdf").json()
    assert (problem["status"], problem["code"], problem["exit_code"]) == (422, "limit", ExitCode.LIMIT)
    assert problem["detail"] == "big.pdf needs more memory than the limit allows."
    assert server.post("/v1/recover", STUB).status_code == 200
    assert server.restarts("memory") == before + 1


def test_a_bug_is_a_500_that_tells_nothing_of_the_document(server, caplog):
    answer = server.post("/v1/recover", b"%BUG", "private.pdf")
    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "private" not in answer.text
    assert "ValueError in unruly" in caplog.text
    assert "private" not in caplog.text
    assert server.post("/v1/recover", STUB).status_code == 200


@pytest.mark.parametrize("accept", ["application/json", EVENTS])
def test_the_work_for_a_client_that_went_away_is_stopped(accept):
    with running() as up:
        until(lambda: up.service.pool.ready)
        with up.begin("/v1/detect", b"%HANG", accept):
            until(lambda: up.service.pool.busy)
            (worker,) = up.service.pool.busy
        until(lambda: up.restarts("cancelled"))
        until(lambda: worker.process.returncode is not None)
        until(lambda: up.service.metrics.requests["/v1/detect", CLIENT_GONE])
        assert up.service.metrics.in_flight == 0
        assert up.post("/v1/detect", STUB).status_code == 200


def test_a_waiting_document_is_given_up_with_its_client(gate):
    with running() as up:
        first = in_background(lambda: up.post("/v1/detect", gate.document()))
        until(lambda: up.service.pool.busy)
        with up.begin("/v1/detect", STUB):
            until(lambda: up.service.pool.waiting)
        until(lambda: not up.service.pool.waiting)
        gate.open()
        assert first.answer().status_code == 200
        assert not up.service.metrics.restarts


def test_a_worker_that_died_in_its_sleep_is_replaced(server):
    assert server.post("/v1/detect", STUB).status_code == 200
    (worker,) = server.service.pool.idle._queue
    os.kill(worker.process.pid, signal.SIGKILL)
    until(lambda: not worker.alive)
    assert server.post("/v1/detect", STUB).status_code == 200


def test_workers_retire():
    with running(retire_after=2) as up:
        for _ in range(3):
            assert up.post("/v1/detect", STUB).status_code == 200
        assert up.restarts("retired") == 1


def test_a_worker_does_not_know_the_token(monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, "a-secret-of-some-length")
    with running() as up:
        names = up.post("/v1/detect", b"%ENVIRONMENT").text.split("\n")
    assert "PYTHONPATH" in names
    assert TOKEN_VARIABLE not in names


def test_a_server_without_workers_is_not_ready(monkeypatch):
    monkeypatch.setattr("tests.serve.running.UNRULY", ("-c", "raise SystemExit"))
    with running(wait_seconds=0.3) as up:
        until(lambda: up.restarts("start"))
        answer = up.client.get("/readyz")
        assert (answer.status_code, answer.json()["code"]) == (503, "starting")
        assert up.client.get("/healthz").status_code == 200
        assert up.post("/v1/detect", STUB).status_code == 429
