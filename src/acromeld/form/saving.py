# SPDX-License-Identifier: Apache-2.0
"""Open document to bytes, the same bytes every time, touching nothing that did not have to change."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import pikepdf

from acromeld.errors import NotAPdf

if TYPE_CHECKING:
    from pikepdf import Pdf

_MIN_VERSION = "1.5"
"""/Tabs and comb fields came with PDF 1.5; newer files keep their version."""


def document_bytes(pdf: Pdf, name: str) -> bytes:
    """The whole file, unencrypted.

    Streams pass through as they are encoded, object streams stay where they were, and the /ID is made from
    the content instead of the clock.
    """
    buffer = io.BytesIO()
    try:
        _save(pdf, buffer)
    except (pikepdf.PdfError, RuntimeError, ValueError):
        raise NotAPdf(f"{name} is too damaged to be written again.") from None
    return buffer.getvalue()


def _save(pdf: Pdf, buffer: io.BytesIO) -> None:
    with warnings.catch_warnings():
        # Widgets that the author forgot to list in /Fields were like that in the original.
        warnings.simplefilter("ignore", pikepdf.PageCopyWarning)
        pdf.save(
            buffer,
            min_version=_MIN_VERSION,
            deterministic_id=True,
            fix_metadata_version=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
            object_stream_mode=pikepdf.ObjectStreamMode.preserve,
            encryption=False,
        )
