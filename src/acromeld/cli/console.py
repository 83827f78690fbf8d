# SPDX-License-Identifier: Apache-2.0
"""What commands share when they talk to a person: progress, notes, passwords, summaries."""

from __future__ import annotations

import getpass
import json
import sys
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from acromeld.errors import PasswordNeeded
from acromeld.fields import KINDS, DocumentFields

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")


@contextmanager
def page_progress(label: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal, nothing in a pipe; gives a function for (done, total)."""
    console = plain_console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _done, _total: None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(label, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def plain_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints what it is given: in a file name, ``[draft]`` and ``:smile:`` are no commands."""
    return Console(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)


def wide_console() -> Console:
    """For tables: as wide as the terminal, and wide enough for every column where there is none."""
    console = plain_console()
    return console if console.is_terminal else plain_console(width=150)


def say_notes(notes: Iterable[str]) -> None:
    """Notes go to standard error, each once."""
    for note in dict.fromkeys(notes):
        print(f"note: {note}", file=sys.stderr)


def print_json(data: dict[str, Any]) -> None:
    """One JSON document on standard output."""
    print(json.dumps(data, ensure_ascii=False, indent=1))


def with_password(work: Callable[[str | None], T], given: str | None) -> T:
    """Run ``work`` with the password given, or ask for one when it is needed and somebody is there to ask."""
    try:
        return work(given)
    except PasswordNeeded as error:
        if given is not None or not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        print(f"acromeld: {error}", file=sys.stderr)
        return work(getpass.getpass("Password: "))


def field_counts(fields: DocumentFields) -> dict[str, int]:
    """Fields by kind, in class order."""
    counts = Counter(field.kind for page in fields.pages for field in page.fields)
    return {kind.value: counts[kind] for kind in KINDS}


def in_words(counts: dict[str, int]) -> str:
    """``42 fields (30 text, 10 choice, 2 signature)``."""
    total = sum(counts.values())
    if not total:
        return "no fields"
    parts = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    return f"{total} {'field' if total == 1 else 'fields'} ({parts})"
