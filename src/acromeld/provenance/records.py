# SPDX-License-Identifier: Apache-2.0
"""Files that are written once: they appear complete or not at all, and nothing replaces them.

A record is written to a temporary file beside its place (``O_CREAT | O_EXCL``), flushed to the disk and
then *linked* to its name. A link fails when the name is taken, which ``rename`` does not, so two processes
that race for one record cannot both win. The result is read back before anybody relies on it.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from typing import IO, TYPE_CHECKING, Any

from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.provenance.digests import canonical_json, sha256_bytes, sha256_file, sidecar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_READ_ONLY = 0o444


def create_bytes(path: Path, data: bytes) -> str:
    """Create the file with these bytes and return their digest; `OutputProblem` when the name is taken."""

    def fill(stream: IO[bytes]) -> None:
        stream.write(data)

    _create(path, fill)
    return _read_back(path, sha256_bytes(data))


def create_json(path: Path, record: object) -> str:
    """Create a record as one line of canonical JSON; the digest is that of the file."""
    return create_bytes(path, json_bytes(record))


def ensure_bytes(path: Path, data: bytes) -> str:
    """Create the file, or accept it when it already holds exactly these bytes.

    For records that a resumed run writes again, or that several processes of a run write at the same moment;
    anything else under the name is refused.
    """
    digest = sha256_bytes(data)
    try:
        return create_bytes(path, data)
    except OutputProblem:
        if not path.exists():
            raise
    if sha256_file(path) != digest:
        raise OutputProblem(f"{path} already exists with other content and is written only once.")
    return digest


def json_bytes(record: object) -> bytes:
    """A record as the bytes of its file."""
    return (canonical_json(record) + "\n").encode()


def create_sealed_json(path: Path, record: object) -> str:
    """Create a record with its bare-digest sidecar; the record comes last, so it never stands alone."""
    data = json_bytes(record)
    ensure_bytes(sidecar(path), sha256_bytes(data).encode("ascii") + b"\n")
    return create_bytes(path, data)


def create_lines(path: Path, lines: Iterable[str]) -> str:
    """Create a file of lines as they come, without holding them all; nothing stays if the source fails."""

    def fill(stream: IO[bytes]) -> None:
        for line in lines:
            stream.write(line.encode() + b"\n")

    _create(path, fill)
    return sha256_file(path)


def create_copy(source: Path, path: Path) -> str:
    """Copy a file to a new name, once; the copy has the digest of the source or the call fails."""
    expected = sha256_file(source)

    def fill(stream: IO[bytes]) -> None:
        with source.open("rb") as original:
            shutil.copyfileobj(original, stream)

    _create(path, fill)
    return _read_back(path, expected)


def read_json(path: Path, *, schema: str | None = None, digest: str | None = None) -> dict[str, Any]:
    """A record; `IntegrityError` names the file when its digest, form or schema is not as expected."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputNotFound(f"{path} does not exist.") from None
    if digest is not None and sha256_bytes(data) != digest:
        raise IntegrityError(f"{path} was changed: its digest is not the one it is bound by.")
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        raise IntegrityError(f"{path} is not a JSON record.") from None
    if not isinstance(record, dict):
        raise IntegrityError(f"{path} is not a record: expected a JSON object.")
    if schema is not None and record.get("schema") != schema:
        raise IntegrityError(f"{path} has the format {record.get('schema')!r}; expected {schema!r}.")
    return record


def _create(path: Path, fill: Callable[[IO[bytes]], None]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(6)}.part")
    try:
        with open(temporary, "xb") as stream:
            fill(stream)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_READ_ONLY)
        os.link(temporary, path)
    except FileExistsError:
        raise OutputProblem(f"{path} already exists and is written only once.") from None
    except OSError as error:
        raise OutputProblem(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make new names in a folder survive a power cut, where the system lets a folder be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _read_back(path: Path, expected: str) -> str:
    if sha256_file(path) != expected:
        raise IntegrityError(f"{path} does not read back as it was written.")
    return expected
