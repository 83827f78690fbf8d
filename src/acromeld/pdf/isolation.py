# SPDX-License-Identifier: Apache-2.0
"""Reading in a process that can be killed and replaced, so that one bad page costs one page.

Native code can crash on a hostile file or never come back. The user of an `IsolatedReader` sees neither: a
page that kills its reader comes back empty with a note, and the next page is read by a fresh process. The
following page is requested ahead, so reading and detection overlap on two cores.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import numpy as np

import acromeld
from acromeld import errors
from acromeld.errors import AcromeldError, LimitExceeded
from acromeld.pdf.document import DocumentFacts
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits
from acromeld.pdf.page import Page, PageNeeds
from acromeld.pdf.source import Source, load_source
from acromeld.pdf.wire import frame_from, page_from_message, receive, send

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import TracebackType

    from acromeld.pdf.wire import Arrays

    Message = tuple[dict[str, Any], Arrays]


class IsolatedReader:
    """Opens documents in a disposable process; use as a context manager.

    One reader serves any number of documents, one at a time, so that the process is started once and not
    for each file.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.limits = limits
        self._process: _Process | None = None

    def __enter__(self) -> IsolatedReader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.discard()

    def open(
        self, source: str | os.PathLike[str] | bytes | Source, *, password: str | None = None
    ) -> IsolatedDocument:
        """Open a document; failures are those of `acromeld.pdf.document.open_document`."""
        loaded = load_source(source, password=password, limits=self.limits)
        return IsolatedDocument(self, loaded, self.start(loaded))

    def start(self, source: Source) -> DocumentFacts:
        """Have the process, a new one if the last is gone, open the document."""
        process = self._idle_process()
        try:
            body, _ = process.reply(process.open(source))
        except _ReaderDied as reason:
            self.discard()
            raise LimitExceeded(f"{source.name} could not be opened: {reason}.") from None
        if "error" in body:
            process.document = None
            raise _known_error(body["error"], body["message"])
        facts = body["facts"]
        frames = tuple(frame_from(frame) for frame in facts["frames"])
        return DocumentFacts(facts["name"], facts["sha256"], frames, tuple(facts["notes"]))

    def _idle_process(self) -> _Process:
        """A living process with nothing left to answer.

        A page that was asked for and given up may be one that hangs; a document sent after it would wait in
        the pipe for ever. And a process that died between two documents is no fault of the next one.
        """
        if self._process is not None:
            try:
                self._process.settle()
            except _ReaderDied:
                self.discard()
        if self._process is None:
            self._process = _Process(self.limits)
        return self._process

    def process_for(self, source: Source) -> _Process:
        """The process with ``source`` open in it."""
        if self._process is None or self._process.document != source.sha256:
            self.start(source)
        assert self._process is not None
        return self._process

    def discard(self) -> None:
        """Kill the process; the next request starts a new one."""
        if self._process is not None:
            self._process.kill()
            self._process = None


@dataclass(frozen=True)
class IsolatedDocument:
    """A document that is read in another process."""

    reader: IsolatedReader
    source: Source
    facts: DocumentFacts

    def pages(self, needs: PageNeeds, indices: Iterable[int] | None = None) -> Iterator[Page]:
        """The pages in order, each read while the one before is being worked on."""
        waiting = list(range(len(self.facts)) if indices is None else indices)
        for position, index in enumerate(waiting):
            yield self._read(waiting[position : position + 2], index, needs)

    def _read(self, ask: list[int], index: int, needs: PageNeeds) -> Page:
        try:
            process = self.reader.process_for(self.source)
            tickets = [process.request(wanted, needs) for wanted in ask]
            body, arrays = process.reply(tickets[0])
            return page_from_message(body["page"], arrays)
        except (_ReaderDied, KeyError, ValueError, TypeError) as reason:
            self.reader.discard()
            note = f"Page {index + 1} could not be read ({reason}) and was skipped."
            return Page(index, self.facts.frames[index], notes=(note,))


class _ReaderDied(Exception):
    """The process is gone or had to be killed; the text says which."""


def _known_error(name: str, message: str) -> AcromeldError:
    return cast("AcromeldError", getattr(errors, name, AcromeldError)(message))


@dataclass
class _Process:
    """One reader process, what was asked of it, and a thread that collects its replies.

    Every request carries a ticket that its reply repeats, so that the answer to a page nobody waits for any
    more is not taken for another.
    """

    limits: Limits
    document: str | None = None
    tickets: int = 0
    asked: dict[tuple[int, PageNeeds], int] = field(default_factory=dict)
    replies: queue.SimpleQueue[Message | None] = field(default_factory=queue.SimpleQueue)

    def __post_init__(self) -> None:
        # -P: without it Python looks for its modules in the current folder first, among the user's files.
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-m", "acromeld.pdf.reader_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": _import_path()},
        )
        self.stdin = cast("BinaryIO", self.child.stdin)
        self.stdout = cast("BinaryIO", self.child.stdout)
        self.collector = threading.Thread(target=self._collect, daemon=True)
        self.collector.start()
        self._send({"limits": asdict(self.limits)})

    def open(self, source: Source) -> int:
        """Hand over a document, the one before is closed; the ticket of the reply."""
        self.document = source.sha256
        self.asked.clear()
        body = {"open": {"name": source.name, "password": source.password}}
        return self._send(body, {"data": np.frombuffer(source.data, dtype=np.uint8)})

    def request(self, index: int, needs: PageNeeds) -> int:
        """Ask for a page unless it has been asked for already; the ticket of the reply."""
        ticket = self.asked.get((index, needs))
        if ticket is None:
            ticket = self.asked[index, needs] = self._send({"index": index, "needs": asdict(needs)})
        return ticket

    def reply(self, ticket: int) -> Message:
        """The reply to a ticket, or the reason why there will be none."""
        while True:
            try:
                message = self.replies.get(timeout=self.limits.page_seconds)
            except queue.Empty:
                raise _ReaderDied(f"it took longer than {self.limits.page_seconds:g} s") from None
            if message is None:
                raise _ReaderDied("it crashed the reader or needs too much memory")
            answered = message[0]["ticket"]
            self.asked = {asked: number for asked, number in self.asked.items() if number != answered}
            if answered == ticket:
                return message

    def settle(self) -> None:
        """Wait for the answers that nobody waits for any more."""
        for ticket in list(self.asked.values()):
            self.reply(ticket)
        if self.child.poll() is not None:
            raise _ReaderDied("it is gone")

    def kill(self) -> None:
        """End the process; it holds nothing worth a polite goodbye."""
        self.child.kill()
        self.child.wait()
        self.collector.join()
        for stream in (self.stdin, self.stdout):
            with suppress(OSError):
                stream.close()

    def _send(self, body: dict[str, Any], arrays: Arrays | None = None) -> int:
        self.tickets += 1
        with suppress(OSError):  # A broken pipe shows as a missing reply, which knows the reason.
            send(self.stdin, body | {"ticket": self.tickets}, arrays)
        return self.tickets

    def _collect(self) -> None:
        try:
            while True:
                self.replies.put(receive(self.stdout))
        except (EOFError, ValueError, OSError, KeyError, TypeError, MemoryError):
            self.replies.put(None)


def _import_path() -> str:
    """Where the child finds this very package, whatever the parent's sys.path looks like."""
    root = str(Path(acromeld.__file__).parent.parent)
    inherited = os.environ.get("PYTHONPATH")
    return os.pathsep.join([root, inherited]) if inherited else root
