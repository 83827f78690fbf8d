# SPDX-License-Identifier: Apache-2.0
"""What the second look has learned: weights of words, trees over measurements, and what is sure enough."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from acromeld.detect.acromeld.hashed_words import stored_evidence, stored_weight
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    from acromeld.detect.acromeld.hashed_words import Evidence

FORMAT = "acromeld.signing/2"
_FILE = "signing.npz"


@dataclass(frozen=True)
class Heard:
    """Words of three kinds of places, each with weights of its own.

    Attributes:
        page: Do pages with such words have signature fields?
        margin: Do pages with such words at the top and at the bottom?
        caption: Are places with such words around them signature fields?
    """

    page: Evidence
    margin: Evidence
    caption: Evidence


@dataclass(frozen=True)
class SigningWeights:
    """Everything `SigningJudge` needs.

    Attributes:
        heard: What words say.
        trees: ONNX bytes: `columns` to the log-odds that a place is a signature field.
        columns: What the trees were trained on, in order.
        enough: The probability from which on a place counts as a signature field.
        digest: SHA-256 of the file.
    """

    heard: Heard
    trees: bytes
    columns: tuple[str, ...]
    enough: float
    digest: str


def pack(heard: Heard, trees: bytes, columns: tuple[str, ...], enough: float) -> bytes:
    """The bytes of a weights file; word weights are stored in half precision."""
    said: dict[str, Evidence] = {part.name: getattr(heard, part.name) for part in fields(Heard)}
    meta = {"format": FORMAT, "columns": columns, "enough": enough}
    bias = {f"{name}.bias": evidence.bias for name, evidence in said.items()}
    words = {name: stored_weight(evidence) for name, evidence in said.items()}
    return pack_arrays(meta | bias, {"trees": trees, **words})


def unpack(data: bytes, name: str = _FILE) -> SigningWeights:
    """Weights from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="the second look at signatures") as file:
        heard = Heard(
            *(
                stored_evidence(file.arrays[part.name], float(file.meta[f"{part.name}.bias"]), name)
                for part in fields(Heard)
            )
        )
        columns, enough = tuple(file.meta["columns"]), float(file.meta["enough"])
        digest = hashlib.sha256(data).hexdigest()
        return SigningWeights(heard, file.bytes("trees"), columns, enough, digest)


def with_enough(data: bytes, enough: float, name: str = _FILE) -> bytes:
    """The bytes of a weights file with another probability that is enough."""
    held = unpack(data, name)
    return pack(held.heard, held.trees, held.columns, enough)
