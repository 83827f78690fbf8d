# SPDX-License-Identifier: Apache-2.0
"""Appearance streams: what a widget looks like in every state, without any viewer's help.

Every appearance is drawn upright in ``[0 0 width height]`` and turned by its /Matrix (`Placement.matrix`).
The printed form already shows boxes and lines, so unfilled fields draw nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.marks import drawn_mark, number
from acromeld.form.states import OFF

if TYPE_CHECKING:
    from pikepdf import Dictionary, Pdf, Stream

    from acromeld.fields import Mark
    from acromeld.form.placement import Placement

_EMPTY_TEXT = b"/Tx BMC\nEMC\n"
_PRESSED = b"q 0.85 g 0 0 %s %s re f Q\n"


def text_appearance(pdf: Pdf, placement: Placement, resources: Dictionary) -> Dictionary:
    """/AP of an empty text field; the marked-content section is where viewers put the value."""
    return pikepdf.Dictionary(N=_form(pdf, placement, _EMPTY_TEXT, resources))


def blank_appearance(pdf: Pdf, placement: Placement) -> Dictionary:
    """/AP of an unsigned signature field."""
    return pikepdf.Dictionary(N=_form(pdf, placement, b"", None))


def button_appearance(pdf: Pdf, placement: Placement, state: str, mark: Mark) -> Dictionary:
    """/AP of a check box or radio button: normal and pressed, each on and off, the mark drawn as a path."""
    drawn, pressed = drawn_mark(mark, placement), _pressed(placement)
    return pikepdf.Dictionary(
        N=_states(pdf, placement, {state: drawn, OFF: b""}),
        D=_states(pdf, placement, {state: pressed + drawn, OFF: pressed}),
    )


def _states(pdf: Pdf, placement: Placement, contents: dict[str, bytes]) -> Dictionary:
    return pikepdf.Dictionary(
        {state: _form(pdf, placement, content, None) for state, content in contents.items()}
    )


def _form(pdf: Pdf, placement: Placement, content: bytes, resources: Dictionary | None) -> Stream:
    """A Form XObject that fills the widget."""
    stream = pdf.make_stream(content)
    stream["/Type"] = pikepdf.Name.XObject
    stream["/Subtype"] = pikepdf.Name.Form
    stream["/BBox"] = pikepdf.Array([0, 0, placement.width, placement.height])
    if placement.rotation:
        stream["/Matrix"] = pikepdf.Array(placement.matrix)
    stream["/Resources"] = pikepdf.Dictionary() if resources is None else resources
    return stream


def _pressed(placement: Placement) -> bytes:
    return _PRESSED % (number(placement.width), number(placement.height))
