# SPDX-License-Identifier: Apache-2.0
"""From the result of a worker to a response: the file itself, JSON, or a stream of events."""

from __future__ import annotations

import asyncio
import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.responses import Response

from acromeld.serve.jobs import Answer, Job, Result
from acromeld.serve.problems import Trouble
from acromeld.serve.uploads import ClientGone

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import TypeVar

    from starlette.types import Receive, Scope, Send

    T = TypeVar("T")
    Submit = Callable[[Callable[[str, dict[str, int]], None]], asyncio.Task[Result]]

_PIECE = 64 * 1024
_MAX_NOTES = 4000
_HEARTBEAT_SECONDS = 15.0


class PiecewiseResponse(Response):
    """A response whose body is handed over in pieces, so that a slow client does not fill our buffers."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send head and body."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        body = memoryview(self.body)
        for start in range(0, len(body), _PIECE):
            piece = bytes(body[start : start + _PIECE])
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def plain_answer(job: Job, result: Result) -> PiecewiseResponse:
    """The body in the form that was asked for, and the summary as headers."""
    headers = {"Acromeld-Notes": notes_header(result.summary["notes"])}
    for key in ("pages", "written", "dropped"):
        if key in result.summary:
            headers[f"Acromeld-{key.capitalize()}"] = str(result.summary[key])
    if job.answer is Answer.PDF:
        headers["Content-Disposition"] = _disposition(f"{PurePath(job.name).stem}.fillable.pdf")
    return PiecewiseResponse(result.body, media_type=job.answer.value, headers=headers)


def notes_header(notes: list[str]) -> str:
    """Notes as a JSON array in ASCII; the last ones are left out if they are too many for a header."""
    kept: list[str] = []
    for note in notes:
        if len(json.dumps([*kept, note])) > _MAX_NOTES:
            break
        kept.append(note)
    return json.dumps(kept)


async def send_events(scope: Scope, send: Send, submit: Submit) -> None:
    """Progress as server-sent events while the work goes on, then ``result`` or ``problem``.

    ``submit`` starts the work; what it raises is raised before anything is sent, so that a full queue is
    still answered with its own status.
    """
    news: asyncio.Queue[bytes | None] = asyncio.Queue()
    task = submit(lambda name, data: news.put_nowait(event(name, json.dumps(data))))
    task.add_done_callback(lambda _: news.put_nowait(None))
    try:
        head = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"x-accel-buffering", b"no")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        while (text := await _next(news)) is not None:
            await send({"type": "http.response.body", "body": text, "more_body": True})
        await _send_pieces(send, await _outcome(scope, task))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _next(news: asyncio.Queue[bytes | None]) -> bytes | None:
    """The next event, or a comment now and then so that proxies keep the connection."""
    try:
        async with asyncio.timeout(_HEARTBEAT_SECONDS):
            return await news.get()
    except TimeoutError:
        return b": still here\n\n"


async def _outcome(scope: Scope, task: asyncio.Task[Result]) -> bytes:
    try:
        result = await task
    except Trouble as trouble:
        return event("problem", json.dumps(trouble.document(scope)))
    return event("result", result.body.decode())


async def _send_pieces(send: Send, data: bytes) -> None:
    for start in range(0, len(data), _PIECE):
        piece = data[start : start + _PIECE]
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b"", "more_body": False})


def event(name: str, data: str) -> bytes:
    """One server-sent event; line breaks of the data survive."""
    lines = "".join(f"data: {line}\n" for line in data.rstrip("\n").split("\n"))
    return f"event: {name}\n{lines}\n".encode()


async def unless_gone(receive: Receive, work: Coroutine[Any, Any, T]) -> T:
    """Do the work, and stop it if the client goes away meanwhile."""
    working = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_disconnected(receive))
    try:
        await asyncio.wait({working, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone
        return working.result()
    finally:
        gone.cancel()
        working.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _disposition(name: str) -> str:
    """Content-Disposition for any name (RFC 6266)."""
    ascii_name = "".join(c if c.isascii() and c.isprintable() and c not in '"\\' else "_" for c in name)
    return f"attachment; filename=\"{ascii_name}\"; filename*=UTF-8''{quote(name, safe='')}"
