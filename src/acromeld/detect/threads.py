# SPDX-License-Identifier: Apache-2.0
"""One thread for numpy's matrix products while a page is being worked on.

The products of a page are small: sharing one out saves nothing, and the threads that wait for the next in a
loop take the cores from the network, from the reader and from the next process. Two processes side by side
described a page in 79 ms with the threads that numpy takes by itself, and in 38 ms without.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from threadpoolctl import ThreadpoolController

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


def one_thread() -> AbstractContextManager[object]:
    """A context within which the matrix products of this process take one thread; it may be nested.

    The number belongs to the process. Of threads that overlap, threadpoolctl lets the first one in set it and
    put it back, so the program that called us always finds its own number again.
    """
    limited: AbstractContextManager[object] = _libraries().limit(limits=1, user_api="blas")
    return limited


@cache
def _libraries() -> ThreadpoolController:
    """The libraries that are loaded, looked up once: this takes milliseconds."""
    return ThreadpoolController()
