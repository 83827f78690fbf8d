# SPDX-License-Identifier: Apache-2.0
"""One document from bytes to outputs, with every failure turned into an outcome.

The first attempt reads in the worker itself, which is disposable as a whole. If that goes wrong, the second
reads each page in a process of its own, so that one bad page costs one page.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING

import acromeld
from acromeld.batch.doubt import doubts, pictures
from acromeld.batch.job import FIELDS, PDF, Doubt, Options, Outcome, Parts, failure
from acromeld.errors import AcromeldError, ExitCode
from acromeld.fields import KINDS
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing
from acromeld.recovery import detect, opened, recover

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.detect.candidates import Detector
    from acromeld.fields import DocumentFields
    from acromeld.pdf.source import Source

    Progress = Callable[[int, int], None]
    Product = tuple[Outcome, Parts]

_NOTES = 50
_PACKAGE = Path(acromeld.__file__).parent


def process(
    source: Source, detector: Detector, options: Options, *, isolated: bool, progress: Progress
) -> Product:
    """Recover a document, or find its fields; never raises for anything the document does."""
    try:
        return _process(source, detector, options, isolated=isolated, progress=progress)
    except AcromeldError as error:
        return failure(str(error), error.exit_code), {}
    except MemoryError:
        reason = f"{source.name} needs more memory than the limit of {options.memory_mb} MB."
        return failure(reason, ExitCode.LIMIT, again=not isolated), {}
    except Exception as error:
        return failure(f"{source.name}: unexpected {where(error)}.", again=not isolated), {}


def _process(
    source: Source, detector: Detector, options: Options, *, isolated: bool, progress: Progress
) -> Product:
    if options.fields_only:
        fields = detect(
            source,
            detector=detector,
            isolated=isolated,
            ocr=Ocr(options.ocr),
            signatures=Signatures(options.signatures),
            progress=progress,
        )
        outcome = _summary(fields)
        parts = {FIELDS: fields.to_json().encode()}
    else:
        done = recover(
            source,
            detector=detector,
            existing=Existing(options.existing),
            force=options.force,
            isolated=isolated,
            ocr=Ocr(options.ocr),
            signatures=Signatures(options.signatures),
            progress=progress,
        )
        fields = done.fields
        outcome = _summary(fields, done.notes, written=done.form.written, dropped=done.form.dropped)
        parts = {PDF: done.form.data, FIELDS: fields.to_json().encode()}
    return outcome, parts | _shown(source, fields, outcome.doubts, isolated=isolated)


def _summary(
    fields: DocumentFields, notes: tuple[str, ...] | None = None, *, written: int = 0, dropped: int = 0
) -> Outcome:
    told = notes if notes is not None else tuple(note for page in fields.pages for note in page.notes)
    kinds = [field.kind for page in fields.pages for field in page.fields]
    return Outcome(
        code=int(ExitCode.OK),
        pages=len(fields.pages),
        found={kind.value: kinds.count(kind) for kind in KINDS},
        written=written,
        dropped=dropped,
        notes=list(dict.fromkeys(told))[:_NOTES],
        doubts=doubts(fields),
    )


def _shown(source: Source, fields: DocumentFields, worst: list[Doubt], *, isolated: bool) -> Parts:
    if not worst:
        return {}
    with opened(source, isolated=isolated) as document:
        return pictures(document, fields, worst)


def where(error: BaseException) -> str:
    """``TypeError in form/plan.py, line 88``: enough to find the bug, nothing of the document."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)]
    if not ours:
        return type(error).__name__
    place = Path(ours[-1].filename).relative_to(_PACKAGE).as_posix()
    return f"{type(error).__name__} in {place}, line {ours[-1].lineno}"
