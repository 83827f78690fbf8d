# SPDX-License-Identifier: Apache-2.0
"""Reading a multipart request piece by piece, within limits, into files that nobody else can see.

Small uploads stay in memory. Larger ones go to a file without a name (where the system has them), so that
nothing is left on disk even if the server is killed; in any case it is gone when the upload is closed.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, cast

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from acromeld.serve.problems import Problem, Trouble

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from types import TracebackType

    from starlette.types import Receive

    from acromeld.serve.settings import Settings

_IN_MEMORY = 256 * 1024
_MAX_TEXT = 1024
_OVERHEAD = 64 * 1024
"""Bytes of boundaries, part headers and options that come on top of the files."""


class ClientGone(Exception):
    """The client closed the connection; there is nobody to answer."""


@dataclass
class Upload:
    """The parts of a request; use as a context manager, which deletes the files."""

    files: dict[str, BinaryIO] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    name: str = "document.pdf"

    def __enter__(self) -> Upload:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Delete the files; they are not needed once the work is done."""
        for file in self.files.values():
            file.close()


@dataclass
class _Part:
    """The part that is being read."""

    headers: dict[bytes, bytes] = field(default_factory=dict)
    header: tuple[bytearray, bytearray] = field(default_factory=lambda: (bytearray(), bytearray()))
    name: str = ""
    limit: int = 0
    size: int = 0
    text: bytearray = field(default_factory=bytearray)
    file: BinaryIO | None = None


class FormReader:
    """Takes the pieces of a body as they come and fills an `Upload`.

    Args:
        upload: What is filled.
        content_type: Header of the request.
        files: Names of the parts that are files, with their size limits.
        texts: Names of the parts that are options.
        folder: Where large files go.
    """

    def __init__(
        self, upload: Upload, content_type: str, files: Mapping[str, int], texts: frozenset[str], folder: str
    ) -> None:
        kind, parameters = parse_options_header(content_type)
        if kind != b"multipart/form-data":
            raise Trouble(Problem.MEDIA, "The body must be multipart/form-data.")
        boundary = parameters.get(b"boundary")
        if not boundary:
            raise Trouble(Problem.BAD_REQUEST, "The content type names no boundary.")
        self.upload = upload
        self.files = files
        self.texts = texts
        self.folder = folder
        self.part = _Part()
        self.ended = False
        self.left = sum(files.values()) + _OVERHEAD
        with _as_bad_request():
            self.parser = MultipartParser(boundary, self._callbacks())  # type: ignore[arg-type]

    def check_length(self, length: int) -> None:
        """Raise `Trouble` if so many more bytes cannot be a request within the limits."""
        if length > self.left:
            limits = " and ".join(f"{limit} bytes for {name}" for name, limit in self.files.items())
            raise Trouble(Problem.TOO_LARGE, f"The upload is larger than the limit of {limits}.")

    def feed(self, data: bytes) -> None:
        """The next piece of the body."""
        self.check_length(len(data))
        self.left -= len(data)
        with _as_bad_request():
            self.parser.write(data)

    def finish(self) -> None:
        """The body has ended; raises `Trouble` if it should not have, or if a file is missing."""
        with _as_bad_request():
            self.parser.finalize()
        if not self.ended:
            raise Trouble(Problem.BAD_REQUEST, "The body ends before its last boundary.")
        for name in self.files:
            if name not in self.upload.files:
                raise Trouble(Problem.BAD_REQUEST, f"The form field {name} is missing.")

    def _callbacks(self) -> dict[str, object]:
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self.part.header[0].extend(data[start:end]),
            "on_header_value": lambda data, start, end: self.part.header[1].extend(data[start:end]),
            "on_header_end": self._header_end,
            "on_headers_finished": self._headers_finished,
            "on_part_data": self._data,
            "on_part_end": self._end,
            "on_end": self._last,
        }

    def _begin(self) -> None:
        self.part = _Part()

    def _header_end(self) -> None:
        name, value = self.part.header
        self.part.headers[bytes(name).lower()] = bytes(value)
        self.part.header = (bytearray(), bytearray())

    def _headers_finished(self) -> None:
        part = self.part
        _, options = parse_options_header(part.headers.get(b"content-disposition", b""))
        part.name = options.get(b"name", b"").decode("utf-8", "replace")
        if part.name in self.upload.files or part.name in self.upload.texts:
            raise Trouble(Problem.BAD_REQUEST, f"The form field {part.name} is given twice.")
        if part.name in self.files:
            part.limit = self.files[part.name]
            part.file = self.upload.files[part.name] = _spool(self.folder)
            if part.name == "file" and options.get(b"filename"):
                self.upload.name = safe_name(options[b"filename"].decode("utf-8", "replace"))
        elif part.name in self.texts:
            part.limit = _MAX_TEXT
        else:
            raise Trouble(Problem.BAD_REQUEST, f"There is no form field {part.name[:50]!r} here.")

    def _data(self, data: bytes, start: int, end: int) -> None:
        part = self.part
        part.size += end - start
        if part.size > part.limit:
            problem = Problem.BAD_REQUEST if part.file is None else Problem.TOO_LARGE
            raise Trouble(problem, f"The form field {part.name} is larger than {part.limit} bytes.")
        if part.file is not None:
            part.file.write(memoryview(data)[start:end])
        else:
            part.text += data[start:end]

    def _end(self) -> None:
        if self.part.file is None:
            try:
                self.upload.texts[self.part.name] = self.part.text.decode("utf-8")
            except UnicodeDecodeError:
                message = f"The form field {self.part.name} is not UTF-8."
                raise Trouble(Problem.BAD_REQUEST, message) from None

    def _last(self) -> None:
        self.ended = True


async def read_form(reader: FormReader, receive: Receive, settings: Settings) -> int:
    """Read the whole body; a client that dawdles or goes away ends it. Gives the number of bytes."""
    size = 0
    try:
        async with asyncio.timeout(settings.upload_seconds):
            while True:
                async with asyncio.timeout(settings.stall_seconds):
                    message = await receive()
                if message["type"] == "http.disconnect":
                    raise ClientGone
                data = message.get("body", b"")
                size += len(data)
                reader.feed(data)
                if not message.get("more_body", False):
                    break
    except TimeoutError:
        raise Trouble(Problem.SLOW_UPLOAD) from None
    reader.finish()
    return size


def safe_name(name: str) -> str:
    """The last part of a file name from a client, short and printable; it is used in messages only."""
    last = re.split(r"[/\\]", name)[-1]
    return "".join(letter if letter.isprintable() else "?" for letter in last)[:200] or "document.pdf"


def _spool(folder: str) -> BinaryIO:
    return cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY, dir=folder))


@contextmanager
def _as_bad_request() -> Iterator[None]:
    try:
        yield
    except FormParserError:
        raise Trouble(Problem.BAD_REQUEST, "The body is not well-formed multipart/form-data.") from None
