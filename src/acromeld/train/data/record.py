# SPDX-License-Identifier: Apache-2.0
"""What training needs to know of one page, as plain arrays under fixed names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.structure.tokens import Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[Any]]

_COLUMNS = ("kind", "box", "descriptor", "text")
_CHANNELS = ("own", "inferred")


@dataclass(frozen=True)
class PageRecord:
    """One page before any transform.

    Attributes:
        raster: ``(C, h, w)`` uint8, the page as on its canvas without the padding; widgets not drawn.
        corner: ``(x, y)`` canvas pixel where the raster's first pixel lies in the detector's own letterbox.
        size: Displayed ``(width, height)`` in points.
        boxes: ``(n, 4)`` float32 true fields in points.
        labels: ``(n,)`` int64 classes.
        own: Tokens as a detector would read them, inferred ones where the page is a scan.
        inferred: Tokens found in the picture alone.
    """

    raster: npt.NDArray[np.uint8]
    corner: tuple[int, int]
    size: tuple[float, float]
    boxes: npt.NDArray[np.float32]
    labels: npt.NDArray[np.int64]
    own: Tokens
    inferred: Tokens


def to_arrays(record: PageRecord, page: int) -> Arrays:
    """The record of a page under names that start with its index."""
    facts = np.array([*record.corner, *record.size])
    arrays: Arrays = {"raster": record.raster, "facts": facts, "boxes": record.boxes, "labels": record.labels}
    for channel in _CHANNELS:
        tokens: Tokens = getattr(record, channel)
        arrays |= {f"{channel}.{name}": getattr(tokens, name) for name in _COLUMNS}
        arrays[f"{channel}.available"] = np.array(tokens.available)
    return {f"{page}.{name}": array for name, array in arrays.items()}


def from_arrays(arrays: Mapping[str, npt.NDArray[Any]], page: int, *, raster: bool = True) -> PageRecord:
    """The record of a page; without ``raster`` the picture, most of the bytes, is not read."""

    def get(name: str) -> npt.NDArray[Any]:
        return arrays[f"{page}.{name}"]

    left, top, width, height = get("facts").astype(np.float64).tolist()
    pixels = get("raster") if raster else np.zeros((1, 0, 0), dtype=np.uint8)
    own, inferred = (_tokens(get, channel) for channel in _CHANNELS)
    return PageRecord(
        pixels.astype(np.uint8, copy=False),
        (int(left), int(top)),
        (width, height),
        get("boxes").astype(np.float32, copy=False),
        get("labels").astype(np.int64, copy=False),
        own,
        inferred,
    )


def _tokens(get: object, channel: str) -> Tokens:
    assert callable(get)
    columns = {name: get(f"{channel}.{name}") for name in _COLUMNS}
    return Tokens(**columns, available=bool(get(f"{channel}.available")))
