# SPDX-License-Identifier: Apache-2.0
"""Controls as the layout asks for them, and as native AcroForm widgets in the file."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import pikepdf
from pikepdf import Array, Dictionary, Name, String

from acromeld.fields import FieldKind

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from acromeld.fields import Box

_MULTILINE, _COMB, _COMBO, _RADIO, _NO_TOGGLE = 1 << 12, 1 << 24, 1 << 17, 1 << 15, 1 << 14
_PRINT = 4
_MARK = b"q 0 g BT /ZaDb 9 Tf 1.2 1.8 Td (4) Tj ET Q"


class Control(Enum):
    """What kind of native field a control becomes."""

    TEXT = "text"
    LIST = "list"
    CHECK = "check"
    RADIO = "radio"
    SIGNATURE = "signature"

    @property
    def kind(self) -> FieldKind:
        """The class of the control."""
        if self is Control.SIGNATURE:
            return FieldKind.SIGNATURE
        return FieldKind.CHOICE if self in (Control.CHECK, Control.RADIO) else FieldKind.TEXT


@dataclass(frozen=True)
class ControlSpec:
    """One control: a displayed box, the label an author would give it, and its behaviour.

    ``group`` ties the buttons of one radio field together. ``comb`` is the number of cells or 0.
    """

    control: Control
    box: Box
    label: str = ""
    group: str = ""
    multiline: bool = False
    comb: int = 0


class FormBuilder:
    """Adds the controls of a document to a PDF, with names of one of the habits authors have."""

    def __init__(self, pdf: pikepdf.Pdf, rng: random.Random) -> None:
        self._pdf, self._rng = pdf, rng
        self._naming = rng.choice(("label", "label", "number", "path"))
        self._tooltips = rng.random() < 0.7
        self._count = 0
        self._groups: dict[str, Dictionary] = {}
        self._fields = Array()
        self._states = Dictionary(Yes=self._appearance(_MARK), Off=self._appearance(b""))

    def add_page(self, page: pikepdf.Page, height: float, specs: Sequence[ControlSpec]) -> None:
        """Place the controls of a page; ``height`` turns displayed boxes into PDF rectangles."""
        self._groups = {}
        widgets = [self._widget(page, height, spec) for spec in specs]
        if widgets:
            page.obj.Annots = self._pdf.make_indirect(Array(widgets))

    def finish(self) -> None:
        """Write the form dictionary, when there is any field."""
        if not len(self._fields):
            return
        resources = Dictionary(Font=Dictionary(Helv=self._font("Helvetica"), ZaDb=self._font("ZapfDingbats")))
        self._pdf.Root.AcroForm = self._pdf.make_indirect(
            Dictionary(Fields=self._fields, DR=resources, DA=String("/Helv 0 Tf 0 g"), NeedAppearances=True)
        )

    def _widget(self, page: pikepdf.Page, height: float, spec: ControlSpec) -> pikepdf.Object:
        x0, y0, x1, y1 = spec.box
        rect = [round(value, 2) for value in (x0, height - y1, x1, height - y0)]
        widget = Dictionary(Type=Name.Annot, Subtype=Name.Widget, Rect=Array(rect), F=_PRINT, P=page.obj)
        made = self._pdf.make_indirect(widget)
        if spec.control is Control.RADIO:
            self._join_group(made, spec)
            return made
        self._name(made, spec)
        self._behave(made, spec)
        self._fields.append(made)
        return made

    def _behave(self, widget: Dictionary, spec: ControlSpec) -> None:
        if spec.control is Control.SIGNATURE:
            widget.FT = Name.Sig
        elif spec.control is Control.CHECK:
            widget.FT = Name.Btn
            self._button(widget, "Yes")
        elif spec.control is Control.LIST:
            widget.FT, widget.Ff = Name.Ch, _COMBO
            widget.Opt = Array([String(f"{number}") for number in range(1, 5)])
            widget.DA = String("/Helv 0 Tf 0 g")
        else:
            widget.FT, widget.DA = Name.Tx, String("/Helv 0 Tf 0 g")
            widget.Ff = (_MULTILINE if spec.multiline else 0) | (_COMB if spec.comb else 0)
            if spec.comb:
                widget.MaxLen = spec.comb

    def _join_group(self, widget: Dictionary, spec: ControlSpec) -> None:
        parent = self._groups.get(spec.group)
        if parent is None:
            parent = self._pdf.make_indirect(
                Dictionary(FT=Name.Btn, Ff=_RADIO | _NO_TOGGLE, Kids=Array(), V=Name.Off)
            )
            self._name(parent, ControlSpec(Control.RADIO, spec.box, spec.group))
            self._groups[spec.group] = parent
            self._fields.append(parent)
        widget.Parent = parent
        parent.Kids.append(widget)
        self._button(widget, f"Choice{len(parent.Kids)}")

    def _button(self, widget: Dictionary, state: str) -> None:
        widget.AP = Dictionary(N=Dictionary({f"/{state}": self._states.Yes, "/Off": self._states.Off}))
        widget.AS = Name.Off
        widget.MK = Dictionary(CA=String("4"))

    def _name(self, field: Dictionary, spec: ControlSpec) -> None:
        self._count += 1
        plain = unicodedata.normalize("NFKD", spec.label).encode("ascii", "ignore").decode()
        slug = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")[:24]
        names = {
            "label": f"{slug or spec.control.value}_{self._count}",
            "number": f"{spec.control.value.title()}{self._count}",
            "path": f"form1[0]#page[0]#f{self._count:03d}[0]",
        }
        field.T = String(names[self._naming])
        if self._tooltips and spec.label:
            field.TU = String(spec.label)

    def _appearance(self, content: bytes) -> pikepdf.Object:
        stream = self._pdf.make_stream(content)
        stream.Type, stream.Subtype, stream.BBox = Name.XObject, Name.Form, Array([0, 0, 10, 10])
        stream.Resources = Dictionary(Font=Dictionary(ZaDb=self._font("ZapfDingbats")))
        return stream

    def _font(self, name: str) -> Dictionary:
        return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{name}"))
