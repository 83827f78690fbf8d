# SPDX-License-Identifier: Apache-2.0
"""One field as PDF objects: the dictionary that is both field and widget annotation.

A field with a single widget is written merged with it (ISO 32000-2, 12.7.4.1). A radio group is one field
with several widgets, see `acromeld.form.radio`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.fields import Alignment, FieldKind, Mark
from acromeld.form.appearance import blank_appearance, button_appearance, text_appearance
from acromeld.form.marks import CAPTION
from acromeld.form.states import OFF, check_state

if TYPE_CHECKING:
    from pikepdf import Dictionary, Page

    from acromeld.fields import Field
    from acromeld.form.acroform import AcroForm
    from acromeld.form.placement import Placement
    from acromeld.form.textstyle import TextStyle

_PRINT = 4
_MULTILINE, _DO_NOT_SCROLL, _COMB = 1 << 12, 1 << 23, 1 << 24
_QUADDING = {Alignment.CENTRE: 1, Alignment.RIGHT: 2}


def make_field(
    form: AcroForm, node: Dictionary, name: str, field: Field, placement: Placement, style: TextStyle
) -> Dictionary:
    """A bare widget made a field of its own, as an indirect object ready for /Fields and /Annots."""
    node["/T"] = pikepdf.String(name)
    if field.kind is FieldKind.TEXT:
        _as_text(node, form, field, placement, style)
    elif field.kind is FieldKind.CHOICE:
        _as_check_box(node, form, field, placement)
    else:
        node["/FT"] = pikepdf.Name.Sig
        node["/AP"] = blank_appearance(form.pdf, placement)
    made = form.pdf.make_indirect(node)
    assert isinstance(made, pikepdf.Dictionary)
    return made


def bare_widget(page: Page, placement: Placement, spoken: str) -> Dictionary:
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
        TU=pikepdf.String(spoken),
        Contents=pikepdf.String(spoken),
        MK=look,
    )


def dress_button(form: AcroForm, node: Dictionary, placement: Placement, state: str, mark: Mark) -> None:
    """Give a button widget its looks, switched off."""
    node["/AS"] = pikepdf.Name(OFF)
    node["/MK"]["/CA"] = pikepdf.String(CAPTION[mark])
    node["/AP"] = button_appearance(form.pdf, placement, state, mark)


def mark_style(form: AcroForm) -> pikepdf.String:
    """/DA of buttons: the font of the marks, as large as the box allows."""
    return pikepdf.String(f"/{form.fonts.mark_name} 0 Tf 0 g")


def _as_text(node: Dictionary, form: AcroForm, field: Field, placement: Placement, style: TextStyle) -> None:
    node["/FT"] = pikepdf.Name.Tx
    flags = _MULTILINE if style.multiline else 0
    if field.comb is not None:
        flags |= _COMB | _DO_NOT_SCROLL
        node["/MaxLen"] = field.comb
    if flags:
        node["/Ff"] = flags
    if field.align in _QUADDING:
        node["/Q"] = _QUADDING[field.align]
    size = f"{style.size / placement.user_unit:.4f}".rstrip("0").rstrip(".")
    node["/DA"] = pikepdf.String(f"/{form.fonts.text_name} {size} Tf 0 g")
    node["/AP"] = text_appearance(form.pdf, placement, form.fonts.resources())


def _as_check_box(node: Dictionary, form: AcroForm, field: Field, placement: Placement) -> None:
    states = check_state(field.option)
    node["/FT"] = pikepdf.Name.Btn
    node["/V"] = pikepdf.Name(OFF)
    node["/DA"] = mark_style(form)
    states.note_values(node)
    dress_button(form, node, placement, states.names[0], field.mark or Mark.TICK)
