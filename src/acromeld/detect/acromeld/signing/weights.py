# SPDX-License-Identifier: Apache-2.0
"""What the second look has learned: weights of words, trees over measurements, and what is sure enough."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.detect.acromeld.hashed_words import stored_evidence, stored_weight
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    from acromeld.detect.acromeld.hashed_words import Evidence

FORMAT = "acromeld.signing/1"
_FILE = "signing.npz"


@dataclass(frozen=True)
class SigningWeights:
    """Everything `SigningJudge` needs.

    Attributes:
        page: Do pages with such words have signature fields?
        caption: Are places with such words around them signature fields?
        trees: ONNX bytes: `columns` to the log-odds that a place is a signature field.
        columns: What the trees were trained on, in order.
        enough: The probability from which on a place counts as a signature field.
        digest: SHA-256 of the file.
    """

    page: Evidence
    caption: Evidence
    trees: bytes
    columns: tuple[str, ...]
    enough: float
    digest: str


def pack(page: Evidence, caption: Evidence, trees: bytes, columns: tuple[str, ...], enough: float) -> bytes:
    """The bytes of a weights file; word weights are stored in half precision."""
    meta = {
        "format": FORMAT, "columns": columns, "enough": enough,
        "page.bias": page.bias, "caption.bias": caption.bias,
    }  # fmt: skip
    words = {"page": stored_weight(page), "caption": stored_weight(caption)}
    return pack_arrays(meta, {"trees": trees, **words})


def unpack(data: bytes, name: str = _FILE) -> SigningWeights:
    """Weights from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="the second look at signatures") as file:
        page, caption = (
            stored_evidence(file.arrays[part], float(file.meta[f"{part}.bias"]), name)
            for part in ("page", "caption")
        )
        columns, enough = tuple(file.meta["columns"]), float(file.meta["enough"])
        digest = hashlib.sha256(data).hexdigest()
        return SigningWeights(page, caption, file.bytes("trees"), columns, enough, digest)


def with_enough(data: bytes, enough: float, name: str = _FILE) -> bytes:
    """The bytes of a weights file with another probability that is enough."""
    held = unpack(data, name)
    return pack(held.page, held.caption, held.trees, held.columns, enough)
