# SPDX-License-Identifier: Apache-2.0
"""The command line: one small module per command, loaded when its command is run."""

from __future__ import annotations

import io
import logging
import os
import sys
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Group, UnknownCommandError, UnusedCliTokensError

from acromeld import __version__
from acromeld.errors import AcromeldError, ExitCode

if TYPE_CHECKING:
    from collections.abc import Sequence

app = App(
    name="acromeld",
    version=__version__,
    suppress_keyboard_interrupt=False,
    help="Finds the missing fields of a flat PDF and gives it back as a real, fillable form.",
)

_GROUP = Group("Workshop", sort_key=1)

_COMMANDS = {
    "recover": "Find the missing fields of a PDF and write a fillable copy.",
    "detect": "Find fields and write them as JSON, one line per page.",
    "apply": "Write the fields of a fields file into a copy of the PDF.",
    "review": "Check and correct the fields of a form, or of a folder of forms, in the browser.",
    "serve": "Answer to HTTP requests: detect, apply and recover for other programs.",
    "batch": "Make every PDF below a folder fillable; resumable.",
    "inspect": "Show what is in a PDF, and what would stop us from writing.",
    "schema": "Print the JSON Schema of the fields file.",
}
for _name, _help in _COMMANDS.items():
    app.command(f"acromeld.cli.{_name}:{_name}", name=_name, help=_help)

# Corpora, evaluation, provenance: these need the workshop extra, the commands above do not.
_WORKSHOP = {
    "corpus:app": "Build, seal, show and verify the index of a corpus.",
    "synth:synth": "Make synthetic forms with native widgets.",
    "predict:predict": "Run a detector over a role and keep every candidate.",
    "calibrate:calibrate": "Choose the operating point of a detector.",
    "freeze:freeze": "Bind weights and operating point into a candidate.",
    "evaluate:evaluate": "Score predictions of any system.",
    "interventions:interventions": "What a trained model loses when one part is taken away.",
    "gate:app": "The one external evaluation of a candidate.",
    "model:app": "The network of the paper and its contracts.",
    "train:app": "Make the weights of a detector.",
    "report:report": "Tables and figures from sealed records.",
    "peers:app": "Other people's detectors, for comparison.",
}
for _place, _help in _WORKSHOP.items():
    app.command(f"acromeld.cli.{_place}", name=_place.partition(":")[0], help=_help, group=_GROUP)


_EXTRAS = {"torch": "train", "ray": "ray"}
"""Extras that bring a library the workshop does not."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; failures are one sentence on standard error."""
    # qpdf's warnings would otherwise land on standard error; what matters of them comes as our own notes.
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    if isinstance(sys.stdout, io.TextIOWrapper) and not sys.stdout.isatty():
        # What programs read is UTF-8 whatever the locale, and file names come out as they are.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code."""
    try:
        code = app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except UnknownCommandError as error:
        # Its own text would load every command to list them, with libraries that need not be installed.
        name = next(iter(error.unused_tokens or ()), "")
        print(f'acromeld: There is no command "{name}"; acromeld --help lists them.', file=sys.stderr)
        return ExitCode.USAGE
    except UnusedCliTokensError as error:
        extra = ", ".join(f'"{token}"' for token in error.unused_tokens or ())
        print(f"acromeld: There is no place for {extra} in this command; --help shows it.", file=sys.stderr)
        return ExitCode.USAGE
    except CycloptsError as error:
        print(f"acromeld: {' '.join(str(error).split())}", file=sys.stderr)
        return ExitCode.USAGE
    except AcromeldError as error:
        print(f"acromeld: {error}", file=sys.stderr)
        return error.exit_code
    except ImportError as error:
        library = (error.name or "").partition(".")[0]
        if library in ("", "acromeld"):
            raise
        extra = _EXTRAS.get(library, "workshop")
        sentence = f"This command needs {library}, which is not installed: pip install acromeld[{extra}]."
        print(f"acromeld: {sentence}", file=sys.stderr)
        return ExitCode.FAILURE
    except MemoryError:
        print("acromeld: There is not enough memory to go on.", file=sys.stderr)
        return ExitCode.LIMIT
    except KeyboardInterrupt:
        print("acromeld: stopped.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (``acromeld detect … | head``); that is not a failure. What is
        # still in the buffer has to go somewhere, or the interpreter complains when it closes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except OSError as error:
        # Full disks and folders without permission can be met anywhere.
        where = f": {error.filename}" if error.filename else ""
        print(f"acromeld: {error.strerror or error}{where}.", file=sys.stderr)
        return ExitCode.OUTPUT
    return code if isinstance(code, int) else ExitCode.OK
