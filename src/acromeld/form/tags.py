# SPDX-License-Identifier: Apache-2.0
"""Form elements for new controls, so that assistive tools meet them in order and by name.

In a document without tags they make up the whole structure tree, together with those of the author's fields:
Tab goes by the tree, and a tree that left these out would send it past them. It is then not declared a tagged
document (/MarkInfo stays as it was): its text still is not tagged, and saying otherwise would hide it from
tools that trust the declaration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.existing import shown_widgets
from acromeld.form.objects import catalog, dict_at, text_at
from acromeld.form.structure_tree import StructureTree, kids_of, set_kids
from acromeld.form.tag_places import TagPlaces

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pikepdf import Dictionary, Pdf

    from acromeld.form.attaching import Control
    from acromeld.form.filling import FilledSheet
    from acromeld.pdf.page import Words

_BROKEN = (pikepdf.PdfError, RuntimeError, ValueError, TypeError, IndexError)


def tag_controls(pdf: Pdf, sheets: Sequence[FilledSheet], words: Mapping[int, Words]) -> list[str]:
    """Tag every new control; gives a note when the structure tree is too damaged to be added to."""
    tagged = dict_at(catalog(pdf), "/StructTreeRoot") is not None
    try:
        tree = StructureTree(pdf)
        if not tagged:
            _in_order(tree, pdf)
        for filled in sheets if tagged else ():
            if filled.controls:
                _beside_labels(tree, filled, words.get(filled.sheet.index))
    except _BROKEN:
        return ["The structure tree of the document is damaged; the new fields are not all tagged."]
    language = text_at(catalog(pdf), "/Lang")
    for filled in sheets:
        for control in filled.controls:
            _say_language(tree, control, language)
    return []


def _in_order(tree: StructureTree, pdf: Pdf) -> None:
    """Form elements for all fields a person can see, old and new, as the pages list them."""
    document = tree.document()
    made: list[object] = [
        tree.form_element(page, widget, document)
        for page in pdf.pages
        for widget in shown_widgets(page)
        if widget.is_indirect
    ]
    set_kids(document, kids_of(document) + made)


def _beside_labels(tree: StructureTree, filled: FilledSheet, words: Words | None) -> None:
    places = TagPlaces(tree, filled, words)
    for control in filled.controls:
        places.put(control.field, control.widget)


def _say_language(tree: StructureTree, control: Control, language: str) -> None:
    """Mark spoken names that are in another language than the document, or in ours where none is known."""
    element: Dictionary | None = tree.element_of(control.widget)
    ours = control.spoken.language
    if element is not None and ours is not None and language.partition("-")[0] != ours:
        element["/Lang"] = pikepdf.String(ours)
