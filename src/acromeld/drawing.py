# SPDX-License-Identifier: Apache-2.0
"""Boxes drawn over page pictures, and PNG files, with numpy and zlib alone."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import OutputProblem

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.geometry import Boxes

    Picture = npt.NDArray[np.uint8]

Colour = tuple[int, int, int]


def draw_boxes(picture: Picture, boxes: Boxes, colour: Colour, *, tint: float = 0.18) -> None:
    """Outline and lightly tint boxes, ``(n, 4)`` in pixels, on an RGB picture ``(h, w, 3)``, in place."""
    height, width = picture.shape[:2]
    limits = np.array([width, height, width, height])
    for x0, y0, x1, y1 in np.clip(np.round(boxes), 0, limits).astype(int):
        inside = picture[y0:y1, x0:x1]
        inside[:] = (inside * (1 - tint) + np.array(colour) * tint).astype(np.uint8)
        for edge in (inside[:2], inside[-2:], inside[:, :2], inside[:, -2:]):
            edge[:] = colour


def as_rgb(pixels: Picture) -> Picture:
    """A writable RGB copy of a grey or RGB picture."""
    return np.repeat(pixels[:, :, None], 3, axis=2) if pixels.ndim == 2 else pixels.copy()


def write_png(picture: Picture, path: Path) -> None:
    """Write a picture as PNG."""
    try:
        path.write_bytes(png_bytes(picture))
    except OSError as error:
        raise OutputProblem(f"{path} cannot be written: {error.strerror}.") from None


def png_bytes(picture: Picture, *, level: int = 9) -> bytes:
    """A grey ``(h, w)`` or RGB ``(h, w, 3)`` picture as PNG (ISO/IEC 15948): filter "up", one stream."""
    height, width = picture.shape[:2]
    rows = picture.reshape(height, -1)
    filtered = np.empty((height, rows.shape[1] + 1), dtype=np.uint8)
    filtered[:, 0] = 2
    filtered[0, 1:] = rows[0]
    filtered[1:, 1:] = rows[1:] - rows[:-1]
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if picture.ndim == 3 else 0, 0, 0, 0)
    chunks = [(b"IHDR", header), (b"IDAT", zlib.compress(filtered.tobytes(), level)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, data) for name, data in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
