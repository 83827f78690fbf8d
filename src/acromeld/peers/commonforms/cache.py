# SPDX-License-Identifier: Apache-2.0
"""Predictions kept by content: one file of page lines per document, network and profile.

A page costs seconds and never changes, so it is predicted once. Files are replaced whole; a line that does
not parse (a damaged disk, another version) is treated as missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.errors import BadFields
from acromeld.fields import DocumentFields, PageFields, parse_line
from acromeld.peers.commonforms.steps import write_text

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.fields import DetectorRef, DocumentRef

RUNNER = "1"
"""Raised when our runner would give other numbers, so that old predictions are not taken for new ones."""


@dataclass(frozen=True)
class PageCache:
    """The predictions of one detector below a folder."""

    folder: Path
    detector: DetectorRef

    def path(self, sha256: str) -> Path:
        """The file of a document; the name of its folder says what made it."""
        made_by = f"{self.detector.name.replace(':', '-')}-{(self.detector.weights or 'none')[:16]}-r{RUNNER}"
        return self.folder / made_by / sha256[:2] / f"{sha256}.jsonl"

    def read(self, sha256: str) -> dict[int, PageFields]:
        """The pages known of a document, by index."""
        try:
            rows = self.path(sha256).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            return {}
        pages = (self._page(row, sha256) for row in rows)
        return {page.page.index: page for page in pages if page is not None}

    def _page(self, row: str, sha256: str) -> PageFields | None:
        try:
            line = parse_line(row)
        except BadFields:
            return None
        if line.document.sha256 != sha256 or line.detector != self.detector:
            return None
        return PageFields(page=line.page, fields=line.fields, notes=line.notes)

    def add(self, document: DocumentRef, pages: dict[int, PageFields]) -> None:
        """Add pages to what is there; another process may have added some since we read."""
        merged = self.read(document.sha256) | pages
        ordered = tuple(merged[index] for index in sorted(merged))
        content = DocumentFields(document=document, detector=self.detector, pages=ordered)
        write_text(self.path(document.sha256), "".join(f"{line}\n" for line in content.to_lines()))
