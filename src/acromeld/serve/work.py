# SPDX-License-Identifier: Apache-2.0
"""The three jobs of the service, done by the functions the command line uses. Runs in a worker."""

from __future__ import annotations

import base64
import io
import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import pikepdf
from pikepdf import Name

from acromeld.detect.registry import load_detector
from acromeld.errors import BadFields
from acromeld.fields import KINDS, DocumentFields, parse_document
from acromeld.pdf.limits import DEFAULT_LIMITS
from acromeld.pdf.source import load_source
from acromeld.recovery import apply, detect_pages, opened, recover
from acromeld.serve.jobs import Answer, Job, Kind, Result

if TYPE_CHECKING:
    from acromeld.detect.candidates import Detector
    from acromeld.pdf.limits import Limits
    from acromeld.pdf.source import Source
    from acromeld.recovery import Progress


def do(job: Job, data: bytes, fields: bytes | None, limits: Limits, progress: Progress) -> Result:
    """Do a job on the bytes of a document, with the bytes of a fields file where one is needed."""
    source = load_source(data, name=job.name, password=job.password, limits=limits)
    if job.kind is Kind.DETECT:
        return _detect(job, source, limits, progress)
    if job.kind is Kind.APPLY:
        return _apply(job, source, fields, limits)
    return _recover(job, source, limits, progress)


def warm_up() -> None:
    """Do a small job, so that the first real one does not wait for what every job needs.

    A worker that cannot do it is not ready, and does not say that it is.
    """
    do(Job(Kind.RECOVER, Answer.PDF), _small_form(), None, DEFAULT_LIMITS, lambda _done, _total: None)


def _small_form() -> bytes:
    """One page with a line to write on, and with words enough for their language to be looked at."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(300, 200))
    font = pikepdf.Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    words = b"Please write the family name of the person who fills in this form here"
    page.obj.Contents = pdf.make_stream(b"BT /F 6 Tf 9 100 Td (%s) Tj ET 9 80 m 250 80 l S" % words)
    buffer = io.BytesIO()
    pdf.save(buffer)
    return buffer.getvalue()


@lru_cache
def _detector(name: str) -> Detector:
    """Loaded once and kept: the weights are read only. There is a worker per two cores, hence two threads."""
    return load_detector(name, threads=2)


def _detect(job: Job, source: Source, limits: Limits, progress: Progress) -> Result:
    with opened(source, limits=limits) as document:
        found = detect_pages(
            document,
            _detector(job.detector),
            raw=job.raw,
            ocr=job.ocr,
            signatures=job.signatures,
            progress=progress,
        )
    lines = "".join(f"{line}\n" for line in found.fields.to_lines())
    body = lines if job.answer is Answer.LINES else found.fields.to_json()
    return Result(body.encode(), _found(found.fields) | {"notes": _once(found.notes)})


def _apply(job: Job, source: Source, fields: bytes | None, limits: Limits) -> Result:
    if fields is None:
        raise BadFields("There is no fields file in the request.")
    document = parse_document(fields, "The form field fields")
    form = apply(source, document, existing=job.existing, force=job.force, limits=limits)
    summary = {"pages": len(document.pages), "written": form.written, "dropped": form.dropped}
    return _written(job, form.data, summary | {"notes": _once(form.notes)}, None)


def _recover(job: Job, source: Source, limits: Limits, progress: Progress) -> Result:
    done = recover(
        source,
        detector=_detector(job.detector),
        existing=job.existing,
        force=job.force,
        limits=limits,
        ocr=job.ocr,
        signatures=job.signatures,
        progress=progress,
    )
    summary = _found(done.fields) | {"written": done.form.written, "dropped": done.form.dropped}
    return _written(job, done.form.data, summary | {"notes": _once(done.notes)}, done.fields)


def _written(job: Job, pdf: bytes, summary: dict[str, Any], fields: DocumentFields | None) -> Result:
    """The PDF alone, or within JSON beside what was found."""
    if job.answer is Answer.PDF:
        return Result(pdf, summary)
    outcome = dict(summary)
    if fields is not None:
        outcome["fields"] = fields.model_dump(mode="json", by_alias=True, exclude_none=True)
    outcome["pdf"] = base64.b64encode(pdf).decode()
    return Result(json.dumps(outcome, ensure_ascii=False).encode(), summary)


def _found(fields: DocumentFields) -> dict[str, Any]:
    counts = Counter(field.kind for page in fields.pages for field in page.fields)
    return {"pages": len(fields.pages), "found": {kind.value: counts[kind] for kind in KINDS}}


def _once(notes: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(notes))
