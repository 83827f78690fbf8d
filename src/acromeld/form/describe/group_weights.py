# SPDX-License-Identifier: Apache-2.0
"""The weights of the group finder: a word table, a tree ensemble and the score that counts as sure.

An ``.npz``: arrays and nothing executable. A file for other columns is refused, not guessed at.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.errors import IntegrityError
from acromeld.form.describe.group_links import FEATURES
from acromeld.form.describe.group_words import SHAPE

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
    arrays: dict[str, npt.NDArray[Any]] = {
        "meta": np.frombuffer(json.dumps(meta, sort_keys=True).encode(), dtype=np.uint8),
        "model": np.frombuffer(model, dtype=np.uint8),
        "table": table.astype(np.float16),
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, array in sorted(arrays.items()):
            inner = io.BytesIO()
            np.save(inner, array, allow_pickle=False)
            # A fixed date: the file must not depend on when it was made.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), inner.getvalue(), 8)
    return buffer.getvalue()


def unpack(data: bytes, name: str = FILE) -> GroupScorer:
    """The scorer from the bytes of a file."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            meta = json.loads(archive["meta"].tobytes())
            model, table = archive["model"].tobytes(), archive["table"].astype(np.float32)
        if meta["format"] != FORMAT:
            raise IntegrityError(f"{name} has format {meta['format']!r}; this version reads {FORMAT!r}.")
        if tuple(meta["features"]) != FEATURES or table.shape != SHAPE:
            raise IntegrityError(f"{name} was trained on other features than this version has.")
        threshold = float(meta["threshold"])
    except (KeyError, ValueError, OSError, EOFError, zipfile.BadZipFile):
        raise IntegrityError(f"{name} is not a weights file of the group finder, or is damaged.") from None
    return GroupScorer(model, table, threshold, hashlib.sha256(data).hexdigest())


@cache
def shipped() -> GroupScorer:
    """The scorer inside the package, read once."""
    return unpack((files("acromeld.form.describe") / FILE).read_bytes())
