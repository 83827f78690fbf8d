# SPDX-License-Identifier: Apache-2.0
"""The real program: what it says, what it refuses, how it stops, and what is left when it is killed."""

import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from acromeld.cli import run
from acromeld.errors import ExitCode
from tests.form.samples import flat
from tests.serve.running import UNRULY, Gate, in_background, until

PROGRAM = [sys.executable, "-c", "from acromeld.cli import main; main()", "serve"]
UNRULY_PROGRAM = """
import sys
from acromeld.serve.server import log_to_stderr, serve, served_hosts
from acromeld.serve.settings import Settings
settings = Settings(workers=1, drain_seconds=float(sys.argv[1]), hosts=served_hosts("127.0.0.1", ()))
with log_to_stderr():
    serve(settings, "127.0.0.1", 0, announce=lambda text: print(text, file=sys.stderr), worker=(sys.argv[2],))
"""


@contextmanager
def started(command, cwd):
    """A server process and a client for it."""
    env = os.environ | {"TMPDIR": str(cwd)}
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, cwd=cwd, env=env
    ) as process:
        try:
            url = re.search(rb"http://127\.0\.0\.1:\d+", process.stderr.readline())[0].decode()
            with httpx.Client(base_url=url, trust_env=False, timeout=120) as client:
                yield process, client
        finally:
            process.kill()


def unruly(drain_seconds):
    return [sys.executable, "-c", UNRULY_PROGRAM, str(drain_seconds), *UNRULY]


def children(process):
    return [int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()]


def is_gone(pid):
    """Ended, whether or not somebody has taken notice."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def busy(client):
    return 'acromeld_workers{state="busy"} 1' in client.get("/metrics").text


def test_the_program_serves_and_stops_when_told_to(tmp_path):
    with started([*PROGRAM, "--port", "0", "--workers", "1"], tmp_path) as (process, client):
        answer = client.post("/v1/recover", files={"file": ("form.pdf", flat())}, data={"detector": "rules"})
        assert answer.content.startswith(b"%PDF-")
        process.send_signal(signal.SIGTERM)
        assert process.wait() == ExitCode.OK
        assert b"POST /v1/recover 200" in process.stderr.read()
        assert process.stdout.read() == b""
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_under_way_are_finished_before_the_end(tmp_path, number):
    gate = Gate(tmp_path)
    with started(unruly(60), tmp_path) as (process, client):
        under_way = in_background(lambda: client.post("/v1/detect", files={"file": gate.document()}))
        with httpx.Client(base_url=client.base_url, trust_env=False) as other:
            until(lambda: busy(other))
        process.send_signal(number)
        until(lambda: refuses_connections(client.base_url))
        gate.open()
        assert under_way.answer().status_code == 200
        assert process.wait() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["gate"]


def refuses_connections(url):
    try:
        httpx.get(url.join("/healthz"), trust_env=False)
    except httpx.ConnectError:
        return True
    except httpx.TransportError:
        return False
    return False


def test_requests_that_take_too_long_are_told_that_the_server_stops(tmp_path):
    with started(unruly(1), tmp_path) as (process, client):
        under_way = in_background(lambda: client.post("/v1/detect", files={"file": b"%HANG"}))
        with httpx.Client(base_url=client.base_url, trust_env=False) as other:
            until(lambda: busy(other))
        workers = children(process)
        process.send_signal(signal.SIGTERM)
        answer = under_way.answer()
        assert (answer.status_code, answer.json()["code"]) == (503, "stopping")
        assert process.wait() == 0
        until(lambda: all(map(is_gone, workers)))
        assert b"Traceback" not in process.stderr.read()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_takes_its_workers_along_and_leaves_no_file(tmp_path):
    with started(unruly(1), tmp_path) as (process, client):
        hanging = in_background(lambda: client.post("/v1/detect", files={"file": b"%HANG".ljust(1024**2)}))
        with httpx.Client(base_url=client.base_url, trust_env=False) as other:
            until(lambda: busy(other))
        workers = children(process)
        assert len(workers) == 1
        process.kill()
        with pytest.raises(httpx.TransportError):
            hanging.answer()
        until(lambda: all(map(is_gone, workers)))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.fixture
def refused(capsys, monkeypatch):
    """Run the command in this process, where it must end before it serves; its exit code and sentence."""
    monkeypatch.delenv("ACROMELD_TOKEN", raising=False)

    def serve(*arguments):
        code = run(["serve", *arguments])
        said = capsys.readouterr()
        assert said.out == ""
        (line,) = said.err.splitlines()
        return code, line

    return serve


def test_a_public_address_without_a_token_is_refused(refused):
    code, said = refused("--host", "0.0.0.0", "--port", "0")
    assert code == ExitCode.REFUSED
    assert said.startswith("acromeld: 0.0.0.0 can be reached by others, so the server needs a token")


def test_a_short_or_missing_token_is_refused(refused, tmp_path, monkeypatch):
    (tmp_path / "empty").write_text("\n")
    assert refused("--token-file", str(tmp_path / "none"))[0] == ExitCode.NOT_FOUND
    assert refused("--token-file", str(tmp_path / "empty"))[0] == ExitCode.NOT_FOUND
    monkeypatch.setenv("ACROMELD_TOKEN", "short")
    assert refused("--port", "0")[0] == ExitCode.REFUSED


def test_a_port_that_is_taken_is_a_sentence(refused, server):
    code, said = refused("--port", str(server.port))
    assert code == ExitCode.OUTPUT
    assert said == f"acromeld: 127.0.0.1, port {server.port}, cannot be listened on: Address already in use."


@pytest.mark.parametrize("option", ["--workers", "--queue", "--requests", "--seconds", "--max-megabytes"])
def test_limits_must_make_sense(refused, option):
    assert refused(option, "0")[0] == ExitCode.USAGE
