# SPDX-License-Identifier: Apache-2.0
"""The weights of the label and kind scorers: one small file inside the package.

An ``.npz`` with three tree ensembles as ONNX bytes and the names of the columns they were trained on: arrays
and nothing executable. A file for other columns is refused, not guessed at.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from acromeld.errors import IntegrityError
from acromeld.form.describe.label_features import matrix
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    from acromeld.geometry import Floats
    from acromeld.trees import Trees

FORMAT = "acromeld.describe/1"
FILE = "describe.npz"
PARTS = ("single", "pair", "kind")


class LabelScorer:
    """The scorers of labels and kinds; ``digest`` is the SHA-256 of the file they came from."""

    def __init__(self, models: dict[str, bytes], features: dict[str, tuple[str, ...]], digest: str) -> None:
        self.digest = digest
        self._models = models
        self._features = features
        self._trees: dict[str, Trees] = {}

    def single(self, columns: dict[str, Floats]) -> Floats:
        """Expected token F1 of each candidate text, ``(c,)``."""
        return self._scores("single", columns)[:, 0]

    def pair(self, columns: dict[str, Floats]) -> Floats:
        """Expected token F1 of each single or joined text, ``(k,)``."""
        return self._scores("pair", columns)[:, 0]

    def kind(self, columns: dict[str, Floats]) -> Floats:
        """Raw scores of the kinds of text ``(n, 3)``: one line, several lines, comb."""
        return self._scores("kind", columns)

    def _scores(self, part: str, columns: dict[str, Floats]) -> Floats:
        if tuple(columns) != self._features[part]:
            raise IntegrityError(f"{FILE} was trained on other features than this version has.")
        if part not in self._trees:
            from acromeld.trees import Trees

            self._trees[part] = Trees(self._models[part])
        return self._trees[part](matrix(columns))


def pack(models: dict[str, bytes], features: dict[str, tuple[str, ...]]) -> bytes:
    """The bytes of a weights file; the same parts give the same bytes."""
    return pack_arrays({"format": FORMAT, "features": features}, {part: models[part] for part in PARTS})


def unpack(data: bytes, name: str = FILE) -> LabelScorer:
    """The scorers from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="the label scorer") as file:
        models = {part: file.bytes(part) for part in PARTS}
        features = {part: tuple(file.meta["features"][part]) for part in PARTS}
    return LabelScorer(models, features, hashlib.sha256(data).hexdigest())


@cache
def shipped() -> LabelScorer:
    """The scorers inside the package, read once."""
    return unpack((files("acromeld.form.describe") / FILE).read_bytes())
