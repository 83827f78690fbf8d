# SPDX-License-Identifier: Apache-2.0
"""The document-wide form dictionary: made when missing, added to when there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.fonts import FormFonts
from acromeld.form.naming import NameBook, names_in_use
from acromeld.form.objects import array_at, catalog, dict_at, flag_at, inherited, int_at
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from pikepdf import Array, Dictionary, Pdf

_SIGNATURES_EXIST = 1


class AcroForm:
    """The form of an open document, with what new fields need: names, fonts, a place in /Fields."""

    def __init__(self, pdf: Pdf) -> None:
        self.pdf = pdf
        self._form = _provide(pdf)
        self.names = NameBook(names_in_use(pdf, self._form))
        self.fonts = FormFonts(pdf, self._form)
        if not isinstance(self._form.get("/DA"), pikepdf.String):
            self._form["/DA"] = pikepdf.String(f"/{self.fonts.text_name} 0 Tf 0 g")
        _settle_need_appearances(pdf, self._form)

    def add(self, field: Dictionary) -> None:
        """Append a field at the root of the tree."""
        self._fields().append(field)
        if field.get("/FT") == "/Sig":
            # ISO 32000-2, 12.7.3: bit 1 says that there is a signature field, signed or not. Bit 2
            # (AppendOnly) belongs to signed documents and is left as it is.
            self._form["/SigFlags"] = int_at(self._form, "/SigFlags") | _SIGNATURES_EXIST

    def _fields(self) -> Array:
        fields = array_at(self._form, "/Fields")
        assert fields is not None
        return fields


def _provide(pdf: Pdf) -> Dictionary:
    root = catalog(pdf)
    if dict_at(root, "/AcroForm") is None:
        root["/AcroForm"] = pdf.make_indirect(pikepdf.Dictionary(Fields=pikepdf.Array()))
    form = dict_at(root, "/AcroForm")
    assert form is not None
    if array_at(form, "/Fields") is None:
        form["/Fields"] = pikepdf.Array()
    return form


def _settle_need_appearances(pdf: Pdf, form: Dictionary) -> None:
    """Keep /NeedAppearances only where an existing field still needs it.

    The flag makes viewers rebuild every appearance on opening and ask to save on closing; ours need neither.
    It stays true when an older widget has no appearance, or has a value: programs that fill forms without
    drawing rely on the flag to show what they filled in.
    """
    if "/NeedAppearances" not in form:
        return
    widgets = (item for page in pdf.pages for item in annotation_dicts(page))
    if not flag_at(form, "/NeedAppearances") or not any(map(_needs_drawing, widgets)):
        del form["/NeedAppearances"]


def _needs_drawing(annotation: Dictionary) -> bool:
    if annotation.get("/Subtype") != "/Widget":
        return False
    appearance = dict_at(annotation, "/AP")
    drawn = appearance is not None and "/N" in appearance
    return not drawn or inherited(annotation, "/V") is not None
