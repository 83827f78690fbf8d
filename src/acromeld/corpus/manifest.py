# SPDX-License-Identifier: Apache-2.0
"""Manifests: which files belong to a corpus, where they come from, and which of them share provenance.

One JSON object per line. ``sha256`` is needed; ``file`` is the path under the folder and defaults to
``<sha256>.pdf``; ``group`` defaults to a group of its own; ``source`` says where the file came from; ``also``
names further files of the same content; ``origin_sha256`` is the hash of the file that this one was cleaned
from. Other keys are for people and are not read.

File names need not be text: bytes that are not UTF-8 stand as surrogates, the way `os.fsdecode` has them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.provenance.digests import is_digest
from acromeld.provenance.printable import printable

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One content of a manifest; ``file`` is relative to the corpus folder, with forward slashes.

    Attributes:
        sha256: Of the content.
        file: Where it lies.
        group: Documents of one provenance share it.
        source: Where it comes from.
        also: Further files of the same content.
        origin: Hash of the file it was cleaned from, empty when there is none.
    """

    sha256: str
    file: str
    group: str
    source: str
    also: tuple[str, ...] = ()
    origin: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """Every file of this content."""
        return (self.file, *self.also)


def read_manifest(path: Path) -> tuple[Entry, ...]:
    """The entries in order of content hash; a hash or a file named twice is refused."""
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        raise InputNotFound(f"{path} does not exist.") from None
    entries = [
        _entry(line, f"{path.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    _refuse_repeats([entry.sha256 for entry in entries], path.name)
    _refuse_repeats([file for entry in entries for file in entry.files], path.name)
    return tuple(sorted(entries, key=lambda entry: entry.sha256))


def _entry(line: bytes, where: str) -> Entry:
    try:
        data = json.loads(line)
        sha256 = data["sha256"]
    except (ValueError, KeyError, TypeError):
        raise IntegrityError(f"{where} is not a manifest entry with a sha256.") from None
    if not is_digest(sha256):
        raise IntegrityError(f"{where}: {sha256!r} is not a SHA-256 digest.")
    origin = data.get("origin_sha256") or ""
    if origin and not is_digest(origin):
        raise IntegrityError(f"{where}: {origin!r} is not a SHA-256 digest.")
    file, *also = [str(data.get("file") or f"{sha256}.pdf"), *map(str, data.get("also") or ())]
    for name in (file, *also):
        _check_inside(name, where)
    source = str(data.get("source") or "")
    return Entry(sha256, file, str(data.get("group") or sha256), source, tuple(also), origin)


def _check_inside(file: str, where: str) -> None:
    parts = PurePosixPath(file)
    if parts.is_absolute() or ".." in parts.parts:
        raise IntegrityError(f"{where}: {file!r} is outside the corpus folder.")


def _refuse_repeats(values: list[str], name: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise IntegrityError(f"{name} lists {printable(value)} twice.")
        seen.add(value)
