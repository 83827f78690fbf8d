# SPDX-License-Identifier: Apache-2.0
"""A worker: ``python -m acromeld.batch.worker``, driven by `acromeld.batch.supervisor`.

It loads the detector once, gives up its rights, and then gets documents on standard input and answers with
beats for finished pages and an outcome with the files made, as bytes. It writes nothing itself.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from acromeld.batch.confine import allow_cpu, claim_streams, confine
from acromeld.batch.copies import Remembering
from acromeld.batch.job import Options, Outcome, Parts
from acromeld.batch.work import process
from acromeld.detect.registry import load_detector
from acromeld.pdf.source import Source
from acromeld.pdf.wire import receive, send

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = Callable[[dict[str, Any], Source, Callable[[int, int], None]], tuple[Outcome, Parts]]


def main() -> None:
    """Serve documents until standard input ends."""
    logging.getLogger("pikepdf").addHandler(logging.NullHandler())
    requests, replies = claim_streams()
    body, _ = receive(requests)
    options = Options(**body["options"])
    confine(options.memory_mb * 1024**2)
    detector = Remembering(load_detector(options.detector))

    def answer(
        job: dict[str, Any], source: Source, beat: Callable[[int, int], None]
    ) -> tuple[Outcome, Parts]:
        detector.turn_to(source.sha256)
        return process(source, detector, options, isolated=job["isolated"], progress=beat)

    serve(requests, replies, options, answer)


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
