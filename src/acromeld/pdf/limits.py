# SPDX-License-Identifier: Apache-2.0
"""How much of a file we are willing to read.

Two kinds: limits that stop the work with `LimitExceeded` (file size, page count, time, memory), and limits
that degrade one page with a note (absurd page size, too many primitives, too many pixels).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Defaults fit any honest form; raise them for poster-size plans or thousand-page binders.

    Attributes:
        file_bytes: Larger files are not opened.
        pages: Longer documents are not opened.
        page_points: Smallest and largest displayed side of a page that is read (200 in is the PDF 1.x bound).
        raster_pixels: A page is rendered at a lower scale rather than with more pixels than this.
        primitives: Words and shapes kept of a page; the rest is dropped with a note.
        page_seconds: An isolated reader kills a page that takes longer.
        memory_bytes: Address space of an isolated reader, the guard against decompression bombs.
    """

    file_bytes: int = 512 * 1024**2
    pages: int = 5_000
    page_points: tuple[float, float] = (8.0, 14_400.0)
    raster_pixels: int = 24_000_000
    primitives: int = 40_000
    page_seconds: float = 60.0
    memory_bytes: int = 4 * 1024**3


DEFAULT_LIMITS = Limits()
