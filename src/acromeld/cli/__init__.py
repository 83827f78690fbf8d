# SPDX-License-Identifier: Apache-2.0
"""The command line: one small module per command, loaded when its command is run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError

from acromeld import __version__
from acromeld.errors import AcromeldError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="acromeld",
    version=__version__,
    help="Finds the missing fields of a flat PDF and gives it back as a real, fillable form.",
)

for _name in ("recover", "detect", "apply", "inspect", "schema"):
    app.command(f"acromeld.cli.{_name}:{_name}", name=_name)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; failures are one sentence on standard error."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    try:
        code = app(arguments, exit_on_error=False, result_action="return_value")
    except CycloptsError:
        return ExitCode.USAGE
    except AcromeldError as error:
        print(f"acromeld: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("acromeld: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (``acromeld detect … | head``); that is not a failure.
        sys.stderr.close()
        return ExitCode.OK
    return code if isinstance(code, int) else ExitCode.OK
