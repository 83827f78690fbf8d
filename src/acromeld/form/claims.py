# SPDX-License-Identifier: Apache-2.0
"""Claims of conformance in the metadata: PDF/A and PDF/UA.

New fields bring a font that is not embedded, which both standards forbid, and saving packs objects in a way
that PDF/A-1 does not know. An archive that believed the old claim would keep a file it did not want.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.objects import catalog

if TYPE_CHECKING:
    from pikepdf import Pdf

_STANDARDS = {"{http://www.aiim.org/pdfa/ns/id/}": "PDF/A", "{http://www.aiim.org/pdfua/ns/id/}": "PDF/UA"}
_UNREADABLE = (pikepdf.PdfError, ValueError, TypeError, RuntimeError)


def drop_claims(pdf: Pdf) -> list[str]:
    """Take the claims out; a note for each. Metadata that cannot be read claim nothing."""
    if not isinstance(catalog(pdf).get("/Metadata"), pikepdf.Stream):
        return []
    try:
        metadata = pdf.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False)
        claims = {name: standard for name in metadata if (standard := _standard(name))}
        if claims:
            with metadata:
                for name in claims:
                    del metadata[name]
    except _UNREADABLE:
        return []
    return [
        f"The original says that it conforms to {standard}; the output does not, so this was removed."
        for standard in sorted(set(claims.values()))
    ]


def _standard(name: str) -> str:
    return next((standard for space, standard in _STANDARDS.items() if name.startswith(space)), "")
