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
from typing import TYPE_CHECKING, Any, BinaryIO

from acromeld.errors import AcromeldError, LimitExceeded
from acromeld.pdf.document import Document, open_document
from acromeld.pdf.limits import Limits
from acromeld.pdf.page import PageNeeds
from acromeld.pdf.source import Source
from acromeld.pdf.wire import page_to_message, receive, send

if TYPE_CHECKING:
    from acromeld.pdf.wire import Arrays


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
                document = _open(opened, replies, body["open"], arrays, limits)
            elif document is not None:
                page, arrays = page_to_message(document.read_page(body["index"], PageNeeds(**body["needs"])))
                send(replies, {"page": page}, arrays)


def _open(
    opened: ExitStack, replies: BinaryIO, body: dict[str, Any], arrays: Arrays, limits: Limits
) -> Document | None:
    """Open a document and tell its facts, or why it cannot be opened."""
    source = Source(arrays["data"].tobytes(), body["name"], body["password"])
    try:
        document = opened.enter_context(open_document(source, limits=limits))
    except AcromeldError as error:
        send(replies, {"error": type(error).__name__, "message": str(error)})
    except MemoryError:
        message = f"{source.name} needs more memory than the limit allows."
        send(replies, {"error": LimitExceeded.__name__, "message": message})
    else:
        send(replies, {"facts": asdict(document.facts)})
        return document
    return None


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
