# SPDX-License-Identifier: Apache-2.0
"""The fields file beside the original: read with its digest, so that a change by somebody else is noticed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.errors import BadFields, InputNotFound
from acromeld.fields import DocumentFields, parse_document
from acromeld.form.output import write_atomically
from acromeld.review.places import fields_path

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.pdf.source import Source


@dataclass(frozen=True)
class FieldsFile:
    """What is in the file, and the digest of its bytes."""

    fields: DocumentFields
    digest: str


def digest_of(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def read_fields_file(pdf: Path, source: Source) -> FieldsFile | None:
    """The fields file of a PDF, if there is one; one that is not for this very PDF stops the review."""
    path = fields_path(pdf)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    fields = parse_document(data, path.name)
    if fields.document.sha256 != source.sha256:
        raise BadFields(
            f"{path.name} was made for another version of {pdf.name}; move it away to start anew."
        )
    return FieldsFile(fields, digest_of(data))


def write_fields_file(pdf: Path, fields: DocumentFields, *, overwrite: bool) -> str:
    """Write the fields file, whole or not at all; gives its digest."""
    data = fields.to_json().encode()
    write_atomically(data, fields_path(pdf), overwrite=overwrite)
    return digest_of(data)


def digest_on_disk(pdf: Path) -> str | None:
    """The digest of the fields file as it is now; none when it cannot be read."""
    try:
        return digest_of(fields_path(pdf).read_bytes())
    except OSError:
        return None
