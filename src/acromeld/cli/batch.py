# SPDX-License-Identifier: Apache-2.0
"""``acromeld batch``: a folder of flat PDFs in, a folder of fillable ones out."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter, validators
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

from acromeld.batch.job import Options
from acromeld.batch.names import REPORT
from acromeld.batch.pool import Pool
from acromeld.batch.run import Settings, run_batch
from acromeld.batch.sizing import worker_count
from acromeld.cli.console import plain_console, print_json
from acromeld.detect.registry import DEFAULT
from acromeld.errors import ExitCode
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from acromeld.batch.job import Job, Outcome
    from acromeld.batch.journal import Entry
    from acromeld.batch.run import Engine

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Seconds = Annotated[float, Parameter(validator=validators.Number(gt=0))]
Flag = Annotated[bool, Parameter(negative="")]


def batch(
    source: Annotated[Path, Parameter(name="IN")],
    out: Annotated[Path, Parameter(name="OUT")],
    /,
    *,
    engine: Literal["pool", "ray"] = "pool",
    workers: Count | None = None,
    fields_only: Flag = False,
    detector: str = DEFAULT,
    existing: Existing = Existing.KEEP,
    force: Flag = False,
    ocr: Ocr = Ocr.AUTO,
    signatures: Signatures = Signatures.AUTO,
    redo: Flag = False,
    retry_failed: Flag = False,
    file_seconds: Seconds = Options.file_seconds,
    memory_mb: Count = Options.memory_mb,
    ray_address: str | None = None,
    ray_data: Literal["shared", "store"] = "shared",
    json: Flag = False,
) -> int:
    """Make every PDF below a folder fillable; run again, it goes on where it was stopped.

    Args:
        source: Folder with the originals, searched with all folders below it. They are never changed.
        out: Folder for the outputs, in the same tree, with a journal and a report.
        engine: Processes on this machine, or a Ray cluster.
        workers: Processes at a time; default is what cores and memory allow.
        fields_only: Write fields.json and no PDF.
        detector: Which detector finds the fields.
        existing: Fields that are there already: keep them, or replace them by what is found.
        force: Replace files in the way of outputs not written yet; write signed files, or with usage rights.
        ocr: Read the words of scans for labels, where an OCR engine is installed.
        signatures: Places to sign: as found, all signature fields, all text fields, or left for a pen.
        redo: Do everything again, with a configuration that may differ from the journal's.
        retry_failed: Try files again that failed in an earlier run.
        file_seconds: Time one file may take.
        memory_mb: Address space one worker may use.
        ray_address: Cluster to join; default is the one RAY_ADDRESS names, or a new local one.
        ray_data: Whether all nodes see both folders, or files travel through Ray's object store.
        json: Print the outcome as JSON.
    """
    options = Options(
        detector,
        fields_only,
        existing.value,
        force,
        ocr.value,
        signatures.value,
        file_seconds=file_seconds,
        memory_mb=memory_mb,
    )
    began = time.monotonic()
    with _Board.shown(quiet=json) as board:
        settings = Settings(redo=redo, retry_failed=retry_failed)
        with _engine(engine, options, workers, board, out, ray_address, ray_data) as chosen:
            entries = run_batch(source, out, options, settings, chosen, board)
    return _report(entries, board, out, time.monotonic() - began, json=json)


@contextmanager
def _engine(
    name: str,
    options: Options,
    workers: int | None,
    board: _Board,
    out: Path,
    address: str | None,
    data: Literal["shared", "store"],
) -> Iterator[Engine]:
    if name == "pool":
        with Pool(options, workers or worker_count(), on_page=board.page) as pool:
            yield pool
        return
    from acromeld.batch.ray_engine import RayEngine

    with RayEngine(
        options, out=out, workers=workers, address=address, data=data, on_page=board.page
    ) as cluster:
        yield cluster


def _report(entries: list[Entry], board: _Board, out: Path, seconds: float, *, json: bool) -> int:
    states = Counter(entry.state for entry in entries)
    failed = [entry for entry in entries if entry.state == "failed"]
    if json:
        print_json(
            {
                "files": len(entries),
                "done": states["done"],
                "failed": states["failed"],
                "now": {"files": board.files, "pages": board.pages, "seconds": round(seconds, 1)},
                "report": str(out / REPORT / "summary.html"),
            }
        )
    else:
        for entry in failed[:20]:
            print(f"acromeld: {entry.outcome.reason if entry.outcome else ''}", file=sys.stderr)
        if len(failed) > 20:
            print(f"acromeld: and {len(failed) - 20} more; the report has them all.", file=sys.stderr)
        print(
            f"{out}: {states['done']:,} of {len(entries):,} files done, {states['failed']:,} failed; "
            f"{board.files:,} in this run. Report: {out / REPORT / 'summary.html'}"
        )
    return ExitCode.PARTIAL if failed else ExitCode.OK


_START = 200_000
"""What every document costs beside its size, in bytes of size, for the time that is left."""


class _Board:
    """Live progress on a terminal: files, pages a second, failures, time left."""

    def __init__(self, progress: Progress | None) -> None:
        self.files = self.pages = self.failed = 0
        self._progress = progress
        self._task: TaskID | None = None
        self._began = time.monotonic()
        self._all = self._before = 0

    @classmethod
    @contextmanager
    def shown(cls, *, quiet: bool) -> Iterator[_Board]:
        """A board, drawn only where somebody sees it."""
        console = plain_console(stderr=True)
        if quiet or not console.is_terminal:
            yield cls(None)
            return
        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(compact=True))
        with Progress(*columns, console=console, transient=True) as progress:
            yield cls(progress)

    def looked(self, files: int) -> None:
        """So many files have been found."""
        if self._progress is not None:
            if self._task is None:
                self._task = self._progress.add_task("", total=None)
            self._progress.update(self._task, description=f"{files:,} files found")

    def planned(self, entries: list[Entry], left: list[Entry]) -> None:
        """The work begins."""
        self._began = time.monotonic()
        self._all, self._before = len(entries), len(entries) - len(left) - self.files
        if self._progress is not None and self._task is not None:
            total = sum(entry.size + _START for entry in left)
            self._progress.reset(self._task, total=total, description="Starting")

    def page(self, _job: Job, _done: int, _total: int) -> None:
        """A page has been worked on."""
        self.pages += 1
        self._draw(0)

    def ended(self, entry: Entry, outcome: Outcome) -> None:
        """A file has ended."""
        self.files += 1
        self.failed += not outcome.done
        self._draw(entry.size + _START)

    def _draw(self, advance: int) -> None:
        if self._progress is None or self._task is None or not self._all:
            return
        rate = self.pages / max(time.monotonic() - self._began, 1e-9)
        failed = f", {self.failed:,} failed" if self.failed else ""
        said = f"{self._before + self.files:,}/{self._all:,} files, {rate:.1f} pages/s{failed}"
        self._progress.update(self._task, advance=advance, description=said)
