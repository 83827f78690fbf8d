# SPDX-License-Identifier: Apache-2.0
"""One field as PDF objects: the dictionary that is both field and widget annotation.

A field with a single widget is written merged with it (ISO 32000-2, 12.7.4.1). A radio group is one field
with several widgets; `Field.group` names it, and `make_field` is the place where such fields will be joined.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf

from acromeld.fields import FieldKind
from acromeld.form.appearance import OFF, blank_appearance, check_appearance, text_appearance

if TYPE_CHECKING:
    from pikepdf import Dictionary, Page

    from acromeld.fields import Field
    from acromeld.form.acroform import AcroForm
    from acromeld.form.placement import Placement
    from acromeld.form.textstyle import TextStyle

_PRINT = 4
_MULTILINE, _DO_NOT_SCROLL, _COMB = 1 << 12, 1 << 23, 1 << 24
_TICK_CAPTION = "4"
"""The tick of ZapfDingbats, for viewers that draw their own mark."""


@dataclass(frozen=True)
class Label:
    """The two names of a field: for programs and for people."""

    name: str
    spoken: str


def make_field(
    form: AcroForm, page: Page, field: Field, placement: Placement, label: Label, style: TextStyle
) -> Dictionary:
    """The field as an indirect object, ready for /Fields and /Annots."""
    node = _widget(page, placement, label)
    if field.kind is FieldKind.TEXT:
        _as_text(node, form, field, placement, style)
    elif field.kind is FieldKind.CHOICE:
        _as_check_box(node, form, placement)
    else:
        node["/FT"] = pikepdf.Name.Sig
        node["/AP"] = blank_appearance(form.pdf, placement)
    made = form.pdf.make_indirect(node)
    assert isinstance(made, pikepdf.Dictionary)
    return made


def _widget(page: Page, placement: Placement, label: Label) -> Dictionary:
    """What every widget has. /Contents repeats the spoken name because PDF/UA-2 looks for it there."""
    look = pikepdf.Dictionary()
    if placement.rotation:
        look["/R"] = placement.rotation
    return pikepdf.Dictionary(
        Type=pikepdf.Name.Annot,
        Subtype=pikepdf.Name.Widget,
        Rect=pikepdf.Array(placement.rect),
        P=page.obj,
        F=_PRINT,
        T=pikepdf.String(label.name),
        TU=pikepdf.String(label.spoken),
        Contents=pikepdf.String(label.spoken),
        MK=look,
    )


def _as_text(node: Dictionary, form: AcroForm, field: Field, placement: Placement, style: TextStyle) -> None:
    node["/FT"] = pikepdf.Name.Tx
    flags = _MULTILINE if style.multiline else 0
    if field.comb is not None:
        flags |= _COMB | _DO_NOT_SCROLL
        node["/MaxLen"] = field.comb
    if flags:
        node["/Ff"] = flags
    size = f"{style.size / placement.user_unit:.4f}".rstrip("0").rstrip(".")
    node["/DA"] = pikepdf.String(f"/{form.fonts.text_name} {size} Tf 0 g")
    node["/AP"] = text_appearance(form.pdf, placement, form.fonts.resources())


def _as_check_box(node: Dictionary, form: AcroForm, placement: Placement) -> None:
    node["/FT"] = pikepdf.Name.Btn
    node["/V"] = pikepdf.Name(OFF)
    node["/AS"] = pikepdf.Name(OFF)
    node["/DA"] = pikepdf.String(f"/{form.fonts.mark_name} 0 Tf 0 g")
    node["/MK"]["/CA"] = pikepdf.String(_TICK_CAPTION)
    node["/AP"] = check_appearance(form.pdf, placement)
