# SPDX-License-Identifier: Apache-2.0
"""Putting outputs in place: below the output folder, through no link, whole or not at all."""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from acromeld.batch.intake import file_digest, shown
from acromeld.batch.job import FIELDS, PDF, Delivered
from acromeld.batch.names import REPORT
from acromeld.errors import InputNotFound, OutputProblem
from acromeld.form.output import UNFINISHED, write_atomically

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from acromeld.batch.job import Parts

ENDINGS = {PDF: ".pdf", FIELDS: ".fields.json"}


def place(out: Path, relative: str) -> Path:
    """A path below ``out`` whose folders exist and are folders, not links.

    Checked folder by folder, because a link that somebody left in the output folder would otherwise carry
    our files to wherever it points.
    """
    *folders, name = relative.split("/")
    here = out
    for folder in folders:
        if folder in ("", ".", ".."):
            raise OutputProblem(f"{relative!a} is no path for an output.")
        here /= folder
        with suppress(FileExistsError):
            here.mkdir()
        if not stat.S_ISDIR(os.lstat(here).st_mode):
            raise OutputProblem(f"{here} is in the way: not a folder, or a link.")
    return here / name


def deliver(
    out: Path, stem: str, sha256: str, parts: Parts, ours: Collection[str] | None = frozenset()
) -> Delivered:
    """Write the files of a document; they may replace our own, and nothing somebody has worked on.

    Args:
        out: The output folder.
        stem: Output path below it, without its ending.
        sha256: Content of the original, after which pictures are called.
        parts: The files.
        ours: Digests of outputs that may be replaced, as the journal knows them; none if anything may. A file
            with the new bytes may be there, too: a run that was killed has left it.
    """
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in parts.items()}
    places = {name: place(out, _where(stem, sha256, name)) for name in sorted(parts)}
    if ours is not None:
        # All of them before the first is written, so that a document keeps outputs that belong together.
        for name in ENDINGS.keys() & parts.keys():
            _check(places[name], _where(stem, sha256, name), {digests[name], *ours})
    for name, path in places.items():
        write_atomically(parts[name], path, overwrite=True)
    return Delivered(digests, {name: len(data) for name, data in parts.items()})


def _where(stem: str, sha256: str, part: str) -> str:
    return f"{stem}{ENDINGS[part]}" if part in ENDINGS else picture_path(sha256, part)


def _check(path: Path, name: str, ours: set[str]) -> None:
    """Raise if there is something that we did not write: another content, a link, a folder."""
    if os.path.lexists(path) and _digest(path) not in ours:
        raise OutputProblem(
            f"{shown(name)} is not as this batch wrote it and was left alone; "
            "move it away and run again with --retry-failed."
        )


def _digest(path: Path) -> str:
    """The hash of a regular file, nothing for anything else."""
    try:
        return file_digest(path)[0]
    except InputNotFound:
        return ""


def sweep(out: Path) -> None:
    """Remove what writers left that were killed in the middle of a file; for when no writer is alive."""
    for folder, _, names in os.walk(out):
        for name in filter(UNFINISHED.fullmatch, names):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))


def picture_path(sha256: str, part: str) -> str:
    """Where the picture of a page lies, by content of its document, so that copies share it."""
    return f"{REPORT}/pages/{sha256[:24]}-{part}.png"


def occupied(out: Path, stem: str, *, fields_only: bool) -> str:
    """The output that exists already, or nothing; a dangling link counts as something."""
    for part in (FIELDS,) if fields_only else (PDF, FIELDS):
        if os.path.lexists(out / f"{stem}{ENDINGS[part]}"):
            return f"{stem}{ENDINGS[part]}"
    return ""


def unchanged(out: Path, stem: str, digests: dict[str, str]) -> bool:
    """Whether the outputs of a finished document are what they were, to the last byte."""
    return all(
        _digest(out / f"{stem}{ending}") == digests[part]
        for part, ending in ENDINGS.items()
        if part in digests
    )


def intact(out: Path, stem: str, sizes: dict[str, int]) -> bool:
    """Whether the outputs of a finished document are still there, whole and not links."""
    for part, ending in ENDINGS.items():
        if part not in sizes:
            continue
        try:
            found = os.lstat(out / f"{stem}{ending}")
        except OSError:
            return False
        if not stat.S_ISREG(found.st_mode) or found.st_size != sizes[part]:
            return False
    return True
