# SPDX-License-Identifier: Apache-2.0
"""What commands read has to be there; what they write goes over nothing by accident."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound, OutputProblem
from acromeld.form.output import check_replaceable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path


def check_inputs(inputs: Iterable[Path]) -> None:
    """Refuse inputs that are missing, before anybody complains about where their outputs would go."""
    for path in inputs:
        try:
            path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise InputNotFound(f"{path} does not exist.") from None
        except OSError as error:
            raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None


def check_targets(inputs: Iterable[Path], targets: Sequence[Path], *, force: bool) -> None:
    """Refuse before any work what could not be written after it, as far as that can be known.

    A symbolic link is something that is there, also if it leads nowhere; by force the link is replaced, and
    what it leads to stays as it is. Devices and pipes, and links to them, are not replaced by force either.
    """
    taken = [*inputs]
    for target in targets:
        if any(_same(target, other) for other in taken):
            raise OutputProblem(f"{target} is also read or written by this command and is not overwritten.")
        if target.is_dir():
            raise OutputProblem(f"{target} is a folder; name a file.")
        check_replaceable(target)
        if os.path.lexists(target) and not force:
            raise OutputProblem(f"{target} exists already; --force overwrites it.")
        if not target.parent.is_dir():
            raise OutputProblem(f"The folder {target.parent} does not exist.")
        if not os.access(target.parent, os.W_OK | os.X_OK):
            raise OutputProblem(f"The folder {target.parent} may not be written to.")
        taken.append(target)


def _same(a: Path, b: Path) -> bool:
    """One file under two names, or one name that is still free."""
    try:
        return a.samefile(b)
    except OSError:
        return a.absolute() == b.absolute()
