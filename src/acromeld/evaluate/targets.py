# SPDX-License-Identifier: Apache-2.0
"""Ground truth: the native widgets of the PDFs in a folder.

The rules for what counts as a field are those of `acromeld.pdf.widgets`. Documents are known by content hash;
a file that lies in the folder twice counts once. A document that cannot be read costs itself: none of its
pages count, and the reason is kept.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acromeld.errors import AcromeldError, InputNotFound, IntegrityError
from acromeld.evaluate.pages import PageKey, TargetPage
from acromeld.fields import KINDS
from acromeld.geometry import as_boxes
from acromeld.pdf.source import Source, load_source, open_pikepdf, page_frame
from acromeld.pdf.widgets import page_widgets
from acromeld.provenance.printable import printable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Collection, Iterable

    import pikepdf

    VectorFact = Callable[[str, int], bool | None]

PATIENCE = 25
"""So many documents one after the other that fail in a way nobody had foreseen are no bad documents."""


@dataclass(frozen=True)
class Targets:
    """The truth of a set of documents.

    Attributes:
        pages: By document hash and page index.
        names: File name of each document.
        rejected: Widgets that do not count, by ``"class: reason"``.
        unreadable: Files that are no usable PDF, with the reason.
    """

    pages: dict[PageKey, TargetPage]
    names: dict[str, str] = field(default_factory=dict)
    rejected: Counter[str] = field(default_factory=Counter)
    unreadable: tuple[tuple[str, str], ...] = ()


def read_targets(
    folder: str | os.PathLike[str],
    *,
    only: Collection[str] | None = None,
    vector: VectorFact | None = None,
) -> Targets:
    """Widgets of every PDF below a folder.

    Args:
        folder: Searched recursively for ``*.pdf``.
        only: Content hashes to read; all documents when not given.
        vector: Says whether a page (hash, index) has vector primitives, for the strata.
    """
    if not Path(folder).is_dir():
        raise InputNotFound(f"{folder} is not a folder.")
    paths = sorted(Path(folder).rglob("*.[pP][dD][fF]"))
    files = ((printable(path.name), partial(load_source, path)) for path in paths)
    return targets_of(files, only=only, vector=vector)


def targets_of(
    files: Iterable[tuple[str, Callable[[], Source]]],
    *,
    only: Collection[str] | None = None,
    vector: VectorFact | None = None,
) -> Targets:
    """Widgets of the named files, each loaded when its turn comes; see `read_targets` for the rest.

    Raises:
        IntegrityError: A file is not the one that was listed. That is no fault of its content.
        Exception: Whatever fails on one document after the other.
    """
    targets, failures = Targets({}), Failures()
    unreadable: list[tuple[str, str]] = []
    for name, load in files:
        try:
            source = load()
            if source.sha256 in targets.names or (only is not None and source.sha256 not in only):
                continue
            _add_document(source, targets, vector)
            failures.end()
        except Exception as error:  # Files of strangers: whatever it is, it costs this document.
            unreadable.append((name, failures.reason(error)))
    return Targets(targets.pages, targets.names, targets.rejected, tuple(unreadable))


class Failures:
    """Tells bad documents from bad code, disks and memory, in a row of documents."""

    def __init__(self) -> None:
        self._unforeseen = 0

    def end(self) -> None:
        """A document was read, or failed the way documents do."""
        self._unforeseen = 0

    def reason(self, error: Exception) -> str:
        """Why a document could not be read: our own sentence, or the name of what nobody had foreseen.

        Raises:
            Exception: The error itself, when it is not the fault of the document.
        """
        if isinstance(error, IntegrityError):
            raise error
        if isinstance(error, AcromeldError):
            self.end()
            return printable(str(error))
        self._unforeseen += 1
        if self._unforeseen >= PATIENCE:
            raise error
        return printable(f"{type(error).__name__}: {error}")


def _add_document(source: Source, targets: Targets, vector: VectorFact | None) -> None:
    """All pages of a document, or none of them when one cannot be read."""
    pages: dict[PageKey, TargetPage] = {}
    rejected: Counter[str] = Counter()
    with open_pikepdf(source) as pdf:
        for index, page in enumerate(pdf.pages):
            has_vector = None if vector is None else vector(source.sha256, index)
            target, left_out = _target_page(page, source.sha256, index, has_vector)
            pages[target.key] = target
            rejected.update(left_out)
    targets.pages.update(pages)
    targets.rejected.update(rejected)
    targets.names[source.sha256] = source.name


def _target_page(
    page: pikepdf.Page, document: str, index: int, vector: bool | None
) -> tuple[TargetPage, Counter[str]]:
    frame = page_frame(page)
    found = page_widgets(page, frame)
    box = as_boxes([widget.box for widget in found.widgets])
    kind = np.array([KINDS.index(widget.kind) for widget in found.widgets], dtype=np.int64)
    rejected = Counter(
        {
            f"{'untyped' if widget_kind is None else widget_kind.value}: {reason.value}": count
            for (widget_kind, reason), count in found.rejected.items()
        }
    )
    return TargetPage(document, index, frame.width, frame.height, box, kind, vector), rejected
