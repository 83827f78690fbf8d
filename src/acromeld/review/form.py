# SPDX-License-Identifier: Apache-2.0
"""One form under review: opened, detected or resumed, saved at every change.

The fields file beside the original is the document of record and is written whole at every save. The memory
(`acromeld.review.memory`) is written in the same transaction; it counts the revisions, so that a window that
does not know the latest state is told instead of overwriting it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from threading import Event, RLock
from typing import TYPE_CHECKING

from acromeld.errors import AcromeldError, InputNotFound
from acromeld.form.describe.signing import Signatures
from acromeld.pdf.source import load_source
from acromeld.review.fields_file import FieldsFile, digest_on_disk, read_fields_file, write_fields_file
from acromeld.review.finding import find_fields
from acromeld.review.memory import Memory, Remembered, Status, forget_pages, kept_facts, put_form
from acromeld.review.merging import merge
from acromeld.review.revision import Change, Stale, State
from acromeld.review.state import ReviewPage, Thresholds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from acromeld.detect.candidates import Detector
    from acromeld.pdf.document import DocumentFacts
    from acromeld.pdf.source import Source
    from acromeld.review.memory import KeptFacts
    from acromeld.review.reader import PageReader


class Stage(StrEnum):
    """How far opening has got."""

    OPENING = "opening"
    DETECTING = "detecting"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class Opening:
    """Progress of opening, for the page to show; ``message`` says why it failed."""

    stage: Stage = Stage.OPENING
    done: int = 0
    total: int = 0
    message: str | None = None


class _Stopped(Exception):
    """The program ends while a form is being opened."""


class ReviewForm:
    """A PDF and everything that is decided about it; safe to use from several threads."""

    def __init__(
        self,
        pdf: Path,
        reader: PageReader,
        *,
        signatures: Signatures = Signatures.AUTO,
        password: str | None = None,
    ) -> None:
        self.pdf = pdf
        self._signatures = signatures
        self.memory = Memory(pdf.parent)
        self.opening = Opening()
        self._password = password
        self._reader = reader
        self._lock = RLock()
        self._stopped = Event()
        self._source: Source | None = None
        self._facts: DocumentFacts | None = None
        self._state: State | None = None

    @property
    def source(self) -> Source:
        """The original, read once."""
        if self._source is None:
            raise InputNotFound(f"{self.pdf.name} is not open.")
        return self._source

    @property
    def facts(self) -> DocumentFacts:
        """Page frames and notes of the original; known before its fields are."""
        if self._facts is None:
            raise InputNotFound(f"{self.pdf.name} is not open.")
        return self._facts

    def read(self) -> None:
        """Read the original and hold it against its fields file; raises what is wrong with either."""
        source = load_source(self.pdf, password=self._password)
        self._facts = self._reader.facts(source)
        self._source = source
        read_fields_file(self.pdf, source)

    def start(self, detector: Callable[[], Detector]) -> None:
        """Resume the last review or find the fields; failures are kept for the page to show."""
        try:
            self.read()
            file = read_fields_file(self.pdf, self.source)
            self._state = self._found(detector()) if file is None else self._resumed(file)
        except _Stopped:
            return
        except AcromeldError as error:
            self._fail(str(error))
        except Exception as error:
            # Nobody waits for this thread: what is not told to the page is told to nobody.
            self._fail(f"Opening {self.pdf.name} failed unexpectedly: {type(error).__name__}: {error}.")
        else:
            self.opening = replace(self.opening, stage=Stage.READY)

    def _fail(self, sentence: str) -> None:
        self.opening = Opening(Stage.FAILED, message=sentence)
        self.memory.set_status(self.pdf.name, Status.FAILED, sentence)

    def state(self) -> State:
        """The latest revision, also if another program made it or somebody edited the fields file.

        An edit raises no revision until it is read here; a window that is told `Stale` because of it could
        otherwise load what it has already, and never anything else. The same is true of a fields file whose
        memory could not be written.
        """
        with self._lock:
            with self.memory.transaction() as write:
                kept = kept_facts(write, self.pdf.name)
            known = self._known().revision == kept.revision and not self._edited(kept)
            file = None if known else read_fields_file(self.pdf, self.source)
            if file is not None:
                self._state = self._resumed(file)
            return self._known()

    def _edited(self, kept: KeptFacts) -> bool:
        """Whether the fields file is somebody's work unknown to the memory; one that is gone is none."""
        return digest_on_disk(self.pdf) not in (None, kept.fields_digest)

    def save(self, change: Change) -> State:
        """Write a change to the fields file and the memory, or raise `Stale`."""
        with self._lock:
            with self.memory.transaction() as write:
                kept = kept_facts(write, self.pdf.name)
                if not change.take_over and (kept.revision != change.base or self._edited(kept)):
                    raise Stale(kept.revision)
                after, changed = self._known().after(change, kept.revision + 1)
                digest = write_fields_file(self.pdf, after.fields(), overwrite=True)
                self._keep(write, after, changed, digest, Status.REVIEW)
            # Only now: a memory that cannot be written must not leave us ahead of it.
            self._state = after
            return after

    def status(self) -> Status:
        """How far the form has got."""
        with self.memory.transaction() as write:
            return kept_facts(write, self.pdf.name).status

    def begin(self) -> Status:
        """Somebody looks at the form: what was prepared for him, or failed before, is now in review."""
        status = self.status()
        if status in (Status.NEW, Status.FAILED):
            self.memory.set_status(self.pdf.name, Status.REVIEW)
            return Status.REVIEW
        return status

    def _found(self, detector: Detector) -> State:
        self.opening = Opening(Stage.DETECTING, 0, len(self.facts))
        found = find_fields(self.source, detector, self._progress, signatures=self._signatures)
        head = found.fields.model_copy(update={"pages": ()})
        with self._lock, self.memory.transaction() as write:
            revision = kept_facts(write, self.pdf.name).revision + 1
            thresholds = Thresholds.of(found.fields.operating_point)
            state = State(revision, thresholds, found.pages, head, found.notes)
            digest = write_fields_file(self.pdf, state.fields(), overwrite=False)
            forget_pages(write, self.pdf.name)
            self._keep(write, state, state.pages, digest, Status.NEW)
        return state

    def stop(self) -> None:
        """Give up opening at the next page; nothing is written."""
        self._stopped.set()

    def _progress(self, done: int, total: int) -> None:
        if self._stopped.is_set():
            raise _Stopped
        self.opening = Opening(Stage.DETECTING, done, total)

    def _resumed(self, file: FieldsFile) -> State:
        """The form as it was left, or as somebody has changed its fields file since."""
        remembered = self.memory.form(self.pdf.name)
        if remembered is not None and remembered.sha256 != self.source.sha256:
            remembered = None
        pages = self.memory.pages(self.pdf.name) if remembered else {}
        head = file.fields.model_copy(update={"pages": ()})
        thresholds = remembered.thresholds if remembered else Thresholds.of(head.operating_point)
        if remembered and remembered.fields_digest == file.digest and len(pages) == len(self.facts):
            return State(remembered.revision, thresholds, pages, head, self.facts.notes)
        merged = merge(self.facts.frames, file.fields, pages, thresholds)
        with self._lock, self.memory.transaction() as write:
            kept = kept_facts(write, self.pdf.name)
            state = State(kept.revision + 1, thresholds, merged, head, self.facts.notes)
            forget_pages(write, self.pdf.name)
            self._keep(write, state, merged, file.digest, kept.status)
        return state

    def _known(self) -> State:
        if self._state is None:
            raise InputNotFound(f"The fields of {self.pdf.name} are not known yet.")
        return self._state

    def _keep(
        self,
        write: sqlite3.Connection,
        state: State,
        changed: Mapping[int, ReviewPage],
        digest: str,
        status: Status,
    ) -> None:
        """Write the memory, after the fields file: should we crash between the two, the file is believed."""
        kept = Remembered(self.source.sha256, status, state.revision, state.thresholds, digest)
        put_form(write, self.pdf.name, kept, changed, state.count())
