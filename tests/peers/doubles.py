# SPDX-License-Identifier: Apache-2.0
"""Stand-ins: a network that answers what it is told, and small PDFs made on the spot."""

from __future__ import annotations

import io
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pikepdf

from acromeld.peers.commonforms.profiles import PROFILES
from acromeld.peers.commonforms.run import Peer

Cells = npt.NDArray[np.float32]


class FakeNetwork:
    """Answers with ``reply(images)`` and remembers every picture it saw."""

    def __init__(self, reply: Callable[[Cells], Cells]) -> None:
        self._reply = reply
        self.seen: list[Cells] = []

    def __call__(self, images: Cells) -> Cells:
        self.seen.append(images)
        return self._reply(images)


def silent(images: Cells) -> Cells:
    """As many cells as the real networks have for this picture, all with score zero."""
    height, width = images.shape[2:]
    count = sum((height // stride) * (width // stride) for stride in (8, 16, 32))
    return np.zeros((1, 7, count), dtype=np.float32)


def dark_spot(images: Cells) -> Cells:
    """One text cell of score 0.9 around everything dark, as a network that found the field exactly."""
    cells = silent(images)
    rows, columns = np.nonzero(images[0].min(axis=0) < 0.25)
    if rows.size:
        x0, x1, y0, y1 = columns.min(), columns.max() + 1, rows.min(), rows.max() + 1
        middle = cells.shape[2] * 17 // 21  # a cell of the middle stride, which every pass keeps
        cells[0, :5, middle] = (x0 + x1) / 2, (y0 + y1) / 2, x1 - x0, y1 - y0, 0.9
    return cells


def peer(network: FakeNetwork, profile: str = "plain1216") -> Peer:
    """A peer around a stand-in network."""
    chosen = next(entry for entry in PROFILES.values() if entry.name == profile)
    return Peer("s", chosen, "ab" * 32, lambda: network)


def pdf_with_square(
    square: tuple[float, float, float, float] = (100, 500, 200, 540), *, pages: int = 1, **keys: object
) -> bytes:
    """Pages of 612 x 792 with one black rectangle (left, bottom, right, top) in PDF space."""
    pdf = pikepdf.new()
    left, bottom, right, top = square
    content = f"0 g {left} {bottom} {right - left} {top - bottom} re f".encode()
    for _ in range(pages):
        page = pdf.add_blank_page(page_size=(612, 792))
        page.Contents = pdf.make_stream(content)
        for key, value in keys.items():
            page.obj[f"/{key}"] = value
    out = io.BytesIO()
    pdf.save(out, deterministic_id=True)
    return out.getvalue()
