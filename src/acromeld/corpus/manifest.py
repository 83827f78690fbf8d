# SPDX-License-Identifier: Apache-2.0
"""Manifests: which files belong to a corpus, where they come from, and which of them share provenance.

One JSON object per line. ``sha256`` is needed; ``file`` is the path under the folder and defaults to
``<sha256>.pdf``; ``group`` defaults to a group of its own; ``source`` says where the file came from. Other
keys are for people and are not read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.provenance.digests import is_digest

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """One file of a manifest; ``file`` is relative to the corpus folder, with forward slashes."""

    sha256: str
    file: str
    group: str
    source: str


def read_manifest(path: Path) -> tuple[Entry, ...]:
    """The entries in order of content hash; a hash or a file named twice is refused."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise InputNotFound(f"{path} does not exist.") from None
    entries = [
        _entry(line, f"{path.name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()
    ]
    _refuse_repeats([entry.sha256 for entry in entries], path.name)
    _refuse_repeats([entry.file for entry in entries], path.name)
    return tuple(sorted(entries, key=lambda entry: entry.sha256))


def _entry(line: str, where: str) -> Entry:
    try:
        data = json.loads(line)
        sha256 = data["sha256"]
    except (ValueError, KeyError, TypeError):
        raise IntegrityError(f"{where} is not a manifest entry with a sha256.") from None
    if not is_digest(sha256):
        raise IntegrityError(f"{where}: {sha256!r} is not a SHA-256 digest.")
    file = str(data.get("file") or f"{sha256}.pdf")
    parts = PurePosixPath(file)
    if parts.is_absolute() or ".." in parts.parts:
        raise IntegrityError(f"{where}: {file!r} is outside the corpus folder.")
    return Entry(sha256, file, str(data.get("group") or sha256), str(data.get("source") or ""))


def _refuse_repeats(values: list[str], name: str) -> None:
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise IntegrityError(f"{name} lists {value} twice.")
        seen.add(value)
