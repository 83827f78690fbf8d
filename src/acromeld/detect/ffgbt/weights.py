# SPDX-License-Identifier: Apache-2.0
"""The weights of FFGBT: one file with the trees, the snap network, the word table and what they expect.

An ``.npz``: arrays and nothing executable. The trees are ONNX models, so that a user needs onnxruntime and
not lightgbm. The operating point lies beside it in a file of its own, because it is chosen after the weights
are frozen and names their digest.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.fields import OperatingPoint
from acromeld.weights_file import Unpacked
from acromeld.weights_file import pack as pack_arrays

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

FORMAT = "acromeld.ffgbt/1"
_FILE = "ffgbt.npz"
_POINT = "operating-point.json"


@dataclass(frozen=True)
class Weights:
    """Everything the detector needs.

    Attributes:
        features: Names of the columns the trees were trained on.
        table: Word log-odds, see `acromeld.detect.ffgbt.labels`.
        classify: ONNX bytes: features to four raw class scores.
        reconsider: ONNX bytes: features and context columns to four raw class scores.
        quality: ONNX bytes: the same columns to a raw quality score.
        snap: Layers of the snap network, see `acromeld.detect.ffgbt.snap`.
        digest: SHA-256 of the file.
    """

    features: tuple[str, ...]
    table: npt.NDArray[np.float32]
    classify: bytes
    reconsider: bytes
    quality: bytes
    snap: dict[str, npt.NDArray[np.float32]]
    digest: str


def pack(
    *,
    features: tuple[str, ...],
    table: npt.NDArray[np.float32],
    models: dict[str, bytes],
    snap: dict[str, npt.NDArray[np.float32]],
) -> bytes:
    """The bytes of a weights file; the same parts give the same bytes."""
    arrays: dict[str, npt.NDArray[Any] | bytes] = {"table": table.astype(np.float16)}
    arrays |= {f"model.{name}": data for name, data in models.items()}
    arrays |= {f"snap.{name}": layer.astype(np.float32) for name, layer in snap.items()}
    return pack_arrays({"format": FORMAT, "features": features}, arrays)


def unpack(data: bytes, name: str = _FILE) -> Weights:
    """Weights from the bytes of a file."""
    with Unpacked(data, FORMAT, name=name, of="FFGBT") as file:
        parts = file.arrays.items()
        return Weights(
            features=tuple(file.meta["features"]),
            table=file.arrays["table"].astype(np.float32),
            snap={key.removeprefix("snap."): layer for key, layer in parts if key.startswith("snap.")},
            digest=hashlib.sha256(data).hexdigest(),
            **{part: file.bytes(f"model.{part}") for part in ("classify", "reconsider", "quality")},
        )


def weights_file(path: Path | None = None) -> bytes:
    """The bytes of a weights file, by default of the one inside the package."""
    try:
        return _resource(_FILE) if path is None else path.read_bytes()
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None


@cache
def shipped() -> Weights:
    """The weights inside the package, read once."""
    return unpack(_resource(_FILE))


@cache
def shipped_point() -> OperatingPoint:
    """The operating point that was calibrated for the shipped weights; bound to them by digest."""
    record = json.loads(_resource(_POINT))
    if record["candidate"] != shipped().digest:
        raise IntegrityError(f"{_POINT} of ffgbt belongs to other weights.")
    return OperatingPoint.model_validate(record["point"])


def _resource(name: str) -> bytes:
    return (files("acromeld.detect.ffgbt") / name).read_bytes()
