# SPDX-License-Identifier: Apache-2.0
"""What outputs are called: like their originals, below the output folder, no two alike.

Names come from strangers. Here they lose what could lead elsewhere or upset a file system, are made to
differ also where case or the spelling of accents does not count, and leave room for our own files.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

JOURNAL = "batch-journal.sqlite3"
LOCK = "batch-journal.lock"
REPORT = "batch-report"
_OURS = {JOURNAL, f"{JOURNAL}-wal", f"{JOURNAL}-shm", LOCK, REPORT}

_ENDINGS = (".pdf", ".fields.json")

_LONGEST = 200
"""Bytes of a name before our endings; file systems allow 255."""

_UNFIT = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def stems(relatives: Sequence[str], given: Mapping[str, str]) -> dict[str, str]:
    """Output path without its ending for each input path.

    Args:
        relatives: Input paths in a stable order; the first to ask for a name gets it, the others get it with
            a part of the hash of their own path, so that the answer does not depend on chance.
        given: Names given in earlier runs, which stay.
    """
    names = dict(given)
    wanted = {relative: _wanted(relative) for relative in relatives if relative not in given}
    taken = {_folded(f"{stem}{ending}") for stem in given.values() for ending in _ENDINGS}
    taken |= _folders([*wanted.values(), *given.values()])
    for relative, stem in wanted.items():
        names[relative] = _free(stem, relative, taken)
        taken |= {_folded(f"{names[relative]}{ending}") for ending in _ENDINGS}
    return names


def _free(stem: str, relative: str, taken: set[str]) -> str:
    """The name itself, or the first of a fixed series of others that nobody has.

    One mark is not enough: whoever names the originals can compute it and give it to another file.
    """
    candidate, number = stem, 0
    while any(_folded(f"{candidate}{ending}") in taken for ending in _ENDINGS):
        candidate = f"{stem}-{_mark(f'{number}{relative}', 12)}"
        number += 1
    return candidate


def _folders(stems: Iterable[str]) -> set[str]:
    """Every folder the outputs lie in: none of them may have the name of a file."""
    parents = {parent.as_posix() for stem in stems for parent in PurePosixPath(stem).parents}
    return {_folded(parent) for parent in parents}


def _wanted(relative: str) -> str:
    """A path of plain names: no root, no dots that lead up, nothing reserved."""
    *folders, name = (part for part in PurePosixPath(relative).parts if part not in ("/", ".", ".."))
    parts = [_fit(folder) for folder in folders] + [_fit(name[: -len(".pdf")])]
    if parts[0].casefold() in _OURS:
        parts[0] += "_"
    return "/".join(parts)


def _fit(name: str) -> str:
    clean = _UNFIT.sub("_", name).rstrip(". ") or "_"
    if _DEVICES.fullmatch(clean):
        clean = f"_{clean}"
    data = os.fsencode(clean)
    if len(data) > _LONGEST:
        clean = f"{data[:_LONGEST].decode('utf-8', 'ignore')}-{_mark(name, 12)}"
    return clean


def _mark(text: str, length: int) -> str:
    return hashlib.sha256(os.fsencode(text)).hexdigest()[:length]


def _folded(stem: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", stem).casefold())
