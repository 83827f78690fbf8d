# SPDX-License-Identifier: Apache-2.0
"""A declared random sample of pages, so that a slow system and a fast one are compared on the same pages.

Pages are ranked by a hash of the seed and their own identity and the first so many are taken. Nobody chooses,
every machine and every version of Python gives the same pages, and a smaller sample with the same seed is
part of a larger one: the costliest peers can be run on the first sixty of three hundred.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from acromeld.errors import InputNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acromeld.evaluate.pages import PageKey


def sample_pages(pages: Iterable[PageKey], count: int, seed: int) -> list[PageKey]:
    """The sampled pages in order of document and page; refused when there are fewer than asked for."""
    everything = set(pages)
    if not 0 < count <= len(everything):
        raise InputNotFound(f"A sample of {count} pages cannot be drawn from {len(everything)} pages.")
    return sorted(sorted(everything, key=lambda key: _rank(key, seed))[:count])


def _rank(key: PageKey, seed: int) -> tuple[bytes, PageKey]:
    document, page = key
    return hashlib.sha256(f"{seed}:{document}:{page}".encode()).digest(), key
