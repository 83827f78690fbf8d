# SPDX-License-Identifier: Apache-2.0
"""A batch from folder to report: plan, work, write, journal."""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from acromeld import __version__
from acromeld.batch.copies import copy_outputs
from acromeld.batch.delivery import deliver, intact, occupied, sweep, unchanged
from acromeld.batch.intake import shown
from acromeld.batch.job import Delivered, Finished, Job, Options, Outcome, failure
from acromeld.batch.journal import FORMAT, Entry, Journal
from acromeld.batch.lock import locked
from acromeld.batch.names import JOURNAL, LOCK, stems
from acromeld.batch.report import write_report
from acromeld.batch.scan import Found, check_folders, scan
from acromeld.batch.stopping import no_room, one_sentence
from acromeld.detect.registry import load_detector
from acromeld.errors import AcromeldError, ExitCode, InputNotFound, OutputProblem, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


_WAY_OUT = "move it away and run again with --retry-failed."


class Engine(Protocol):
    """Whoever does the work: the pool or Ray."""

    def run(self, jobs: Iterable[Job]) -> Iterator[Finished]:
        """Outcomes as they come, in any order."""


class Watcher(Protocol):
    """Whoever shows how far the batch is."""

    def looked(self, files: int) -> None:
        """So many files have been found."""

    def planned(self, entries: list[Entry], left: list[Entry]) -> None:
        """All files of the batch, and those that are left to do."""

    def ended(self, entry: Entry, outcome: Outcome) -> None:
        """One file has ended."""


@dataclass(frozen=True)
class Settings:
    """How a batch is run, beside what is done with each document.

    Attributes:
        redo: Do everything again with another configuration than the journal's.
        retry_failed: Try the files again that failed in an earlier run.
    """

    redo: bool = False
    retry_failed: bool = False


@dataclass
class Batch:
    """A planned batch: the journal is open and locked, the work has not begun.

    ``closed`` are folders that cannot be read. They fail anew in every run and have no names for outputs, so
    they are in the report and not in the journal.
    """

    source: Path
    out: Path
    options: Options
    journal: Journal
    files: dict[str, Found]
    watcher: Watcher
    closed: list[Entry] = field(default_factory=list)
    _copies: dict[tuple[str, str], list[Entry]] = field(default_factory=dict)

    def run(self, engine: Engine) -> list[Entry]:
        """Do what is left and write the report; all entries as they stand at the end."""
        left = self._open_entries()
        self.watcher.planned(self.journal.entries(), left)
        leaders = self._share(left)
        by_key = {entry.key: entry for entry in leaders}
        for finished in engine.run(self._job(entry) for entry in leaders):
            self._end(by_key[finished.job.key], finished)
        sweep(self.out)
        entries = [*self.journal.entries(), *self.closed]
        write_report(self.out, entries, self.journal.configuration())
        return entries

    def _open_entries(self) -> list[Entry]:
        """What is left, after the files that cannot be worked on have been told so."""
        left = []
        for entry in self.journal.entries("planned"):
            if problem := self.files[entry.relative].problem:
                self._record(entry, failure(problem, ExitCode.NOT_FOUND))
            elif not entry.ours:
                taken = occupied(self.out, entry.stem, fields_only=self.options.fields_only)
                reason = f"{shown(taken)} exists already and is not from this batch; {_WAY_OUT}"
                self._record(entry, failure(reason, ExitCode.OUTPUT))
            else:
                left.append(entry)
        return left

    def _share(self, left: list[Entry]) -> list[Entry]:
        """One entry for each content and name; the others wait for it or copy one that is done.

        The largest come first: the long documents would otherwise keep one worker busy at the end while the
        rest have nothing to do, and those that need too much memory are heard of early. Equal content comes
        together, which `Remembering` profits from.
        """
        done = {_twin(entry): entry for entry in reversed(self.journal.entries("done"))}
        leaders: dict[tuple[str, str], Entry] = {}
        for entry in left:
            twin = done.get(_twin(entry))
            if twin is not None and unchanged(self.out, twin.stem, twin.digests):
                self._copy(twin, entry)
            elif _twin(entry) in leaders:
                self._copies.setdefault(_twin(entry), []).append(entry)
            else:
                leaders[_twin(entry)] = entry
        return sorted(
            leaders.values(), key=lambda entry: (-entry.size, entry.sha256, os.fsencode(entry.relative))
        )

    def _job(self, entry: Entry) -> Job:
        path = str(self.files[entry.relative].path)
        return Job(entry.key, file_name(entry), path, entry.sha256, entry.stem, self._ours(entry))

    def _ours(self, entry: Entry) -> frozenset[str] | None:
        """Digests of outputs that may be replaced, or none for anything.

        --force is for what lies there when the batch comes: what somebody has made of an output of ours is
        not lost because the batch goes on.
        """
        return None if self.options.force and not entry.digests else frozenset(entry.digests.values())

    def _end(self, entry: Entry, finished: Finished) -> None:
        outcome, delivered = self._put(entry, finished)
        self._record(entry, outcome, delivered, attempts=finished.attempts, seconds=finished.seconds)
        for copy in self._copies.pop(_twin(entry), []):
            if outcome.done:
                self._copy(_with(entry, outcome, delivered), copy)
            else:
                # What stands in the way of the first need not stand in the way of its copies.
                self._record(copy, *self._put(copy, finished))

    def _put(self, entry: Entry, finished: Finished) -> tuple[Outcome, Delivered]:
        """Put outputs in place unless they are; how it ended."""
        if finished.delivered is not None or not finished.outcome.done:
            return finished.outcome, finished.delivered or Delivered()
        try:
            parts = finished.parts
            return finished.outcome, deliver(self.out, entry.stem, entry.sha256, parts, self._ours(entry))
        except (OutputProblem, OSError) as error:
            if no_room(error):
                raise
            return failure(str(error), ExitCode.OUTPUT), Delivered()

    def _copy(self, original: Entry, copy: Entry) -> None:
        """Give a file the outputs of another with the same content and name."""
        outcome = original.outcome or failure(f"{original.stem} has no outcome.")
        try:
            delivered = copy_outputs(self.out, original, copy.stem, self._ours(copy))
        except (AcromeldError, OSError) as error:
            if no_room(error):
                raise
            outcome, delivered = failure(str(error), ExitCode.OUTPUT), Delivered()
        self._record(copy, outcome, delivered)

    def _record(
        self,
        entry: Entry,
        outcome: Outcome,
        delivered: Delivered | None = None,
        *,
        attempts: int = 1,
        seconds: float = 0.0,
    ) -> None:
        self.journal.finish(entry.key, outcome, delivered or Delivered(), attempts=attempts, seconds=seconds)
        self.watcher.ended(entry, outcome)


def run_batch(
    source: Path, out: Path, options: Options, settings: Settings, engine: Engine, watcher: Watcher
) -> list[Entry]:
    """Do a batch, or what is left of it; how every file stands at the end."""
    here, there = check_folders(source, out)
    configuration = configured(options)
    with one_sentence(out):
        there.mkdir(parents=True, exist_ok=True)
        with locked(there / LOCK), closing(Journal(there / JOURNAL)) as journal:
            _begin(journal, configuration, redo=settings.redo)
            found = scan(here, there, watcher.looked)
            if not found:
                raise InputNotFound(f"There is no PDF in {source}.")
            files = {file.relative: file for file in found if not file.folder}
            _plan(journal, there, files, options)
            _reopen(journal, there, retry_failed=settings.retry_failed)
            closed = [_closed(file) for file in found if file.folder]
            return Batch(here, there, options, journal, files, watcher, closed).run(engine)


def configured(options: Options) -> dict[str, Any]:
    """Everything that decides about the outputs: version, detector, weights, thresholds, options."""
    detector = load_detector(options.detector)
    return {
        "format": FORMAT,
        "version": __version__,
        "weights": detector.ref.weights or "none",
        "operating_point": detector.operating_point.model_dump(mode="json"),
        **options.identity(),
    }


def _begin(journal: Journal, configuration: dict[str, Any], *, redo: bool) -> None:
    known = journal.configuration()
    other = sorted(key for key in configuration if known.get(key) != configuration[key])
    if known and other and not redo:
        raise Refused(
            f"The outputs here were made with another configuration ({', '.join(other)}); "
            "choose another folder, or do everything again with --redo."
        )
    if not known or other or redo:
        journal.begin(configuration, afresh=bool(known))


def _plan(journal: Journal, out: Path, files: dict[str, Found], options: Options) -> None:
    names = stems(list(files), journal.stems())
    unknown = set() if options.force else set(files) - journal.owned()
    blocked = {
        relative for relative in unknown if occupied(out, names[relative], fields_only=options.fields_only)
    }
    journal.plan(files.values(), names, blocked)


def _reopen(journal: Journal, out: Path, *, retry_failed: bool) -> None:
    lost = [entry.key for entry in journal.entries("done") if not intact(out, entry.stem, entry.sizes)]
    failed = [entry.key for entry in journal.entries("failed")] if retry_failed else []
    journal.reopen([*lost, *failed])


def _closed(folder: Found) -> Entry:
    """What is said of a folder that cannot be read."""
    outcome = failure(folder.problem, ExitCode.NOT_FOUND)
    return Entry(0, folder.relative, "", "", 0, False, "failed", outcome, {}, {})


def file_name(entry: Entry) -> str:
    """The name of the input file as text."""
    return shown(entry.relative.rpartition("/")[2])


def _twin(entry: Entry) -> tuple[str, str]:
    """Files that agree in this have the same outputs."""
    return entry.sha256, file_name(entry)


def _with(entry: Entry, outcome: Outcome, delivered: Delivered) -> Entry:
    return Entry(
        entry.key,
        entry.relative,
        entry.stem,
        entry.sha256,
        entry.size,
        entry.ours,
        "done",
        outcome,
        delivered.digests,
        delivered.sizes,
    )
