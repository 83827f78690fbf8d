# SPDX-License-Identifier: Apache-2.0
"""The two fonts a form needs, added to what the document has.

Helvetica and ZapfDingbats are in every viewer and need no embedding. Text beyond Western European letters is
up to the viewer, which substitutes a font while typing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.objects import dict_at

if TYPE_CHECKING:
    from pikepdf import Dictionary, Pdf

_HELVETICA = ("Helv", "Helvetica")
_DINGBATS = ("ZaDb", "ZapfDingbats")


class FormFonts:
    """Resource names and objects of the form's fonts.

    The usual names Helv and ZaDb are shared with the document when they mean the same there. Where a file
    uses such a name for some other font, ours gets a name of its own: existing fields depend on theirs.
    """

    def __init__(self, pdf: Pdf, acroform: Dictionary) -> None:
        resources = _child(acroform, "/DR")
        fonts = _child(resources, "/Font")
        self.text_name, self.text = _provide(pdf, fonts, *_HELVETICA)
        self.mark_name, _ = _provide(pdf, fonts, *_DINGBATS)

    def resources(self) -> Dictionary:
        """/Resources of a text appearance."""
        return pikepdf.Dictionary(Font=pikepdf.Dictionary({f"/{self.text_name}": self.text}))


def _child(node: Dictionary, key: str) -> Dictionary:
    """A dictionary entry, made when missing or unusable."""
    if dict_at(node, key) is None:
        node[key] = pikepdf.Dictionary()
    found = dict_at(node, key)
    assert found is not None
    return found


def _provide(pdf: Pdf, fonts: Dictionary, usual: str, base: str) -> tuple[str, Dictionary]:
    """The name under which a standard font is in a font dictionary, added when it is not there."""
    number, name = 1, usual
    while f"/{name}" in fonts:
        present = dict_at(fonts, f"/{name}")
        if present is not None and _is_standard(present, base):
            return name, present
        number, name = number + 1, f"{usual}{number}"
    font = pikepdf.Dictionary(
        Type=pikepdf.Name.Font, Subtype=pikepdf.Name.Type1, BaseFont=pikepdf.Name(f"/{base}")
    )
    if base == _HELVETICA[1]:
        font["/Encoding"] = pikepdf.Name.WinAnsiEncoding
    fonts[f"/{name}"] = pdf.make_indirect(font)
    added = dict_at(fonts, f"/{name}")
    assert added is not None
    return name, added


def _is_standard(font: Dictionary, base: str) -> bool:
    return font.get("/Subtype") == "/Type1" and font.get("/BaseFont") == f"/{base}"
