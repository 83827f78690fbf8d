# SPDX-License-Identifier: Apache-2.0
"""One form under review: opened, detected or resumed, saved at every change, written in the end.

The fields file beside the original is the document of record and is written whole at every save. The memory
(`acromeld.review.memory`) is written in the same transaction; it counts the revisions, so that a window that
does not know the latest state is told instead of overwriting it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from acromeld.errors import AcromeldError, BadFields, InputNotFound
from acromeld.fields import DocumentFields, parse_document
from acromeld.form.output import write_atomically
from acromeld.pdf.source import load_source
from acromeld.recovery import apply
from acromeld.review.finding import find_fields
from acromeld.review.memory import Memory, Remembered, Status, forget_pages, put_form, revision_of
from acromeld.review.merging import merge
from acromeld.review.places import fields_path, fillable_path, free_fillable_path
from acromeld.review.state import ReviewField, ReviewPage, Thresholds, form_pages, with_page

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from acromeld.detect.candidates import Detector
    from acromeld.form.writer import WrittenForm
    from acromeld.pdf.document import DocumentFacts
    from acromeld.pdf.source import Source
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


@dataclass(frozen=True)
class State:
    """The form at one revision. ``head`` is the fields file without its pages."""

    revision: int
    thresholds: Thresholds
    pages: dict[int, ReviewPage]
    head: DocumentFields
    notes: tuple[str, ...] = ()

    def fields(self) -> DocumentFields:
        """What is in the form now, as a fields file."""
        return self.head.model_copy(update={"pages": form_pages(self.pages.values(), self.thresholds)})


class Change(BaseModel):
    """What a window wants to save: the pages it changed, based on the revision it knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: int
    pages: dict[int, tuple[ReviewField, ...]] = {}
    thresholds: Thresholds | None = None
    take_over: bool = False


class Stale(AcromeldError):
    """A window tried to save over changes it has not seen."""

    def __init__(self, revision: int) -> None:
        super().__init__("The form was changed in another window or by another program.")
        self.revision = revision


class Occupied(AcromeldError):
    """There is a file under the name of the fillable PDF that this review did not write."""


class ReviewForm:
    """A PDF and everything that is decided about it; safe to use from several threads."""

    def __init__(self, pdf: Path, reader: PageReader, *, password: str | None = None) -> None:
        self.pdf = pdf
        self.opening = Opening()
        self._password = password
        self._reader = reader
        self._memory = Memory(pdf.parent)
        self._lock = RLock()
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
        self._file()

    def start(self, detector: Callable[[], Detector]) -> None:
        """Resume the last review or find the fields; failures are kept for the page to show."""
        try:
            if self._source is None:
                self.read()
            file = self._file()
            state = self._found(detector()) if file is None else self._resumed(*file)
        except AcromeldError as error:
            self.opening = Opening(Stage.FAILED, message=str(error))
            self._memory.set_status(self.pdf.name, Status.FAILED, str(error))
        else:
            self._state = state
            self.opening = replace(self.opening, stage=Stage.READY)

    def state(self) -> State:
        """The latest revision, also if another program made it."""
        with self._lock:
            with self._memory.transaction() as write:
                revision = revision_of(write, self.pdf.name)
            return self._current(revision)

    def save(self, change: Change) -> State:
        """Write a change to the fields file and the memory, or raise `Stale`."""
        with self._lock, self._memory.transaction() as write:
            revision = revision_of(write, self.pdf.name)
            if not change.take_over and (revision != change.base or self._edited_outside(write)):
                raise Stale(revision)
            before = self._known()
            changed = {
                index: before.pages[index].model_copy(update={"fields": fields})
                for index, fields in change.pages.items()
                if index in before.pages
            }
            after = replace(
                before,
                revision=revision + 1,
                thresholds=change.thresholds or before.thresholds,
                pages=with_page(before.pages, changed),
            )
            self._keep(write, after, changed)
            self._state = after
            return after

    def status(self) -> Status:
        """How far the form has got."""
        remembered = self._memory.form(self.pdf.name)
        return remembered.status if remembered else Status.NEW

    def set_status(self, status: Status) -> None:
        """Say how far the form has got."""
        self._memory.set_status(self.pdf.name, status)

    def written(self) -> WrittenForm:
        """The fillable PDF as it would be saved now."""
        return apply(self.source, self.state().fields())

    def save_fillable(self, *, overwrite: bool = False, another: bool = False) -> tuple[Path, WrittenForm]:
        """Write the fillable PDF beside the original.

        An earlier result of this review is replaced. Any other file in its place is left alone and `Occupied`
        raised, unless the person said to replace it or to choose ``another`` name.
        """
        target = free_fillable_path(self.pdf) if another else fillable_path(self.pdf)
        replace_it = overwrite or self._is_ours(target)
        if target.exists() and not replace_it:
            raise Occupied(f"{target.name} exists already and was not written by this review.")
        form = self.written()
        write_atomically(form.data, target, overwrite=replace_it)
        if not another:
            self._memory.set_saved(self.pdf.name, _digest(form.data))
        return target, form

    def _is_ours(self, target: Path) -> bool:
        remembered = self._memory.form(self.pdf.name)
        if remembered is None or remembered.saved_digest is None or not target.is_file():
            return False
        return _digest(target.read_bytes()) == remembered.saved_digest

    def _file(self) -> tuple[DocumentFields, str] | None:
        """The fields file and its digest, if there is one; one that is not for this PDF stops the review."""
        path = fields_path(self.pdf)
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
        file = parse_document(data, path.name)
        if file.document.sha256 != self.source.sha256:
            raise BadFields(
                f"{path.name} was made for another version of {self.pdf.name}; move it away to start anew."
            )
        return file, _digest(data)

    def _found(self, detector: Detector) -> State:
        self.opening = Opening(Stage.DETECTING, 0, len(self.facts))
        found = find_fields(self.source, detector, self._progress)
        with self._lock, self._memory.transaction() as write:
            state = State(
                revision_of(write, self.pdf.name) + 1,
                Thresholds.of(found.fields.operating_point),
                found.pages,
                found.fields.model_copy(update={"pages": ()}),
                found.notes,
            )
            forget_pages(write, self.pdf.name)
            self._keep(write, state, state.pages, first=True)
        return state

    def _progress(self, done: int, total: int) -> None:
        self.opening = Opening(Stage.DETECTING, done, total)

    def _resumed(self, file: DocumentFields, digest: str) -> State:
        remembered = self._memory.form(self.pdf.name)
        known = remembered is not None and remembered.sha256 == self.source.sha256
        pages = self._memory.pages(self.pdf.name) if known else {}
        head = file.model_copy(update={"pages": ()})
        thresholds = remembered.thresholds if remembered and known else Thresholds.of(file.operating_point)
        if remembered and known and remembered.fields_digest == digest and len(pages) == len(self.facts):
            return State(remembered.revision, thresholds, pages, head, self.facts.notes)
        merged = merge(self.facts.frames, file, pages, thresholds)
        with self._lock, self._memory.transaction() as write:
            revision = revision_of(write, self.pdf.name) + 1
            state = State(revision, thresholds, merged, head, self.facts.notes)
            forget_pages(write, self.pdf.name)
            self._keep(write, state, merged, digest=digest)
        return state

    def _current(self, revision: int) -> State:
        """The state at a revision of the memory: ours, or read again if somebody else has saved since."""
        file = None if self._known().revision == revision else self._file()
        if file is not None:
            self._state = self._resumed(*file)
        return self._known()

    def _known(self) -> State:
        if self._state is None:
            raise InputNotFound(f"The fields of {self.pdf.name} are not known yet.")
        return self._state

    def _edited_outside(self, write: sqlite3.Connection) -> bool:
        """Whether the fields file is not the one we wrote; a missing one may be written again."""
        row = write.execute("select fields_digest from form where name = ?", (self.pdf.name,)).fetchone()
        try:
            return row is not None and _digest(fields_path(self.pdf).read_bytes()) != row[0]
        except OSError:
            return False

    def _keep(
        self,
        write: sqlite3.Connection,
        state: State,
        changed: Mapping[int, ReviewPage],
        *,
        digest: str | None = None,
        first: bool = False,
    ) -> None:
        """Write the fields file, unless it is as read (``digest`` given), then the memory.

        In this order: after a crash between the two, the fields file is newer, and it is the one believed.
        """
        fields = state.fields()
        if digest is None:
            data = fields.to_json().encode()
            write_atomically(data, fields_path(self.pdf), overwrite=not first)
            digest = _digest(data)
        kept = Remembered(
            self.source.sha256, Status.REVIEW, state.revision, state.thresholds, digest, saved_digest=None
        )
        put_form(write, self.pdf.name, kept, changed, sum(len(page.fields) for page in fields.pages))


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
