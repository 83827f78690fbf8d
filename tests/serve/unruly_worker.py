# SPDX-License-Identifier: Apache-2.0
"""A worker that misbehaves on documents that ask for it; all others it works on as the real one does."""

import os
import re
import resource
import signal
import sys
import threading

from acromeld.serve.jobs import Result
from acromeld.serve.worker_process import main

SUMMARY = {"pages": 1, "notes": []}


def unruly(job, data, fields, limits, progress):
    if b"%CRASH" in data:
        os.kill(os.getpid(), signal.SIGSEGV)
    if b"%HANG" in data:
        threading.Event().wait()
    if b"%MEMORY" in data:
        bytearray(2 * limits.memory_bytes)
    if b"%BUG" in data:
        raise ValueError(f"the words of {job.name}")
    if gate := re.search(rb"%GATE (\S+)", data):
        # Opening a named pipe waits for somebody to open its other end.
        with open(gate[1], "rb") as pipe:
            pipe.read()
    if b"%ENVIRONMENT" in data:
        return Result("\n".join(os.environ).encode(), SUMMARY)
    if b"%DUMPS" in data:
        return Result(str(resource.getrlimit(resource.RLIMIT_CORE)).encode(), SUMMARY)
    if size := re.search(rb"%STUB (\d+)", data):
        return Result(bytes(int(size[1])), SUMMARY)
    # Not needed by most tests, and slow to load.
    from acromeld.serve.work import do

    return do(job, data, fields, limits, progress)


def warm_up():
    from acromeld.serve import work

    work.warm_up()


if __name__ == "__main__":
    main(unruly, warm_up if "--warm" in sys.argv else lambda: None)
