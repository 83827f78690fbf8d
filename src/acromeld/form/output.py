# SPDX-License-Identifier: Apache-2.0
"""Putting a finished file in place: whole or not at all, and never over something by accident."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
from pathlib import Path

from acromeld.errors import OutputProblem

_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV}
"""What file systems without hard links answer."""

UNFINISHED = re.compile(r"\..{1,40}\.[0-9a-f]{12}\.part", re.DOTALL)
"""Names of files that are being written; a writer that is killed leaves one."""

_BINARY = getattr(os, "O_BINARY", 0)


def write_atomically(data: bytes, target: str | os.PathLike[str], *, overwrite: bool) -> None:
    """Write a file that appears complete or not at all.

    The bytes go to a temporary file in the same folder and are flushed to the disk before the name is given.
    Without ``overwrite`` the name is given by a hard link, which fails if anything has it, so that a file
    that appears at the last moment is not replaced either. A symbolic link is replaced, not written through;
    devices and pipes never are.
    """
    target = Path(target)
    try:
        check_replaceable(target)
        temporary = _write_beside(data, target)
        try:
            _give_name(temporary, target, overwrite=overwrite)
        finally:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
    except FileExistsError:
        raise OutputProblem(f"{target} exists already; choose another name or allow overwriting.") from None
    except OSError as error:
        raise OutputProblem(f"{target} cannot be written: {error.strerror or error}.") from None
    _flush_folder(target.parent)


def check_replaceable(target: Path) -> None:
    """Refuse to put a file in the place of a device, a pipe or a socket, or of a link to one.

    Whoever names one wants to write into it; giving its name to a file would take it away from everybody,
    and root may do that even to ``/dev/null``.
    """
    if target.exists() and not (target.is_file() or target.is_dir()):
        raise OutputProblem(f"{target} is a device or a pipe, not a file, and is never replaced.")


def _write_beside(data: bytes, target: Path) -> Path:
    """A new file next to the target, with the permissions any new file of this user gets."""
    temporary = target.parent / f".{target.name[:40]}.{secrets.token_hex(6)}.part"
    handle = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | _BINARY, 0o666)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException:
        temporary.unlink()
        raise
    return temporary


def _give_name(temporary: Path, target: Path, *, overwrite: bool) -> None:
    if overwrite:
        os.replace(temporary, target)
        return
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        # Creating the name exclusively claims it; only then may it be replaced, by us.
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        try:
            os.replace(temporary, target)
        except BaseException:
            target.unlink()
            raise


def _flush_folder(folder: Path) -> None:
    """Make the new name durable where the system can; the file itself already is."""
    if os.name == "posix":
        with contextlib.suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)
