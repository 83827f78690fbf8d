# SPDX-License-Identifier: Apache-2.0
"""From fields.json and the original to the fillable document.

Everything happens on a copy in memory: the original is never opened for writing, and a refusal or failure
leaves nothing behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.form.acroform import AcroForm
from acromeld.form.admission import admit
from acromeld.form.existing import Existing, remove_widgets
from acromeld.form.facts import form_facts
from acromeld.form.filling import fill_sheets
from acromeld.form.identity import name_document, speak_for_silent_pages
from acromeld.form.plan import check_identity, make_sheets, without_occupied, without_unusable
from acromeld.form.saving import document_bytes
from acromeld.form.tags import tag_controls
from acromeld.pdf.source import open_pikepdf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pikepdf import Pdf

    from acromeld.fields import DocumentFields
    from acromeld.form.plan import Sheet
    from acromeld.pdf.page import Words
    from acromeld.pdf.source import Source


_NAMED = 5
"""Changed names that are said one by one."""


@dataclass(frozen=True)
class WrittenForm:
    """A fillable document.

    Attributes:
        data: The file.
        notes: Sentences on what was lost or left out.
        written: Fields added.
        dropped: Fields left out, because one was there already or a person could not use them.
    """

    data: bytes
    notes: tuple[str, ...]
    written: int
    dropped: int


def apply_fields(
    source: Source,
    fields: DocumentFields,
    *,
    existing: Existing = Existing.KEEP,
    force: bool = False,
    words: Mapping[int, Words] | None = None,
) -> WrittenForm:
    """Add the fields to the document.

    Args:
        source: The original.
        fields: What to add; made for exactly this file, unless forced.
        existing: What happens to fields that are there already.
        force: Write signed files, files with usage rights, and fields that were made for another file.
        words: Words by page index, from which text fields take their font size.

    Raises:
        BadFields: The fields do not belong to this document.
        Refused: The document is one that writing would damage.
    """
    notes = check_identity(source, fields, force=force)
    with open_pikepdf(source) as pdf:
        notes += admit(pdf, form_facts(pdf), source, force=force)
        sheets = make_sheets(pdf, fields, source.name)
        if existing is Existing.REPLACE:
            notes += _clear(pdf, sheets)
        sheets = [without_occupied(without_unusable(sheet)) for sheet in sheets]
        notes += _left_out(sheets)
        notes += _write(pdf, sheets, words or {}, fields)
        written = sum(len(sheet.fields) for sheet in sheets)
        dropped = sum(sheet.occupied + sheet.unusable for sheet in sheets)
        return WrittenForm(document_bytes(pdf, source.name), tuple(notes), written, dropped)


def _clear(pdf: Pdf, sheets: Sequence[Sheet]) -> list[str]:
    removed = remove_widgets(pdf, [sheet.page for sheet in sheets])
    return [f"{_count(removed, 'existing field')} removed."] if removed else []


def _left_out(sheets: Sequence[Sheet]) -> list[str]:
    occupied = sum(sheet.occupied for sheet in sheets)
    unusable = sum(sheet.unusable for sheet in sheets)
    notes = []
    if occupied:
        notes.append(f"{_count(occupied, 'new field')} left out where the document has a field already.")
    if unusable:
        notes.append(f"{_count(unusable, 'new field')} left out: too small to use, or not on the page.")
    return notes


def _count(number: int, thing: str) -> str:
    return f"1 {thing} was" if number == 1 else f"{number} {thing}s were"


def _write(
    pdf: Pdf, sheets: Sequence[Sheet], words: Mapping[int, Words], fields: DocumentFields
) -> list[str]:
    """Add and tag all fields; a document that gets none is not made a form. Gives notes."""
    if not any(sheet.fields for sheet in sheets):
        return []
    name_document(pdf, fields, words.get(0))
    form = AcroForm(pdf)
    filled = fill_sheets(form, sheets, words, fields.language)
    speak_for_silent_pages(pdf, (control.spoken for sheet in filled for control in sheet.controls), words)
    return [*_renamed(form.names.changed), *tag_controls(pdf, filled, words)]


def _renamed(changed: Sequence[tuple[str, str]]) -> list[str]:
    """Programs that fill the form go by names, so whoever asked for one must hear that it is another."""
    if not changed:
        return []
    said = ", ".join(f"{wanted} is now {name}" for wanted, name in changed[:_NAMED])
    more = f", and {len(changed) - _NAMED} more" if len(changed) > _NAMED else ""
    return [f"{_count(len(changed), 'name')} taken already: {said}{more}."]
