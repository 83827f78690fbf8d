# SPDX-License-Identifier: Apache-2.0
"""Appearance streams: what a widget looks like in every state, without any viewer's help.

Every appearance is drawn upright in ``[0 0 width height]`` and turned by its /Matrix (`Placement.matrix`).
The printed form already shows boxes and lines, so unfilled fields draw nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.placement import rounded

if TYPE_CHECKING:
    from pikepdf import Dictionary, Pdf, Stream

    from acromeld.form.placement import Placement

ON, OFF = "/Yes", "/Off"
_EMPTY_TEXT = b"/Tx BMC\nEMC\n"
_TICK = ((0.20, 0.52), (0.42, 0.27), (0.82, 0.78))
"""The three points of a tick mark in the unit square, y upwards."""

_TICK_WIDTH = 0.11
_PRESSED = b"q 0.85 g 0 0 %s %s re f Q\n"


def text_appearance(pdf: Pdf, placement: Placement, resources: Dictionary) -> Dictionary:
    """/AP of an empty text field; the marked-content section is where viewers put the value."""
    return pikepdf.Dictionary(N=_form(pdf, placement, _EMPTY_TEXT, resources))


def blank_appearance(pdf: Pdf, placement: Placement) -> Dictionary:
    """/AP of an unsigned signature field."""
    return pikepdf.Dictionary(N=_form(pdf, placement, b"", None))


def check_appearance(pdf: Pdf, placement: Placement) -> Dictionary:
    """/AP of a check box: normal and pressed, each on and off, the mark drawn as a path."""
    tick, pressed = _tick(placement), _pressed(placement)
    return pikepdf.Dictionary(
        N=_states(pdf, placement, tick, b""), D=_states(pdf, placement, pressed + tick, pressed)
    )


def _states(pdf: Pdf, placement: Placement, on: bytes, off: bytes) -> Dictionary:
    return pikepdf.Dictionary({ON: _form(pdf, placement, on, None), OFF: _form(pdf, placement, off, None)})


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


def _tick(placement: Placement) -> bytes:
    """Stroke through the tick's points, in the largest centred square."""
    side = min(placement.width, placement.height)
    left, bottom = (placement.width - side) / 2, (placement.height - side) / 2
    points = [_pair(left + x * side, bottom + y * side) for x, y in _TICK]
    path = b"%s m %s l %s l S" % tuple(points)
    return b"q 0 G 1 J 1 j %s w %s Q\n" % (_number(_TICK_WIDTH * side), path)


def _pressed(placement: Placement) -> bytes:
    return _PRESSED % (_number(placement.width), _number(placement.height))


def _pair(x: float, y: float) -> bytes:
    return _number(x) + b" " + _number(y)


def _number(value: float) -> bytes:
    """A coordinate in a content stream, which knows no exponents."""
    return f"{rounded(value):.4f}".rstrip("0").rstrip(".").encode("ascii")
