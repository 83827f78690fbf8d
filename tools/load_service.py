# SPDX-License-Identifier: Apache-2.0
"""The service under load on loopback: honest uploads with bad ones among them, all at the same time.

    python tools/load_service.py [--uploads 50] [--rounds 2] [--seconds 300] [--work 30]

Starts a server in a process of its own, with workers that crash or hang on documents that ask for it, and
sends rounds of concurrent requests: honest forms, a poison PDF that crashes its worker, one that hangs,
uploads that are too large, clients that send slowly, clients that go away. Prints what each kind was answered
with, memory of the server before and after, and what is left on disk. The exit code is 1 if an answer was not
one of those expected, or anything was left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parent.parent
WORKER = ROOT / "tests" / "serve" / "unruly_worker.py"
SAMPLE = ROOT / "examples" / "application.pdf"
LIMIT = 4 * 1024**2

SERVER = """
import sys
from acromeld.serve.server import serve, served_hosts
from acromeld.serve.settings import Settings
settings = Settings(
    workers=2, queue=40, upload_bytes=int(sys.argv[1]), seconds=float(sys.argv[3]),
    wait_seconds=10 * float(sys.argv[3]),
    upload_seconds=20.0, stall_seconds=2.0, hosts=served_hosts("127.0.0.1", ()),
)
serve(settings, "127.0.0.1", 0, announce=lambda text: print(text, flush=True), worker=(sys.argv[2], "--warm"))
"""

EXPECTED = {
    "honest": {200, 429},
    "poison": {502, 429},
    "hanging": {504, 429},
    "oversized": {413, 429},
    "slow": {408, 429},
    "cancelled": {"gone", 429},
}
"""Answers each kind may get; a full queue is a right answer to everything."""


async def honest(client: httpx.AsyncClient) -> int:
    answer = await client.post("/v1/recover", files={"file": ("form.pdf", SAMPLE.read_bytes())})
    return answer.status_code


async def poison(client: httpx.AsyncClient) -> int:
    return (await client.post("/v1/recover", files={"file": SAMPLE.read_bytes() + b"%CRASH"})).status_code


async def hanging(client: httpx.AsyncClient) -> int:
    return (await client.post("/v1/recover", files={"file": SAMPLE.read_bytes() + b"%HANG"})).status_code


async def oversized(client: httpx.AsyncClient) -> int:
    return (await client.post("/v1/recover", files={"file": bytes(2 * LIMIT)})).status_code


async def slow(client: httpx.AsyncClient) -> int:
    """Announces a file and then says nothing more for longer than the server waits."""
    reader, writer = await asyncio.open_connection(client.base_url.host, client.base_url.port)
    writer.write(
        b"POST /v1/recover HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n"
        b"Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
    )
    line = await reader.readline()
    writer.close()
    return int(line.split()[1])


async def cancelled(client: httpx.AsyncClient) -> int | str:
    """Goes away as soon as the work has begun."""
    headers = {"Accept": "text/event-stream"}
    files = {"file": SAMPLE.read_bytes() + b"%HANG"}
    async with client.stream("POST", "/v1/recover", files=files, headers=headers) as answer:
        if answer.status_code != 200:
            return answer.status_code
        async for line in answer.aiter_lines():
            if line == "event: started":
                return "gone"
            if line.startswith("data: ") and "status" in line:
                return int(json.loads(line.removeprefix("data: "))["status"])
    return "ended early"


KINDS = {
    "honest": honest,
    "poison": poison,
    "hanging": hanging,
    "oversized": oversized,
    "slow": slow,
    "cancelled": cancelled,
}


def mixture(count: int) -> list[str]:
    """One in five is bad, evenly of every kind; always in the same order."""
    bad = [name for name in KINDS if name != "honest"]
    return [bad[number // 5 % len(bad)] if number % 5 == 0 else "honest" for number in range(count)]


async def one(client: httpx.AsyncClient, name: str) -> tuple[str, int | str]:
    try:
        return name, await KINDS[name](client)
    except httpx.HTTPError as error:
        return name, type(error).__name__


async def one_round(url: str, count: int) -> Counter[tuple[str, int | str]]:
    # The whole round has a time limit; within it a client waits as long as the queue is.
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=None, limits=limits, trust_env=False) as client:
        return Counter(await asyncio.gather(*(one(client, name) for name in mixture(count))))


def memory(pid: int) -> float:
    """Resident memory of a process in MB."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024  # type: ignore[index]


def settle(url: str, deadline: float) -> None:
    """Wait until nothing is under way and both workers are back."""
    while time.monotonic() < deadline:
        text = httpx.get(f"{url}/metrics", trust_env=False).text
        if "requests_in_flight 0\n" in text and 'workers{state="idle"} 2' in text:
            return
        time.sleep(0.2)
    raise SystemExit("The server did not come to rest in time.")


def show(number: int, answers: Counter[tuple[str, int | str]], seconds: float, pid: int) -> bool:
    print(f"round {number}: {answers.total()} requests in {seconds:.1f} s, server at {memory(pid):.1f} MB")
    for name in KINDS:
        got = {status: count for (kind, status), count in answers.items() if kind == name}
        print(
            f"  {name:10} "
            + ", ".join(f"{status}: {count}" for status, count in sorted(got.items(), key=str))
        )
    return all(status in EXPECTED[kind] for kind, status in answers)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--uploads", type=int, default=50, help="requests of a round, all at the same time")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=300.0, help="when to give up")
    parser.add_argument("--work", type=float, default=30.0, help="seconds of work for a document")
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", SERVER, str(LIMIT), str(WORKER), str(options.work)]
        env = os.environ | {"TMPDIR": folder}
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as server:
            try:
                good = load(server, options, deadline)
            finally:
                server.terminate()
            code = server.wait()
        left = [str(path.relative_to(folder)) for path in Path(folder).rglob("*")]
    print(f"server ended with exit code {code}; left on disk: {', '.join(left) or 'nothing'}")
    return 0 if good and not left and code == 0 else 1


def load(server: subprocess.Popen[str], options: argparse.Namespace, deadline: float) -> bool:
    assert server.stdout is not None
    url = server.stdout.readline().strip()
    settle(url, deadline)
    print(f"before: server at {memory(server.pid):.1f} MB")
    good = True
    for number in range(1, options.rounds + 1):
        began = time.monotonic()
        left = max(1.0, deadline - began)
        try:
            answers = asyncio.run(asyncio.wait_for(one_round(url, options.uploads), left))
        except TimeoutError:
            raise SystemExit(f"Round {number} did not end in time.") from None
        seconds = time.monotonic() - began
        settle(url, deadline)
        good &= show(number, answers, seconds, server.pid)
    restarts = [
        line for line in httpx.get(f"{url}/metrics", trust_env=False).text.splitlines() if "restarts" in line
    ]
    print("\n".join(line for line in restarts if not line.startswith("#")))
    return good


if __name__ == "__main__":
    sys.exit(main())
