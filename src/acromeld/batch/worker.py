# SPDX-License-Identifier: Apache-2.0
"""A worker: ``python -m acromeld.batch.worker``, driven by `acromeld.batch.supervisor`.

It loads the detector once, gives up its rights, and then gets documents on standard input and answers with
beats for finished pages and an outcome with the files made, as bytes. It writes nothing itself. Libraries
that unpack a model into a temporary file when first used have to do so before, on a page of our own.
"""

from __future__ import annotations

import io
import logging
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import pikepdf

from acromeld.batch.confine import allow_cpu, claim_streams, confine
from acromeld.batch.copies import Remembering
from acromeld.batch.job import Options, Outcome, Parts
from acromeld.batch.work import process
from acromeld.detect.registry import load_detector
from acromeld.form.describe.ocr import read_words
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Raster
from acromeld.pdf.pdfium import start_afresh
from acromeld.pdf.source import Source
from acromeld.pdf.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.detect.candidates import Detector

    Answer = Callable[[dict[str, Any], Source, Callable[[int, int], None]], tuple[Outcome, Parts]]


def main() -> None:
    """Serve documents until standard input ends."""
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    requests, replies = claim_streams()
    body, _ = receive(requests)
    options = Options(**body["options"])
    # A batch has a worker per core, so a page must not ask for more than one.
    detector = Remembering(load_detector(options.detector, threads=1))
    warm_up(detector, options)
    confine(options.memory_mb * 1024**2)

    def answer(
        job: dict[str, Any], source: Source, beat: Callable[[int, int], None]
    ) -> tuple[Outcome, Parts]:
        start_afresh()
        detector.turn_to(source.sha256)
        return process(source, detector, options, isolated=job["isolated"], progress=beat)

    serve(requests, replies, options, answer)


def warm_up(detector: Detector, options: Options) -> None:
    """Recover a page that has something of everything, so that whatever is loaded on demand is loaded."""
    process(Source(warm_up_page(), "page.pdf"), detector, Options(), isolated=False, progress=_nobody)
    if options.reads_scans:
        blank = Raster(np.full((96, 96), 255, dtype=np.uint8), 1.0)
        read_words(Page(0, PageFrame((0.0, 0.0, 96.0, 96.0), 0, 1.0), blank))


def warm_up_page() -> bytes:
    """A page with enough words to tell their language, a rule and boxes."""
    pdf = pikepdf.new()
    page = pdf.add_blank_page(page_size=(400, 300))
    name = pikepdf.Name
    font = pikepdf.Dictionary(Type=name.Font, Subtype=name.Type1, BaseFont=name.Helvetica)
    page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F=font))
    lines = (
        "Application for a permit to use the community hall",
        "Please write the full name of the person who applies",
        "Date of birth",
        "Yes   No   Signature of the applicant",
    )
    text = "".join(f"BT /F 10 Tf 20 {260 - 50 * row} Td ({line}) Tj ET\n" for row, line in enumerate(lines))
    drawn = "20 195 m 380 195 l S 120 150 180 18 re S 20 90 10 10 re S 50 90 10 10 re S 200 70 m 380 70 l S"
    page.obj.Contents = pdf.make_stream((text + drawn).encode())
    buffer = io.BytesIO()
    pdf.save(buffer, static_id=True)
    return buffer.getvalue()


def _nobody(_done: int, _total: int) -> None:
    pass


def serve(requests: BinaryIO, replies: BinaryIO, options: Options, answer: Answer) -> None:
    """Answer requests one after the other; says first that it is ready."""

    def beat(done: int, total: int) -> None:
        send(replies, {"page": [done, total]})

    send(replies, {"ready": True})
    while True:
        try:
            body, arrays = receive(requests)
        except EOFError:
            return
        allow_cpu(options.file_seconds)
        job = body["job"]
        outcome, parts = answer(job, Source(arrays["data"].tobytes(), job["name"]), beat)
        files = {name: np.frombuffer(data, dtype=np.uint8) for name, data in parts.items()}
        send(replies, {"outcome": outcome.model_dump(mode="json")}, files)


if __name__ == "__main__":
    main()
