# SPDX-License-Identifier: Apache-2.0
"""Native widgets: the fields a PDF already has.

They are the ground truth of training and evaluation, and what the writer must leave alone. The rules:
/Tx and /Ch are text, /Btn except push buttons is choice, /Sig is signature. Hidden and NoView widgets do not
count. A degenerate or off-page box is rejected and counted, never repaired.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.fields import FieldKind
from acromeld.pdf.text_string import text_of

if TYPE_CHECKING:
    from acromeld.fields import Box
    from acromeld.pdf.frame import PageFrame

MIN_SIDE = 2.0
"""Points; a widget thinner than this on the displayed page cannot be used by a person."""

_HIDDEN, _NO_VIEW = 1 << 1, 1 << 5
_PUSH_BUTTON, _RADIO = 1 << 16, 1 << 15
_MULTILINE, _COMB = 1 << 12, 1 << 24
_MAX_DEPTH = 64


class Rejection(StrEnum):
    """Why a widget is not ground truth."""

    PUSH_BUTTON = "push button"
    HIDDEN = "hidden"
    UNTYPED = "no field type"
    DEGENERATE = "degenerate box"
    OFF_PAGE = "off page"


@dataclass(frozen=True)
class NativeWidget:
    """One valid widget.

    Attributes:
        kind: Its class.
        box: Displayed points.
        name: Fully qualified field name (/T joined by dots).
        tooltip: /TU, empty when there is none.
        flags: Field flags /Ff.
        radio: Whether it belongs to a radio group.
        multiline: /Ff multi-line.
        comb: Number of cells of a comb field, else none.
        order: Position in /Annots.
        bordered: Whether the viewer draws a border around it (/MK /BC); of a comb field, also its cells.
        state: Name of its on state without the slash, for choices that have an appearance.
    """

    kind: FieldKind
    box: Box
    name: str = ""
    tooltip: str = ""
    flags: int = 0
    radio: bool = False
    multiline: bool = False
    comb: int | None = None
    order: int = 0
    bordered: bool = False
    state: str = ""

    @property
    def group(self) -> str | None:
        """Buttons of one radio field share its name; everything else stands alone."""
        return self.name if self.radio else None


@dataclass(frozen=True)
class PageWidgets:
    """The widgets of a page, valid ones listed and the rest counted by class and reason."""

    widgets: tuple[NativeWidget, ...] = ()
    rejected: Counter[tuple[FieldKind | None, Rejection]] = field(default_factory=Counter)


def page_widgets(page: pikepdf.Page, frame: PageFrame) -> PageWidgets:
    """Read the widgets of one page; broken annotations are counted, never raised."""
    widgets: list[NativeWidget] = []
    rejected: Counter[tuple[FieldKind | None, Rejection]] = Counter()
    for order, annotation in enumerate(annotation_dicts(page)):
        if annotation.get("/Subtype") != "/Widget":
            continue
        outcome = _read(annotation, frame, order)
        if isinstance(outcome, NativeWidget):
            widgets.append(outcome)
        else:
            rejected[outcome] += 1
    return PageWidgets(tuple(widgets), rejected)


def annotation_dicts(page: pikepdf.Page) -> list[pikepdf.Dictionary]:
    """The annotation dictionaries of a page; anything in /Annots that is not one is passed over."""
    found = page.obj.get("/Annots")
    if not isinstance(found, pikepdf.Array):
        return []
    return [item for item in found if isinstance(item, pikepdf.Dictionary)]


def _read(
    annotation: pikepdf.Dictionary, frame: PageFrame, order: int
) -> NativeWidget | tuple[FieldKind | None, Rejection]:
    chain = _field_chain(annotation)
    flags = _number(_inherited(chain, "/Ff"))
    kind, reason = _kind(_inherited(chain, "/FT"), flags)
    if kind is None:
        return None, reason
    if _number(annotation.get("/F")) & (_HIDDEN | _NO_VIEW):
        return kind, Rejection.HIDDEN
    box = _display_box(annotation, frame)
    if box is None or box[2] - box[0] < MIN_SIDE or box[3] - box[1] < MIN_SIDE:
        return kind, Rejection.DEGENERATE
    if _off_page(box, frame):
        return kind, Rejection.OFF_PAGE
    max_length = _number(_inherited(chain, "/MaxLen"))
    return NativeWidget(
        kind=kind,
        box=box,
        name=_qualified_name(chain),
        tooltip=text_of(_inherited(chain, "/TU")),
        flags=flags,
        radio=kind is FieldKind.CHOICE and bool(flags & _RADIO),
        multiline=kind is FieldKind.TEXT and bool(flags & _MULTILINE),
        comb=max_length if kind is FieldKind.TEXT and flags & _COMB and max_length > 0 else None,
        order=order,
        bordered=_has_border(annotation),
        state=_on_state(annotation) if kind is FieldKind.CHOICE else "",
    )


def _on_state(annotation: pikepdf.Dictionary) -> str:
    """The appearance that is not Off; two widgets of a field with different ones exclude each other."""
    looks = annotation.get("/AP")
    normal = looks.get("/N") if isinstance(looks, pikepdf.Dictionary) else None
    if not isinstance(normal, pikepdf.Dictionary) or isinstance(normal, pikepdf.Stream):
        return ""
    return next((key[1:] for key in sorted(normal.keys()) if key != "/Off"), "")


def _has_border(annotation: pikepdf.Dictionary) -> bool:
    look = annotation.get("/MK")
    colour = look.get("/BC") if isinstance(look, pikepdf.Dictionary) else None
    return isinstance(colour, pikepdf.Array) and len(colour) > 0


def _kind(field_type: pikepdf.Object | None, flags: int) -> tuple[FieldKind | None, Rejection]:
    if field_type == "/Btn":
        if flags & _PUSH_BUTTON:
            return None, Rejection.PUSH_BUTTON
        return FieldKind.CHOICE, Rejection.UNTYPED
    if field_type in ("/Tx", "/Ch"):
        return FieldKind.TEXT, Rejection.UNTYPED
    if field_type == "/Sig":
        return FieldKind.SIGNATURE, Rejection.UNTYPED
    return None, Rejection.UNTYPED


def _display_box(annotation: pikepdf.Dictionary, frame: PageFrame) -> Box | None:
    try:
        corners = [float(value) for value in annotation["/Rect"]]
    except (KeyError, TypeError, ValueError):
        return None
    if len(corners) != 4 or not np.all(np.isfinite(corners)):
        return None
    x0, y0, x1, y1 = frame.to_display(np.array([corners]))[0]
    return float(x0), float(y0), float(x1), float(y1)


def _off_page(box: Box, frame: PageFrame) -> bool:
    """Off-page means that the centre of the box is not on the visible page."""
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return not (0 <= x <= frame.width and 0 <= y <= frame.height)


def _field_chain(annotation: pikepdf.Dictionary) -> list[pikepdf.Dictionary]:
    """The widget, its field and the field's ancestors; cut off where a broken file makes a loop."""
    chain = [annotation]
    while len(chain) < _MAX_DEPTH:
        parent = chain[-1].get("/Parent")
        if not isinstance(parent, pikepdf.Dictionary):
            break
        chain.append(parent)
    return chain


def _inherited(chain: list[pikepdf.Dictionary], key: str) -> pikepdf.Object | None:
    return next((node[key] for node in chain if key in node), None)


def _qualified_name(chain: list[pikepdf.Dictionary]) -> str:
    return ".".join(text_of(node["/T"]) for node in reversed(chain) if "/T" in node)


def _number(value: object) -> int:
    try:
        return int(value)  # type: ignore[call-overload, no-any-return]
    except (TypeError, ValueError):
        return 0
