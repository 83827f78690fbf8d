# SPDX-License-Identifier: Apache-2.0
"""Putting the fields on their pages."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf

from acromeld.fields import FieldKind
from acromeld.form.attaching import Control, attach
from acromeld.form.naming import given_name, wanted_name
from acromeld.form.placement import place
from acromeld.form.radio import RadioField, radio_members
from acromeld.form.spoken import spoken_name
from acromeld.form.textstyle import text_style
from acromeld.form.widget import bare_widget, make_field
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acromeld.fields import Field
    from acromeld.form.acroform import AcroForm
    from acromeld.form.plan import Sheet
    from acromeld.pdf.page import Words


@dataclass(frozen=True)
class FilledSheet:
    """A page with its new controls, in tab order."""

    sheet: Sheet
    controls: tuple[Control, ...]


class Filler:
    """Writes the fields of all pages of a document; radio groups may go over several of them."""

    def __init__(self, form: AcroForm, sheets: Sequence[Sheet], language: str | None) -> None:
        self._form = form
        self._language = language
        self._members = radio_members(field for sheet in sheets for field in sheet.fields)
        self._radios: dict[str, RadioField] = {}
        wanted = (given_name(field) for sheet in sheets for field in sheet.fields)
        form.names.announce(name for name in wanted if name is not None)

    def fill(self, sheet: Sheet, words: Words | None) -> FilledSheet:
        """The fields of one page. Numbers count each kind from 1, as a person would on paper."""
        numbers: Counter[FieldKind] = Counter()
        controls = []
        for field in sheet.fields:
            numbers[field.kind] += 1
            if field.kind is FieldKind.CHOICE and field.group in self._members:
                controls.append(self._radio_button(sheet, field, numbers[field.kind]))
            else:
                controls.append(self._single(sheet, field, numbers[field.kind], words))
        if controls:
            attach(sheet, controls)
        return FilledSheet(sheet, tuple(controls))

    def _single(self, sheet: Sheet, field: Field, number: int, words: Words | None) -> Control:
        placement = place(field.box, sheet.frame)
        name = self._form.names.claim(wanted_name(field, sheet.index + 1, number))
        spoken = spoken_name(field, sheet.index + 1, number, self._language)
        bare = bare_widget(sheet.page, placement, spoken.text)
        node = make_field(self._form, bare, name, field, placement, text_style(field, words))
        self._form.add(node)
        return Control(field, node, spoken)

    def _radio_button(self, sheet: Sheet, field: Field, number: int) -> Control:
        assert field.group is not None
        radio = self._radios.get(field.group)
        if radio is None:
            radio = RadioField(self._form, self._members[field.group], sheet.index + 1, number)
            self._radios[field.group] = radio
        widget, spoken = radio.add_button(sheet.page, place(field.box, sheet.frame))
        return Control(field, widget, spoken)


def fill_sheets(
    form: AcroForm, sheets: Sequence[Sheet], words: Mapping[int, Words], language: str | None
) -> list[FilledSheet]:
    """Write the fields of every page; pages with nothing but links also say how Tab goes through them."""
    filler = Filler(form, sheets, language)
    filled = [filler.fill(sheet, words.get(sheet.index)) for sheet in sheets]
    for page in form.pdf.pages:
        if "/Tabs" not in page.obj and annotation_dicts(page):
            page.obj["/Tabs"] = pikepdf.Name.S
    return filled
