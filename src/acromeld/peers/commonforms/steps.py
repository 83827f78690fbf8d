# SPDX-License-Identifier: Apache-2.0
"""Set-up work that can be interrupted: steps done once, commands whose failure is a sentence, and a lock."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
from typing import TYPE_CHECKING

from acromeld.errors import AcromeldError
from acromeld.form.output import write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    Say = Callable[[str], None]


class PeerUnavailable(AcromeldError):
    """The peer's environment is missing or could not be built."""


def command(arguments: Sequence[str | Path], what: str, environment: Mapping[str, str] | None = None) -> str:
    """Run a program to its end and return what it printed; a failure names the work and its last line."""
    merged = {**os.environ, **(environment or {})}
    try:
        done = subprocess.run(  # list form, no shell
            [str(argument) for argument in arguments], capture_output=True, text=True, check=False, env=merged
        )
    except OSError as error:
        raise PeerUnavailable(f"{what} failed: {error.strerror or error}.") from None
    if done.returncode:
        lines = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()
        raise PeerUnavailable(f"{what} failed: {lines[-1].strip().rstrip('.')}.")
    return done.stdout


def once(folder: Path, name: str, recipe: str, work: Callable[[], None]) -> bool:
    """Do a step unless it was finished before with the same recipe; true when it was done now.

    The marker is written after the work, so a step that was killed is done again.
    """
    marker = folder / f"{name}.done"
    stamp = hashlib.sha256(recipe.encode()).hexdigest()
    if marker.exists() and marker.read_text().strip() == stamp:
        return False
    work()
    write_text(marker, stamp + "\n")
    return True


def write_text(path: Path, text: str) -> None:
    """Write a text file, and the folder it is in, so that readers never see a part of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(text.encode(), path, overwrite=True)


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Only one process at a time works in the folder; the system frees the lock when a process dies."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as handle:
        with contextlib.suppress(ImportError):  # no advisory locks on this system: one process is assumed
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
