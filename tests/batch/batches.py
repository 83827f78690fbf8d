# SPDX-License-Identifier: Apache-2.0
"""Folders of small forms, and batches over them."""

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

from acromeld.batch.job import Finished, Options, Outcome, failure
from acromeld.batch.journal import Entry
from acromeld.batch.names import JOURNAL, LOCK
from acromeld.batch.pool import Pool
from acromeld.batch.run import Settings, run_batch
from acromeld.errors import ExitCode
from tests.form.samples import flat
from tests.pdf import hostile

RULES = Options(detector="rules")
NASTY = (sys.executable, "-m", "tests.batch.nasty_worker")
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Quiet:
    """A watcher that remembers."""

    left: list[str] = field(default_factory=list)
    ended_: list[str] = field(default_factory=list)

    def looked(self, files: int) -> None:
        self.found = files

    def planned(self, entries: list[Entry], left: list[Entry]) -> None:
        self.left = [entry.relative for entry in left]

    def ended(self, entry: Entry, outcome: object) -> None:
        self.ended_.append(entry.relative)


class Counting:
    """An engine that remembers which jobs it was given, in order."""

    def __init__(self, engine) -> None:
        self.engine = engine
        self.jobs: list[str] = []

    def run(self, jobs):
        def noted():
            for job in jobs:
                self.jobs.append(job.name)
                yield job

        return self.engine.run(noted())


class Instant:
    """An engine without workers: outputs made of the bytes of the original, a failure for what is no PDF."""

    def __init__(self) -> None:
        self.jobs: list[str] = []

    def run(self, jobs):
        for job in jobs:
            self.jobs.append(job.name)
            data = Path(job.path).read_bytes()
            if data.startswith(b"%PDF"):
                yield Finished(job, Outcome(code=0, pages=1), {"pdf": data + b"+", "fields": b"{" + data})
            else:
                yield Finished(job, failure("no PDF", ExitCode.NOT_A_PDF))


@dataclass(frozen=True)
class Ran:
    """How a batch ended."""

    entries: dict[str, Entry]
    jobs: list[str]

    def reason(self, relative: str) -> str:
        outcome = self.entries[relative].outcome
        assert outcome is not None
        return outcome.reason

    def states(self) -> dict[str, str]:
        return {relative: entry.state for relative, entry in self.entries.items()}


def batch(
    source: Path, out: Path, options: Options = RULES, *, workers: int = 1, command=None, **settings
) -> Ran:
    """A batch in this process with real workers."""
    pool = Pool(options, workers, *([command] if command else []))
    with pool:
        engine = Counting(pool)
        entries = run_batch(source, out, options, Settings(**settings), engine, Quiet())
    return Ran({entry.relative: entry for entry in entries}, engine.jobs)


def instant(source: Path, out: Path, options: Options = RULES, **settings) -> Ran:
    """A batch for questions about plan, journal and outputs, in no time."""
    engine = Instant()
    entries = run_batch(source, out, options, Settings(**settings), engine, Quiet())
    return Ran({entry.relative: entry for entry in entries}, engine.jobs)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file of an output folder but the journal, which knows times."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    own = {JOURNAL, f"{JOURNAL}-wal", f"{JOURNAL}-shm", LOCK}
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files if path.name not in own}


def fill(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def forms() -> dict[str, bytes]:
    """A small tree with a copy, a bad file and documents of different sizes."""
    return {
        "a.pdf": flat(pages=1),
        "sub/b.pdf": hostile.numbered("b", 3),
        "sub/deep/c.PDF": flat(pages=2),
        "copy of a.pdf": flat(pages=1),
        "sub/a.pdf": flat(pages=1),
        "not.pdf": b"Dear Sir or Madam,\n",
    }


def summary(out: Path) -> dict:
    return json.loads((out / "batch-report" / "summary.json").read_text("utf-8"))
