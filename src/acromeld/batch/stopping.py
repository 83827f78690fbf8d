# SPDX-License-Identifier: Apache-2.0
"""What stops a whole batch: a disk that takes nothing more.

No document is to blame for it, and the next one would meet the same. So the batch ends with one sentence,
what is left stays planned, and the same command goes on when there is room.
"""

from __future__ import annotations

import errno
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EROFS}


def no_room(error: BaseException) -> bool:
    """Whether the disk is full, a quota used up, or nothing can be written at all.

    `OutputProblem` is a sentence for people; the error of the system that it was raised for is its context.
    """
    return _cause(error).errno in _NO_ROOM


@contextmanager
def one_sentence(out: Path) -> Iterator[None]:
    """Turn what stops a batch into the one thing to say about it."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _stopped(f"the journal in {out} cannot be used: {error}") from None
    except (OutputProblem, OSError) as error:
        if not no_room(error):
            raise
        raise _stopped(f"{out} cannot be written: {_cause(error).strerror}") from None


def _cause(error: BaseException) -> OSError:
    """What the system said; an error without number when it said nothing."""
    cause = error.__context__ if isinstance(error, OutputProblem) else error
    return cause if isinstance(cause, OSError) else OSError()


def _stopped(reason: str) -> OutputProblem:
    advice = "What is done is kept; when that is put right, the same command goes on."
    return OutputProblem(f"The batch has stopped: {reason}. {advice}")
