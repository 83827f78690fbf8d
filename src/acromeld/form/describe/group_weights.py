# SPDX-License-Identifier: Apache-2.0
"""The weights of the group finder: a word table, a tree ensemble and the score that counts as sure.

An ``.npz``: arrays and nothing executable. A file for other columns is refused, not guessed at.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import IntegrityError
from acromeld.form.describe.group_links import FEATURES
from acromeld.form.describe.group_words import SHAPE
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Floats
    from acromeld.trees import Trees

FORMAT = "acromeld.groups/1"
FILE = "groups.npz"


class GroupScorer:
    """Scores of links between boxes to tick; ``digest`` is the SHA-256 of the file they come from."""

    def __init__(self, model: bytes, table: npt.NDArray[np.float32], threshold: float, digest: str) -> None:
        self.table = table
        self.threshold = threshold
        self.digest = digest
        self._model = model
        self._trees: Trees | None = None

    def score(self, features: npt.NDArray[np.float32]) -> Floats:
        """How likely each link ``(m, f)`` is within a radio group, ``(m,)``."""
        from acromeld.trees import Trees, sigmoid

        if self._trees is None:
            self._trees = Trees(self._model)
        return sigmoid(self._trees(features)[:, 0]) if len(features) else np.zeros(0)


def pack(model: bytes, table: npt.NDArray[np.float32], threshold: float) -> bytes:
    """The bytes of a weights file; the same parts give the same bytes."""
    meta = {"format": FORMAT, "features": FEATURES, "threshold": threshold}
    return pack_arrays(meta, {"model": model, "table": table.astype(np.float16)})


def unpack(data: bytes, name: str = FILE) -> GroupScorer:
    """The scorer from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="the group finder") as file:
        model, table = file.bytes("model"), file.arrays["table"].astype(np.float32)
        if tuple(file.meta["features"]) != FEATURES or table.shape != SHAPE:
            raise IntegrityError(f"{name} was trained on other features than this version has.")
        threshold = float(file.meta["threshold"])
    return GroupScorer(model, table, threshold, hashlib.sha256(data).hexdigest())


@cache
def shipped() -> GroupScorer:
    """The scorer inside the package, read once."""
    return unpack((files("acromeld.form.describe") / FILE).read_bytes())
