# SPDX-License-Identifier: Apache-2.0
"""One exception per failure a user can meet, each with its exit code and a sentence for humans.

Commands print ``str(error)`` and exit with ``error.exit_code``; nobody sees a traceback for a bad file.
The codes are stable and documented in ``docs/commands.md``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar


class ExitCode(IntEnum):
    """What a command tells the shell."""

    OK = 0
    FAILURE = 1
    USAGE = 2
    NOT_FOUND = 3
    NOT_A_PDF = 4
    PASSWORD = 5
    LIMIT = 6
    REFUSED = 7
    FIELDS = 8
    OUTPUT = 9
    INTEGRITY = 10
    PARTIAL = 11


class AcromeldError(Exception):
    """Base of every failure that is told to the user; ``str(error)`` is the whole message."""

    exit_code: ClassVar[ExitCode] = ExitCode.FAILURE


class BadUsage(AcromeldError, ValueError):
    """An option has a value that means nothing, or options do not go together."""

    exit_code = ExitCode.USAGE


class InputNotFound(AcromeldError):
    """The file, folder or record named by the user is not there or cannot be read."""

    exit_code = ExitCode.NOT_FOUND


class NotAPdf(AcromeldError):
    """The file is not a PDF, or so damaged that neither engine can open it."""

    exit_code = ExitCode.NOT_A_PDF


class PasswordNeeded(AcromeldError):
    """The file asks for a password and none, or a wrong one, was given."""

    exit_code = ExitCode.PASSWORD


class LimitExceeded(AcromeldError):
    """A configured limit (file size, pages, memory, time) stops the work."""

    exit_code = ExitCode.LIMIT


class Refused(AcromeldError):
    """The file could be processed, but doing so would damage it (signed, usage rights, dynamic XFA)."""

    exit_code = ExitCode.REFUSED


class BadFields(AcromeldError):
    """The fields file is malformed, of an unknown version, or belongs to another document."""

    exit_code = ExitCode.FIELDS


class OutputProblem(AcromeldError):
    """The output cannot be written, or something is already there."""

    exit_code = ExitCode.OUTPUT


class IntegrityError(AcromeldError):
    """A digest does not match: a sealed record, index or model file was changed."""

    exit_code = ExitCode.INTEGRITY
