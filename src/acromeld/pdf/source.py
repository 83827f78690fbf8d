# SPDX-License-Identifier: Apache-2.0
"""Where the bytes of a PDF come from, and opening them with pikepdf.

The original is read once and never opened for writing. Both engines work on the same bytes, so a file that
changes on disk while we read cannot give two answers.
"""

from __future__ import annotations

import hashlib
import io
import os
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pikepdf

from acromeld.errors import InputNotFound, LimitExceeded, NotAPdf, PasswordNeeded
from acromeld.pdf.frame import PageFrame, visible_region
from acromeld.pdf.limits import DEFAULT_LIMITS, Limits

_MAX_TREE_DEPTH = 64


@dataclass(frozen=True)
class Source:
    """The bytes of one document, its name for messages, and the password that opens it."""

    data: bytes = field(repr=False)
    name: str
    password: str | None = field(default=None, repr=False)

    @cached_property
    def sha256(self) -> str:
        """Content hash, the identity of the document everywhere."""
        return hashlib.sha256(self.data).hexdigest()


def load_source(
    source: str | os.PathLike[str] | bytes | Source,
    *,
    password: str | None = None,
    name: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Source:
    """Read a path or take bytes as they are, within the size limit."""
    if isinstance(source, Source):
        return source
    if isinstance(source, bytes):
        _check_size(len(source), name or "document.pdf", limits)
        return Source(source, name or "document.pdf", password)
    path = Path(source)
    try:
        _check_size(path.stat().st_size, path.name, limits)
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputNotFound(f"{path} does not exist.") from None
    except IsADirectoryError:
        raise InputNotFound(
            f"{path} is a folder, not a PDF file; detect, review and batch take folders."
        ) from None
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    # A file name need not be text; ours goes into messages and JSON.
    return Source(data, name or path.name.encode("utf-8", "replace").decode(), password)


def _check_size(size: int, name: str, limits: Limits) -> None:
    if size > limits.file_bytes:
        megabytes = limits.file_bytes / 1024**2
        raise LimitExceeded(f"{name} is larger than the limit of {megabytes:.0f} MB.")


def open_pikepdf(source: Source) -> pikepdf.Pdf:
    """The document as pikepdf objects, repaired where qpdf can; failures become our own errors."""
    if not source.data:
        raise NotAPdf(f"{source.name} is empty.")
    try:
        return _opened(source)
    except pikepdf.PasswordError:
        if source.password:
            raise PasswordNeeded(f"The password does not open {source.name}.") from None
        raise PasswordNeeded(f"{source.name} is protected by a password; give it with --password.") from None
    except (pikepdf.PdfError, RuntimeError, ValueError):
        raise NotAPdf(f"{source.name} is not a PDF, or is damaged beyond repair.") from None


def _opened(source: Source) -> pikepdf.Pdf:
    stream = io.BytesIO(source.data)
    if not source.password:
        return pikepdf.open(stream)
    with warnings.catch_warnings():
        # A password that is not needed is no news: it may be for the other files of a folder.
        warnings.filterwarnings("ignore", "A password was provided", UserWarning)
        return pikepdf.open(stream, password=source.password)


def page_frame(page: pikepdf.Page) -> PageFrame:
    """The frame of a page, with inherited boxes and rotation.

    /Rotate may be negative or above 360 in the wild and is read modulo 360; a value that is no multiple of
    90 is ignored, as viewers do.
    """
    crop = visible_region(_box(page, "/MediaBox"), _box(page, "/CropBox"))
    rotation = _float(_inherited(page, "/Rotate"), 0.0) % 360
    unit = _float(page.obj.get("/UserUnit"), 1.0)
    return PageFrame(crop, int(rotation) if rotation % 90 == 0 else 0, unit if 0 < unit <= 75_000 else 1.0)


def _inherited(page: pikepdf.Page, key: str) -> object:
    """A page attribute, looked up through the page tree (ISO 32000-2, 7.7.3.4)."""
    node: object = page.obj
    for _ in range(_MAX_TREE_DEPTH):
        if not isinstance(node, pikepdf.Dictionary):
            return None
        if key in node:
            return node[key]
        node = node.get("/Parent")
    return None


def _box(page: pikepdf.Page, key: str) -> tuple[float, float, float, float] | None:
    value = _inherited(page, key)
    if not isinstance(value, pikepdf.Array) or len(value) != 4:
        return None
    corners = [_float(corner, float("nan")) for corner in value]
    return corners[0], corners[1], corners[2], corners[3]


def _float(value: object, default: float) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return default
