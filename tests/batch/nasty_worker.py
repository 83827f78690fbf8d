# SPDX-License-Identifier: Apache-2.0
"""A worker that misbehaves as the name of the document asks, and is honest with all others.

Names are ``BEHAVIOUR.pdf`` or ``BEHAVIOUR-twice.pdf``; without "twice" the second attempt goes well.
"""

import os
import signal
import sys
import time

from acromeld.batch import work, worker
from acromeld.pdf.wire import send


def misbehave(source, detector, options, *, isolated, progress):
    behaviour, _, more = source.name.removesuffix(".pdf").partition("-")
    if not isolated or more == "twice":
        act(behaviour)
    return honest(source, detector, options, isolated=isolated, progress=progress)


honest = work._process


def act(behaviour: str) -> None:
    if behaviour == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif behaviour == "hang":
        signal.pause()
    elif behaviour == "spin":
        while True:
            pass
    elif behaviour == "hungry":
        _ = bytearray(64 * 1024**3)
    elif behaviour == "bug":
        raise RuntimeError("something nobody thought of")
    elif behaviour == "liar":
        say({"outcome": {"code": 0, "pages": "many"}})
    elif behaviour == "smuggler":
        import numpy as np

        say({"outcome": {"code": 0}}, {"../../escape": np.zeros(4, dtype=np.uint8)})
    elif behaviour == "murder":
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(60)
    elif behaviour == "writer":
        with open("written-by-a-worker", "wb") as file:
            file.write(b"hello")


def say(body, arrays=None) -> None:
    replies = os.fdopen(int(os.environ.get("REPLIES", "3")), "wb", closefd=False)
    send(replies, body, arrays)


if __name__ == "__main__":
    work._process = misbehave
    claim = worker.claim_streams

    def claimed():
        requests, replies = claim()
        os.environ["REPLIES"] = str(replies.fileno())
        return requests, replies

    worker.claim_streams = claimed
    sys.exit(worker.main())
