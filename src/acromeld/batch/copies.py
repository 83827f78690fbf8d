# SPDX-License-Identifier: Apache-2.0
"""Files with the same content: worked on once, and each given outputs as if it had been alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.batch.delivery import ENDINGS, deliver
from acromeld.batch.intake import read_exactly
from acromeld.batch.job import FIELDS, Delivered, Outcome, Parts
from acromeld.fields import parse_document

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.batch.journal import Entry


def copy_outputs(out: Path, original: Entry, stem: str, name: str) -> Delivered:
    """Write the outputs of ``original`` again under another name; the fields file names the copy."""
    parts: Parts = {
        part: read_exactly(out / f"{original.stem}{ending}", original.digests[part])
        for part, ending in ENDINGS.items()
        if part in original.digests
    }
    parts[FIELDS] = _renamed_fields(parts[FIELDS], name)
    delivered = deliver(out, stem, original.sha256, parts)
    pictures = {part: digest for part, digest in original.digests.items() if part not in ENDINGS}
    sizes = {part: size for part, size in original.sizes.items() if part not in ENDINGS}
    return Delivered(delivered.digests | pictures, delivered.sizes | sizes)


def _renamed_fields(data: bytes, name: str) -> bytes:
    fields = parse_document(data)
    document = fields.document.model_copy(update={"name": name})
    return fields.model_copy(update={"document": document}).to_json().encode()


def renamed(outcome: Outcome, old: str, new: str) -> Outcome:
    """The same outcome, speaking of another file."""
    notes = [note.replace(old, new) for note in outcome.notes]
    return outcome.model_copy(update={"reason": outcome.reason.replace(old, new)[:2000], "notes": notes})
