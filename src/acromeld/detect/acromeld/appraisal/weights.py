# SPDX-License-Identifier: Apache-2.0
"""What the appraisal has learned: weights of words and trees over measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.detect.acromeld.hashed_words import stored_evidence, stored_weight
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    from acromeld.detect.acromeld.hashed_words import Evidence

FORMAT = "acromeld.appraisal/1"
_FILE = "appraisal.npz"


@dataclass(frozen=True)
class AppraisalWeights:
    """Everything `Appraiser` needs.

    Attributes:
        caption: Do places with such words around them hold fields, more often than the network thinks?
        trees: ONNX bytes: `columns` to the log-odds that a place holds a field.
        columns: What the trees were trained on, in order.
    """

    caption: Evidence
    trees: bytes
    columns: tuple[str, ...]


def pack(weights: AppraisalWeights) -> bytes:
    """The bytes of a weights file; word weights are stored in half precision."""
    meta = {"format": FORMAT, "columns": weights.columns, "caption.bias": weights.caption.bias}
    return pack_arrays(meta, {"trees": weights.trees, "caption": stored_weight(weights.caption)})


def unpack(data: bytes, name: str = _FILE) -> AppraisalWeights:
    """Weights from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="the appraisal of places") as file:
        caption = stored_evidence(file.arrays["caption"], float(file.meta["caption.bias"]), name)
        return AppraisalWeights(caption, file.bytes("trees"), tuple(file.meta["columns"]))
