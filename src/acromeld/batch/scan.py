# SPDX-License-Identifier: Apache-2.0
"""Which files a batch is about: every PDF below a folder, never one that lies elsewhere.

Folders that are links are not entered (they may lead out, or round in circles). A file that is a link counts
when what it points to lies below the same folder.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from acromeld.batch.intake import file_digest, shown
from acromeld.errors import AcromeldError, InputNotFound, OutputProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@dataclass(frozen=True)
class Found:
    """A file of the batch, or a folder whose files nobody can know.

    Attributes:
        relative: Path below the folder, with forward slashes; may hold undecodable bytes as surrogates.
        path: What is opened: the file itself, links resolved.
        sha256: Content hash, empty when the file cannot be read.
        size: Bytes.
        problem: Why it cannot be worked on, or nothing.
        folder: Whether it is a folder that cannot be read, in place of the files in it.
    """

    relative: str
    path: Path
    sha256: str = ""
    size: int = 0
    problem: str = ""
    folder: bool = False


def check_folders(source: Path, target: Path) -> tuple[Path, Path]:
    """Both folders with links resolved; outputs must never land among the originals.

    The outputs may lie in a folder below the originals, which is then left out of the search.
    """
    if not source.is_dir():
        raise InputNotFound(f"{source} is not a folder." if source.exists() else f"{source} does not exist.")
    if target.exists() and not target.is_dir():
        raise OutputProblem(f"{target} exists already and is not a folder.")
    here, there = source.resolve(), target.resolve()
    if here == there or here.is_relative_to(there):
        raise OutputProblem(
            f"The outputs must not lie among the originals; choose a folder outside {source}."
        )
    return here, there


def scan(source: Path, target: Path, progress: Callable[[int], None] = lambda _count: None) -> list[Found]:
    """All PDFs below ``source`` in a stable order, each with its hash; both folders are resolved ones.

    A folder below that cannot be read costs the files in it, and is among what was found; without ``source``
    itself there is nothing to do.
    """
    found: list[Found] = []
    for path, problem in _pdfs(source, target):
        if problem and path == source:
            raise InputNotFound(f"{shown(str(source))} cannot be read: {problem}.")
        found.append(_closed(source, path, problem) if problem else _look(source, path))
        progress(len(found))
    return sorted(found, key=lambda file: os.fsencode(file.relative))


def _pdfs(source: Path, target: Path) -> Iterator[tuple[Path, str]]:
    """Every PDF, and every folder that cannot be read with the reason.

    Walks without recursion: a stranger's tree may be deeper than the stack.
    """
    waiting = [source]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _entries(folder)
        except OSError as error:
            yield folder, str(error.strerror)
            continue
        for path, is_folder in entries:
            if is_folder:
                if path != target:
                    waiting.append(path)
            elif path.suffix.lower() == ".pdf" and not os.path.isdir(path):
                yield path, ""


def _entries(folder: Path) -> list[tuple[Path, bool]]:
    """What is in a folder, and whether it is a folder itself; links are not."""
    with os.scandir(folder) as entries:
        return [(Path(entry.path), entry.is_dir(follow_symlinks=False)) for entry in entries]


def _closed(source: Path, folder: Path, problem: str) -> Found:
    """A folder that cannot be read, with a slash by which people tell it from a file."""
    relative = f"{folder.relative_to(source).as_posix()}/"
    sentence = f"{shown(relative)} cannot be read: {problem}."
    return Found(relative, folder, problem=sentence, folder=True)


def _look(source: Path, path: Path) -> Found:
    relative = path.relative_to(source).as_posix()
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        return Found(relative, path, problem=f"{shown(path.name)} is a link that leads nowhere.")
    if not real.is_relative_to(source):
        return Found(relative, path, problem=f"{shown(path.name)} is a link to a file outside the folder.")
    try:
        digest, size = file_digest(real)
    except AcromeldError as error:
        return Found(relative, path, problem=str(error))
    return Found(relative, real, digest, size)
