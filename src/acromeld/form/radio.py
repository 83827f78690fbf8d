# SPDX-License-Identifier: Apache-2.0
"""Radio groups: one field that holds the answer, one widget for each option (ISO 32000-2, 12.7.5.2.4).

The members of a group may stand on different pages. A group of which a single member is left over is a check
box, because a radio button alone could never be switched off again.
"""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING

import pikepdf

from acromeld.fields import FieldKind, Mark
from acromeld.form.naming import wanted_name
from acromeld.form.spoken import spoken_button, spoken_question
from acromeld.form.states import OFF, option_states
from acromeld.form.widget import bare_widget, dress_button, mark_style

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pikepdf import Array, Dictionary, Page

    from acromeld.fields import Field
    from acromeld.form.acroform import AcroForm
    from acromeld.form.placement import Placement
    from acromeld.form.spoken import Spoken

_NO_TOGGLE_TO_OFF, _RADIO = 1 << 14, 1 << 15


class RadioField:
    """One group: the field is made with its first button, the others join it in tab order."""

    def __init__(self, form: AcroForm, members: list[Field], page: int, number: int) -> None:
        self._form = form
        self._members = members
        self._states = option_states([field.option for field in members])
        self._node = form.pdf.make_indirect(_field(form, members, page, number))
        self._states.note_values(self.node)
        form.add(self.node)

    @property
    def node(self) -> Dictionary:
        """The field itself."""
        assert isinstance(self._node, pikepdf.Dictionary)
        return self._node

    def add_button(self, page: Page, placement: Placement) -> tuple[Dictionary, Spoken]:
        """The widget of the next member, and what is said of it."""
        kids = self._kids()
        position = len(kids)
        field = self._members[position]
        spoken = spoken_button(field, position + 1, len(self._members))
        widget = bare_widget(page, placement, spoken.text)
        widget["/Parent"] = self.node
        dress_button(self._form, widget, placement, self._states.names[position], field.mark or Mark.CIRCLE)
        made = self._form.pdf.make_indirect(widget)
        assert isinstance(made, pikepdf.Dictionary)
        kids.append(made)
        return made, spoken

    def _kids(self) -> Array:
        kids = self.node["/Kids"]
        assert isinstance(kids, pikepdf.Array)
        return kids


def radio_members(fields: Iterable[Field]) -> dict[str, list[Field]]:
    """The members of every group of two or more, in the order in which their buttons will be written."""
    groups: dict[str, list[Field]] = {}
    for field in fields:
        if field.kind is FieldKind.CHOICE and field.group is not None:
            groups.setdefault(field.group, []).append(field)
    return {name: members for name, members in groups.items() if len(members) > 1}


def _name(members: list[Field], page: int, number: int) -> str:
    """The name all buttons have, or the start that their names share, or that of the group."""
    parts = zip(*((field.name or "").split("_") for field in members), strict=False)
    shared = "_".join(part[0] for part in takewhile(lambda part: len(set(part)) == 1, parts))
    return wanted_name(members[0].model_copy(update={"name": shared or None}), page, number)


def _field(form: AcroForm, members: list[Field], page: int, number: int) -> Dictionary:
    return pikepdf.Dictionary(
        FT=pikepdf.Name.Btn,
        Ff=_RADIO | _NO_TOGGLE_TO_OFF,
        T=pikepdf.String(form.names.claim(_name(members, page, number))),
        TU=pikepdf.String(spoken_question(members, page, number).text),
        V=pikepdf.Name(OFF),
        DA=mark_style(form),
        Kids=pikepdf.Array(),
    )
