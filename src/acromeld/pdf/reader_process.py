# SPDX-License-Identifier: Apache-2.0
"""The reader process: ``python -m acromeld.pdf.reader_process``, driven by `acromeld.pdf.isolation`.

It gets documents and page requests on standard input and answers on what was standard output. It limits its
own memory first, so that a decompression bomb ends here and not on the user's desktop.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from dataclasses import asdict
from typing import Any, BinaryIO

from acromeld.errors import AcromeldError, LimitExceeded
from acromeld.pdf.document import Document, open_document
from acromeld.pdf.limits import Limits
from acromeld.pdf.page import PageNeeds
from acromeld.pdf.pdfium import start_afresh
from acromeld.pdf.source import Source
from acromeld.pdf.wire import page_to_message, receive, send


def main() -> None:
    """Serve documents, one after the other, until standard input ends."""
    requests, replies = _claim_streams()
    body, _ = receive(requests)
    limits = Limits(**body["limits"] | {"page_points": tuple(body["limits"]["page_points"])})
    _limit_memory(limits.memory_bytes)
    with ExitStack() as opened:
        document: Document | None = None
        while True:
            try:
                body, arrays = receive(requests)
            except EOFError:
                return
            if "open" in body:
                opened.close()
                start_afresh()
                source = Source(arrays["data"].tobytes(), body["open"]["name"], body["open"]["password"])
                document, reply = _open(opened, source, limits)
                send(replies, {"ticket": body["ticket"]} | reply)
            elif document is not None:
                page, arrays = page_to_message(document.read_page(body["index"], PageNeeds(**body["needs"])))
                send(replies, {"ticket": body["ticket"], "page": page}, arrays)


def _open(opened: ExitStack, source: Source, limits: Limits) -> tuple[Document | None, dict[str, Any]]:
    """The open document and its facts, or why it cannot be opened."""
    try:
        document = opened.enter_context(open_document(source, limits=limits))
    except AcromeldError as error:
        return None, {"error": type(error).__name__, "message": str(error)}
    except MemoryError:
        message = f"{source.name} needs more memory than the limit allows."
        return None, {"error": LimitExceeded.__name__, "message": message}
    return document, {"facts": asdict(document.facts)}


def _claim_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep standard output for replies: whatever a library prints goes to standard error instead."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return sys.stdin.buffer, replies


def _limit_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    ceiling = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, hard))


if __name__ == "__main__":
    main()
