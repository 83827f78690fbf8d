# SPDX-License-Identifier: Apache-2.0
"""Learned numbers in one file: an ``.npz`` of arrays and a JSON header, and nothing executable.

The same parts give the same bytes, so that a digest is about the numbers and not about when they were packed.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.errors import IntegrityError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    Arrays = dict[str, npt.NDArray[Any]]

_META = "meta"


def pack(meta: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any] | bytes]) -> bytes:
    """The bytes of a weights file; ``meta`` names its format. Bytes are kept as arrays of bytes."""
    parts = {_META: json.dumps(meta, sort_keys=True).encode(), **arrays}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, part in sorted(parts.items()):
            array = np.frombuffer(part, dtype=np.uint8) if isinstance(part, bytes) else part
            inner = io.BytesIO()
            np.save(inner, array, allow_pickle=False)
            # A fixed date: the file must not depend on when it was made.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0)), inner.getvalue(), 8)
    return buffer.getvalue()


class Unpacked:
    """The header and the arrays of a file whose format was checked.

    Whoever takes parts from it does so in a ``with`` block: a part that is missing or of the wrong form is
    then told as a damaged file.

    Args:
        data: The bytes of the file.
        format_: What the header must say.
        name: What the file is called.
        of: Whose weights they are.
    """

    def __init__(self, data: bytes, format_: str, *, name: str, of: str) -> None:
        self._damaged = f"{name} is not a weights file of {of}, or is damaged."
        with self:
            with np.load(io.BytesIO(data), allow_pickle=False) as archive:
                self.arrays: Arrays = {key: archive[key] for key in archive.files}
            self.meta: dict[str, Any] = json.loads(self.arrays.pop(_META).tobytes())
            if self.meta["format"] != format_:
                found = self.meta["format"]
                raise IntegrityError(f"{name} has format {found!r}; this version reads {format_!r}.")

    def bytes(self, part: str) -> bytes:
        """A part that was packed as bytes."""
        return self.arrays[part].tobytes()

    def __enter__(self) -> Unpacked:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, KeyError | TypeError | ValueError | OSError | EOFError | zipfile.BadZipFile):
            raise IntegrityError(self._damaged) from None
