# SPDX-License-Identifier: Apache-2.0
"""The desk: the files to be reviewed, and the few of them that are open."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

from acromeld.detect.registry import detector_names, load_detector
from acromeld.errors import InputNotFound
from acromeld.form.describe.signing import Signatures
from acromeld.review.form import Opening, ReviewForm, Stage
from acromeld.review.memory import Line, Memory, Status
from acromeld.review.places import is_result
from acromeld.review.reader import PageReader

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.detect.candidates import Detector

_OPEN_FORMS = 6
"""Forms kept in memory; the others are read again when somebody comes back to them."""


@dataclass(frozen=True)
class Entry:
    """One file of the work list: ``key`` names it in addresses, ``name`` is its path below the folder."""

    key: str
    name: str
    pdf: Path
    line: Line


class Desk:
    """A file or a folder under review.

    Args:
        path: A PDF, or a folder whose PDFs, also those in folders below, make the work list.
        detector: Name of the detector for files without a fields file.
        signatures: What becomes of places to sign in them.
        password: Opens protected files.
    """

    def __init__(
        self,
        path: Path,
        *,
        detector: str,
        signatures: Signatures = Signatures.AUTO,
        password: str | None = None,
    ) -> None:
        self.path = path.absolute()
        self.is_folder = path.is_dir()
        self.reader = PageReader()
        self._detector_name = detector
        self._signatures = signatures
        self._password = password
        self._forms: OrderedDict[str, ReviewForm] = OrderedDict()
        self._lock = Lock()
        # The form somebody waits for does not wait for the one that is prepared ahead of it.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="review")
        self._ahead = ThreadPoolExecutor(1, thread_name_prefix="review-ahead")
        self._asked: str | None = None
        self._awaited: set[str] = set()
        self.prepared: Future[None] = Future()

    @cached_property
    def detector(self) -> Detector:
        """Loaded when the first form needs it."""
        return load_detector(self._detector_name)

    def entries(self) -> list[Entry]:
        """The work list, as the folder is now."""
        lines: dict[Path, dict[str, Line]] = {}
        entries = []
        for pdf in self._files():
            if pdf.parent not in lines:
                lines[pdf.parent] = Memory(pdf.parent).lines()
            name = self._name(pdf)
            line = lines[pdf.parent].get(pdf.name, Line(Status.NEW))
            entries.append(Entry(_key(name), name, pdf, line))
        return entries

    def form(self, key: str) -> ReviewForm:
        """A form of the work list; opening it starts in the background if it is not open yet."""
        with self._lock:
            if key not in self._forms:
                self._worker.submit(self._start, self._add(key))
            if key != self._asked:
                self._asked = key
                self.prepared = self._ahead.submit(self._prepare_after, key)
            self._forms.move_to_end(key)
            return self._forms[key]

    def look(self, key: str) -> tuple[ReviewForm, Opening]:
        """A form, and how far opening it has got, for an editor that asks until it is ready or has failed.

        Whoever waits for a failure is told it. Whoever asks when nobody waits opens the form, and one that
        failed before is started again: the person may have done what the message says.
        """
        with self._lock:
            known = self._forms.get(key)
            if known is not None and known.opening.stage is Stage.FAILED and key not in self._awaited:
                del self._forms[key]
        form = self.form(key)
        opening = form.opening
        if opening.stage in (Stage.OPENING, Stage.DETECTING):
            self._awaited.add(key)
        else:
            self._awaited.discard(key)
        return form, opening

    def _add(self, key: str) -> ReviewForm:
        form = ReviewForm(self._find(key), self.reader, signatures=self._signatures, password=self._password)
        self._forms[key] = form
        while len(self._forms) > _OPEN_FORMS:
            self._forms.popitem(last=False)
        return form

    def _start(self, form: ReviewForm) -> None:
        form.start(lambda: self.detector)

    def _prepare_after(self, key: str) -> None:
        """Open the new file that follows, so that nobody waits for it after this one."""
        entries = self.entries()
        here = next(index for index, entry in enumerate(entries) if entry.key == key)
        following = [entry for entry in entries[here + 1 :] if entry.line.status is Status.NEW]
        with self._lock:
            wanted = [entry.key for entry in following if entry.key not in self._forms][:1]
            forms = [self._add(key) for key in wanted]
        for form in forms:
            self._start(form)

    def check(self) -> None:
        """Raise at once what is wrong with a single file, an empty folder or the name of the detector."""
        if self._detector_name not in detector_names():
            load_detector(self._detector_name)
        if not self.is_folder:
            ReviewForm(self.path, self.reader, password=self._password).read()
        elif not self._files():
            raise InputNotFound(f"There is no PDF in {self.path}.")

    def close(self) -> None:
        """End the background work and the reader process."""
        with self._lock:
            for form in self._forms.values():
                form.stop()
        for worker in (self._worker, self._ahead):
            worker.shutdown(wait=False, cancel_futures=True)
        self.reader.close()

    def _files(self) -> list[Path]:
        if not self.is_folder:
            return [self.path]
        found = (file for file in self.path.rglob("*") if file.suffix.lower() == ".pdf" and file.is_file())
        return sorted(file for file in found if not is_result(file))

    def _name(self, pdf: Path) -> str:
        name = pdf.relative_to(self.path).as_posix() if self.is_folder else pdf.name
        return name.encode("utf-8", "replace").decode()

    def _find(self, key: str) -> Path:
        for pdf in self._files():
            if _key(self._name(pdf)) == key:
                return pdf
        raise InputNotFound("There is no such file in the work list.")


def _key(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:16]
