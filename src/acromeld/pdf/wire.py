# SPDX-License-Identifier: Apache-2.0
"""Messages between a reader process and its owner: a JSON header and raw array buffers.

Not pickle: the reader parses hostile files in native code, and its owner must not execute what comes back.
A message is ``uint32 header length, header, buffers``; the header lists name, dtype and shape of each buffer.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives, Raster, Shapes, Words

if TYPE_CHECKING:
    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[Any]]

_LENGTH = struct.Struct("<I")
_MAX_HEADER = 256 * 1024**2
_MAX_ARRAY = 4 * 1024**3
_DTYPES = {"float64", "int8", "int32", "bool", "uint8"}


def send(stream: BinaryIO, body: dict[str, Any], arrays: Arrays | None = None) -> None:
    """Write one message and flush."""
    arrays = {name: np.ascontiguousarray(array) for name, array in (arrays or {}).items()}
    layout = [(name, str(array.dtype), array.shape) for name, array in arrays.items()]
    header = json.dumps({"body": body, "arrays": layout}).encode()
    stream.write(_LENGTH.pack(len(header)))
    stream.write(header)
    for array in arrays.values():
        stream.write(array.data)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[dict[str, Any], Arrays]:
    """Read one message; raises `EOFError` when the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > _MAX_HEADER:
        raise EOFError("header too long")
    header = json.loads(_exactly(stream, length))
    arrays: Arrays = {}
    for name, dtype, shape in header["arrays"]:
        if dtype not in _DTYPES:
            raise EOFError("unexpected array type")
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if not 0 <= size <= _MAX_ARRAY:
            raise EOFError("unexpected array size")
        arrays[name] = np.frombuffer(_exactly(stream, size), dtype=dtype).reshape(shape)
    return header["body"], arrays


def _exactly(stream: BinaryIO, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise EOFError("the other side closed the stream")
    return data


def page_to_message(page: Page) -> tuple[dict[str, Any], Arrays]:
    """A page as header and arrays."""
    body: dict[str, Any] = {"index": page.index, "frame": asdict(page.frame), "notes": page.notes}
    arrays: Arrays = {}
    if page.raster is not None:
        body["scale"] = page.raster.scale
        arrays["pixels"] = page.raster.pixels
    if page.primitives is not None:
        columns = dict(vars(page.primitives.words))
        body["text"] = columns.pop("text")
        arrays |= {f"words.{name}": column for name, column in columns.items()}
        arrays |= {f"shapes.{name}": column for name, column in vars(page.primitives.shapes).items()}
    return body, arrays


def page_from_message(body: dict[str, Any], arrays: Arrays) -> Page:
    """The page back again."""
    raster = Raster(arrays["pixels"], body["scale"]) if "scale" in body else None
    primitives = None
    if "text" in body:
        words = Words(text=tuple(body["text"]), **_columns(arrays, "words."))
        primitives = Primitives(words, Shapes(**_columns(arrays, "shapes.")))
    return Page(body["index"], frame_from(body["frame"]), raster, primitives, tuple(body["notes"]))


def frame_from(data: dict[str, Any]) -> PageFrame:
    """A frame from its JSON form."""
    return PageFrame(tuple(data["crop"]), data["rotation"], data["user_unit"])


def _columns(arrays: Arrays, prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
