# SPDX-License-Identifier: Apache-2.0
"""Coroutines in a thread of their own.

Browser tests in the same process keep an event loop running in its main thread; a second may not start there.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_alone(coroutine):
    """The result of a coroutine."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
