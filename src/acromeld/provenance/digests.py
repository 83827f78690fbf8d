# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON, SHA-256, and the two file formats that carry digests.

Two records with the same meaning must have the same digest on every machine, so there is exactly one way
to write a value: sorted keys, no spaces, characters as they are, UTF-8, finite numbers only.
"""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_CHUNK = 1 << 20
SUMS_NAME = "SHA256SUMS"
SIDECAR_SUFFIX = ".sha256"


def canonical_json(value: object) -> str:
    """The one JSON text of a value; `ValueError` for what JSON cannot carry faithfully.

    Keys must be strings (``json`` would quietly turn 1 into "1", and two keys into one); NaN and the
    infinities are no JSON; a tuple is a list.
    """
    _check(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def _check(value: object) -> None:
    if value is None or isinstance(value, (str, bool, int)):
        return
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} has no canonical JSON form.")
    elif isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise ValueError(f"The key {key!r} is not a string and has no canonical JSON form.")
            _check(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _check(item)
    else:
        raise ValueError(f"{type(value).__name__} has no canonical JSON form.")


def sha256_bytes(data: bytes) -> str:
    """Digest of bytes, 64 lower-case hexadecimal characters."""
    return hashlib.sha256(data).hexdigest()


def sha256_object(value: object) -> str:
    """Digest of the canonical JSON of a value."""
    return sha256_bytes(canonical_json(value).encode())


def sha256_file(path: Path) -> str:
    """Digest of a file, read in pieces."""
    digest = hashlib.sha256()
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
    except FileNotFoundError:
        raise InputNotFound(f"{path} does not exist.") from None
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    return digest.hexdigest()


def is_digest(text: object) -> bool:
    """Whether the value is a digest as this module writes them."""
    return isinstance(text, str) and len(text) == 64 and all(c in "0123456789abcdef" for c in text)


def sums_text(folder: Path, names: Iterable[str]) -> str:
    """The lines of a ``SHA256SUMS`` file for files under a folder, as ``sha256sum -c`` reads them.

    Names are relative with forward slashes, in sorted order. ``sha256sum`` escapes backslashes and line
    breaks in names; our own files have neither, so such a name is refused instead of escaped.
    """
    lines = []
    for name in sorted(set(names)):
        if any(character in name for character in "\\\n\r"):
            raise ValueError(f"The file name {name!r} cannot stand in {SUMS_NAME}.")
        lines.append(f"{sha256_file(folder / name)}  {name}\n")
    return "".join(lines)


def check_sums(sums: Path) -> None:
    """Recompute every digest of a ``SHA256SUMS`` file; `IntegrityError` names the files that differ."""
    try:
        lines = sums.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputNotFound(f"{sums} does not exist.") from None
    wrong = []
    for line in lines:
        digest, _, name = line.partition("  ")
        path = sums.parent / name
        if not is_digest(digest) or not path.is_file() or sha256_file(path) != digest:
            wrong.append(name or line)
    if wrong:
        raise IntegrityError(f"These files do not match {sums}: {', '.join(wrong)}.")


def sidecar(path: Path) -> Path:
    """Where the bare digest of a file is kept: the file's name with ``.sha256`` after it."""
    return path.with_name(path.name + SIDECAR_SUFFIX)


def check_sidecar(path: Path) -> str:
    """The digest of a file, which must be the one in its sidecar."""
    beside = sidecar(path)
    if not beside.is_file():
        raise IntegrityError(f"{beside} is missing, so {path.name} cannot be checked.")
    expected = beside.read_text(encoding="ascii", errors="replace").strip()
    found = sha256_file(path)
    if found != expected:
        raise IntegrityError(f"{path} does not match {beside.name}.")
    return found
