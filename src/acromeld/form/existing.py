# SPDX-License-Identifier: Apache-2.0
"""Fields that are already there: keep clear of them, or take them out whole.

Only widgets are ever removed. Links, comments and stamps share the /Annots array with them and stay.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pikepdf

from acromeld.form.objects import array_at, as_dict, box_at, catalog, dict_at, dicts_at, int_at
from acromeld.form.structure_tree import is_same, kids_of, set_kids
from acromeld.geometry import as_boxes
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pikepdf import Dictionary, Page, Pdf

    from acromeld.geometry import Boxes
    from acromeld.pdf.frame import PageFrame

_HIDDEN, _NO_VIEW = 1 << 1, 1 << 5
_MAX_DEPTH = 64


class Existing(StrEnum):
    """What happens to fields that the document already has.

    KEEP leaves them alone and drops a new field that lies on one. REPLACE removes every widget from the pages
    named in the fields file (also from those it gives no fields for) and leaves other pages as they are, so
    that a fields file for one page does not empty the rest of the document.
    """

    KEEP = "keep"
    REPLACE = "replace"


def visible_widget_boxes(page: Page, frame: PageFrame) -> Boxes:
    """Displayed boxes ``(n, 4)`` of all widgets a person can see, push buttons and untyped ones included."""
    return visible_widgets(page, frame)[1]


def visible_widgets(page: Page, frame: PageFrame) -> tuple[list[Dictionary], Boxes]:
    """The widgets a person can see, and their displayed boxes ``(n, 4)``."""
    rects = [(item, rect) for item in shown_widgets(page) if (rect := box_at(item, "/Rect")) is not None]
    usable = [(item, rect) for item, rect in rects if np.all(np.isfinite(rect))]
    return [item for item, _ in usable], frame.to_display(as_boxes([rect for _, rect in usable]))


def shown_widgets(page: Page) -> list[Dictionary]:
    """The widgets of a page that are not hidden, in its order."""
    return [item for item in _widgets(page) if not int_at(item, "/F") & (_HIDDEN | _NO_VIEW)]


def remove_widgets(pdf: Pdf, pages: Iterable[Page]) -> int:
    """Take the widgets off these pages and prune the field tree; gives how many there were."""
    removed: list[Dictionary] = []
    for page in pages:
        removed += _strip_page(page)
    root = catalog(pdf)
    _prune_tree(dict_at(root, "/AcroForm"), {item.objgen for item in removed if item.is_indirect})
    _untag(root, removed)
    return len(removed)


def has_widgets(page: Page) -> bool:
    """Whether a page has fields, seen or not."""
    return bool(_widgets(page))


def _widgets(page: Page) -> list[Dictionary]:
    return [item for item in annotation_dicts(page) if item.get("/Subtype") == "/Widget"]


def _strip_page(page: Page) -> list[Dictionary]:
    widgets = _widgets(page)
    if widgets:
        kept = [item for item in array_at(page.obj, "/Annots") or () if not _is_widget(item)]
        if kept:
            page.obj["/Annots"] = pikepdf.Array(kept)
        else:
            del page.obj["/Annots"]
    return widgets


def _is_widget(item: object) -> bool:
    annotation = as_dict(item)
    return annotation is not None and annotation.get("/Subtype") == "/Widget"


def _prune_tree(acroform: Dictionary | None, removed: set[tuple[int, int]]) -> None:
    """Drop the removed widgets from /Fields and /CO, and every field that has no widget left by this.

    A field that never had a widget holds data of its own and stays.
    """
    if acroform is None:
        return
    fields, seen = dicts_at(acroform, "/Fields"), set[tuple[int, int]]()
    kept = [node for node in fields if _survives(node, removed, seen, _MAX_DEPTH)]
    acroform["/Fields"] = pikepdf.Array(kept)
    calculated = dicts_at(acroform, "/CO")
    if calculated:
        acroform["/CO"] = pikepdf.Array([node for node in calculated if node.objgen not in removed])


def _survives(
    node: Dictionary, removed: set[tuple[int, int]], seen: set[tuple[int, int]], depth: int
) -> bool:
    """Prune below a node; the node itself goes when all its kids went, and is then marked as removed.

    A node that was ``seen`` before, in a damaged tree that loops or shares branches, is not walked again.
    """
    if node.objgen in removed:
        return False
    kids = dicts_at(node, "/Kids")
    if not kids or depth == 0 or node.objgen in seen:
        return True
    if node.is_indirect:
        seen.add(node.objgen)
    kept = [kid for kid in kids if _survives(kid, removed, seen, depth - 1)]
    if kept and len(kept) < len(kids):
        node["/Kids"] = pikepdf.Array(kept)
    if not kept and node.is_indirect:
        removed.add(node.objgen)
    return bool(kept)


def _untag(root: Dictionary, widgets: list[Dictionary]) -> None:
    """Take removed widgets out of the structure tree, so that a screen reader does not announce ghosts."""
    tree = dict_at(root, "/StructTreeRoot")
    parents = dict_at(tree, "/ParentTree")
    if tree is None or parents is None:
        return
    try:
        elements = pikepdf.NumberTree(parents)
        for widget in widgets:
            key = int_at(widget, "/StructParent") if "/StructParent" in widget else -1
            if key in elements and _forget_kid(tree, as_dict(elements[key]), widget):
                del elements[key]
    except (pikepdf.PdfError, RuntimeError, ValueError):
        # A tree too broken to read cannot be read by an assistive tool either.
        return


def _forget_kid(tree: Dictionary, element: Dictionary | None, widget: Dictionary) -> bool:
    """Remove the object reference to a widget from its structure element, and a Form element left empty.

    False where the element has none: the widget's number is then a stale one and belongs to somebody else.
    """
    kids = [] if element is None else kids_of(element)
    kept = [item for item in kids if not _refers_to(item, widget)]
    if element is None or len(kept) == len(kids):
        return False
    set_kids(element, kept)
    parent = dict_at(element, "/P") or tree
    if not kept and element.get("/S") == "/Form":
        set_kids(parent, [item for item in kids_of(parent) if not is_same(item, element)])
    return True


def _refers_to(item: object, widget: Dictionary) -> bool:
    target = dict_at(as_dict(item), "/Obj")
    return target is not None and is_same(target, widget)
