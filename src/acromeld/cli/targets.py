# SPDX-License-Identifier: Apache-2.0
"""Where commands may write: never over what they read, and over nothing else by accident."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def check_targets(inputs: Iterable[Path], targets: Sequence[Path], *, force: bool) -> None:
    """Refuse before any work what could not be written after it."""
    taken = [*inputs]
    for target in targets:
        if any(_same(target, other) for other in taken):
            raise OutputProblem(f"{target} is also read or written by this command and is not overwritten.")
        if target.is_dir():
            raise OutputProblem(f"{target} is a folder; name a file.")
        if target.exists() and not force:
            raise OutputProblem(f"{target} exists already; --force overwrites it.")
        if not target.parent.is_dir():
            raise OutputProblem(f"The folder {target.parent} does not exist.")
        taken.append(target)


def _same(a: Path, b: Path) -> bool:
    """One file under two names, or one name that is still free."""
    try:
        return a.samefile(b)
    except OSError:
        return a.absolute() == b.absolute()
