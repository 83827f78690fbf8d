# SPDX-License-Identifier: Apache-2.0
"""From fields.json and the original to the fillable document.

Everything happens on a copy in memory: the original is never opened for writing, and a refusal or failure
leaves nothing behind.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf

from acromeld.fields import FieldKind
from acromeld.form.acroform import AcroForm
from acromeld.form.admission import admit
from acromeld.form.existing import Existing, remove_widgets
from acromeld.form.facts import form_facts
from acromeld.form.naming import spoken_name, wanted_name
from acromeld.form.objects import array_at
from acromeld.form.placement import place
from acromeld.form.plan import check_identity, make_sheets, without_occupied, without_unusable
from acromeld.form.saving import document_bytes
from acromeld.form.textstyle import text_style
from acromeld.form.widget import Label, make_field
from acromeld.pdf.source import open_pikepdf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pikepdf import Dictionary, Page, Pdf

    from acromeld.fields import DocumentFields
    from acromeld.form.plan import Sheet
    from acromeld.pdf.page import Words
    from acromeld.pdf.source import Source


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
        written = _write(pdf, sheets, words or {})
        dropped = sum(sheet.occupied + sheet.unusable for sheet in sheets)
        return WrittenForm(document_bytes(pdf, source.name), tuple(notes), written, dropped)


def _clear(pdf: Pdf, sheets: Sequence[Sheet]) -> list[str]:
    removed = remove_widgets(pdf, [sheet.page for sheet in sheets])
    return [f"{_count(removed, 'existing field')} removed."] if removed else []


def _left_out(sheets: Sequence[Sheet]) -> list[str]:
    occupied = sum(sheet.occupied for sheet in sheets)
    unusable = sum(sheet.unusable for sheet in sheets)
    grouped = sum(field.group is not None for sheet in sheets for field in sheet.fields)
    notes = []
    if occupied:
        notes.append(f"{_count(occupied, 'new field')} left out where the document has a field already.")
    if unusable:
        notes.append(f"{_count(unusable, 'new field')} left out: too small to use, or not on the page.")
    if grouped:
        notes.append(f"{_count(grouped, 'grouped choice field')} written as separate check boxes.")
    return notes


def _count(number: int, thing: str) -> str:
    return f"1 {thing} was" if number == 1 else f"{number} {thing}s were"


def _write(pdf: Pdf, sheets: Sequence[Sheet], words: Mapping[int, Words]) -> int:
    """Add all fields and give their number; a document that gets none is not made a form."""
    if not any(sheet.fields for sheet in sheets):
        return 0
    form = AcroForm(pdf)
    for sheet in sheets:
        made = _write_sheet(form, sheet, words.get(sheet.index))
        _attach(sheet.page, made)
    return sum(len(sheet.fields) for sheet in sheets)


def _write_sheet(form: AcroForm, sheet: Sheet, words: Words | None) -> list[Dictionary]:
    """The fields of one page. Numbers count each kind from 1, as a person would on paper."""
    numbers: Counter[FieldKind] = Counter()
    made = []
    for field in sheet.fields:
        numbers[field.kind] += 1
        where = sheet.index + 1, numbers[field.kind]
        label = Label(form.names.claim(wanted_name(field, *where)), spoken_name(field, *where))
        node = make_field(
            form, sheet.page, field, place(field.box, sheet.frame), label, text_style(field, words)
        )
        form.add(node)
        made.append(node)
    return made


def _attach(page: Page, made: Sequence[Dictionary]) -> None:
    """Append the widgets to the page's annotations, and make the Tab key follow that order.

    The array is always a new one: some files share one /Annots between pages. A page without /Tabs gets /S,
    which PDF/UA-1 (7.18.3) asks for; on untagged pages viewers then go by the order of the array, which is
    ours. An author's own /Tabs stays.
    """
    if not made:
        return
    page.obj["/Annots"] = pikepdf.Array([*(array_at(page.obj, "/Annots") or ()), *made])
    if "/Tabs" not in page.obj:
        page.obj["/Tabs"] = pikepdf.Name.S
