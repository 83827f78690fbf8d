# SPDX-License-Identifier: Apache-2.0
"""Where in an existing structure tree the Form element of a new control belongs: beside its label.

The label is the nearest text, most of all where its words are those of the tooltip. The Form element goes
into the innermost element around the label that may hold one, right after the label (ISO 32000-2, Annex L,
says which may). Without a label nearby it follows the control before it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.marked_content import marked_runs
from acromeld.form.objects import as_dict, dict_at, int_at
from acromeld.form.structure_tree import HOLDERS, ancestors, is_same, kids_of, set_kids

if TYPE_CHECKING:
    from pikepdf import Dictionary, Page

    from acromeld.fields import Field
    from acromeld.form.filling import FilledSheet
    from acromeld.form.marked_content import Owner
    from acromeld.form.structure_tree import StructureTree
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Words

_REACH = 220.0
_STEEP = 2.5
"""How much farther a label above seems than one on the same line."""

_NAMED = 0.3
"""Share of its distance at which a word of the tooltip counts."""


class TagPlaces:
    """The places on one page of a tagged document."""

    def __init__(self, tree: StructureTree, filled: FilledSheet, words: Words | None) -> None:
        self._tree = tree
        self._sheet = filled.sheet
        self._words = words
        self._owners: list[Owner | None] = []
        if words is not None and len(words):
            self._owners = marked_runs(filled.sheet.page, filled.sheet.frame).of_words(words)
        self._last: tuple[Dictionary, object] | None = None

    def put(self, field: Field, widget: Dictionary) -> Dictionary:
        """Make the Form element of a control and hang it up beside its label."""
        parent, anchor = self._place(field)
        element = self._tree.form_element(self._sheet.page, widget, parent)
        kids = kids_of(parent)
        at = _after(kids, anchor, self._sheet.page)
        set_kids(parent, [*kids[:at], element, *kids[at:]])
        self._last = parent, element
        return element

    def _place(self, field: Field) -> tuple[Dictionary, object]:
        """The element that takes the Form element, and the kid of it that comes before."""
        owner = self._label_owner(field)
        if owner is not None:
            found = self._holder(owner)
            if found is not None:
                return found
        return self._last or self._end_of_page()

    def _label_owner(self, field: Field) -> Owner | None:
        """The marked content of the label."""
        if self._words is None or not any(self._owners):
            return None
        cost = label_cost(field, self._words)
        cost[[owner is None for owner in self._owners]] = np.inf
        best = int(cost.argmin())
        return self._owners[best] if cost[best] <= _REACH else None

    def _holder(self, owner: Owner) -> tuple[Dictionary, object] | None:
        element = self._tree.owner(*owner)
        if element is None or not _stands_on(element, owner[1], self._sheet.page):
            return None
        kid: object = owner[1]
        for candidate in ancestors(element):
            role = self._tree.role(candidate)
            if role in HOLDERS:
                return candidate, kid
            body = self._body(candidate) if role == "/LI" else None
            if body is not None:
                return body, None
            kid = candidate
        return None

    def _body(self, item: Dictionary) -> Dictionary | None:
        """The body of a list item, for a label that is the item's number or bullet."""
        kids = (as_dict(kid) for kid in kids_of(item))
        return next((kid for kid in kids if kid is not None and self._tree.role(kid) == "/LBody"), None)

    def _end_of_page(self) -> tuple[Dictionary, object]:
        """After the last element of the page that may be followed by a Form, or at the end of everything."""
        page = self._sheet.page.obj
        key = int_at(page, "/StructParents") if "/StructParents" in page else -1
        for mcid in reversed(range(self._tree.marks(key))):
            found = self._holder((key, mcid))
            if found is not None:
                return found
        return self._tree.document(), None


def label_cost(field: Field, words: Words) -> Floats:
    """How unlikely each word is to be the label of a field, shape ``(n,)``; a distance in points."""
    x0, y0, x1, y1 = field.box
    box = words.box
    across = np.maximum(np.maximum(box[:, 0] - x1, x0 - box[:, 2]), 0.0)
    down = np.maximum(np.maximum(box[:, 1] - y1, y0 - box[:, 3]), 0.0)
    cost: Floats = across + _STEEP * down
    said = _tokens(f"{field.tooltip or ''} {field.option or ''}")
    named = np.array([bool(said & _tokens(text)) for text in words.text], dtype=np.bool_)
    cost[named] *= _NAMED
    cost[~words.visible] = np.inf
    return cost


def _tokens(text: str) -> set[str]:
    return set(re.findall(r"\w{2,}", text.casefold()))


def _after(kids: list[object], anchor: object, page: Page) -> int:
    """The index behind an anchor (an element or an MCID) and behind the Forms put there before."""
    for position, kid in enumerate(kids):
        if _is_anchor(kid, anchor, page):
            position += 1
            while position < len(kids) and _is_form(kids[position]):
                position += 1
            return position
    return len(kids)


def _is_form(kid: object) -> bool:
    element = as_dict(kid)
    return element is not None and element.get("/S") == "/Form"


def _is_anchor(kid: object, anchor: object, page: Page) -> bool:
    item, element = as_dict(kid), as_dict(anchor)
    if element is not None:
        return is_same(kid, element)
    if item is not None:
        return item.get("/Type") == "/MCR" and item.get("/MCID") == anchor and _is_of(item, page)
    return anchor is not None and kid == anchor


def _stands_on(element: Dictionary, mcid: int, page: Page) -> bool:
    """Whether an element says that it holds this marked content of this page.

    Pages that were copied from one file into another keep their numbers, which then lead to elements of
    other pages.
    """
    for kid in kids_of(element):
        item = as_dict(kid)
        if item is not None and item.get("/Type") == "/MCR" and item.get("/MCID") == mcid:
            if _is_of(item if "/Pg" in item else element, page):
                return True
        elif item is None and kid == mcid and _is_of(element, page):
            return True
    return False


def _is_of(node: Dictionary, page: Page) -> bool:
    """Whether a reference or an element is of a page, or does not say of which."""
    named = dict_at(node, "/Pg")
    return named is None or named.objgen == page.obj.objgen
