# SPDX-License-Identifier: Apache-2.0
"""The structure tree of a document, read with caution and added to without disturbing what is there.

Elements point down by /K, up by /P, and are found from marked content and annotations by the number tree
/ParentTree (ISO 32000-2, 14.7). All three must agree, or assistive tools lose their way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.objects import as_dict, catalog, dict_at, dicts_at, int_at
from acromeld.pdf.text_string import text_of
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Dictionary, Page, Pdf

HOLDERS = frozenset(
    {
        *("/Document", "/DocumentFragment", "/Part", "/Art", "/Sect", "/Div", "/Aside", "/BlockQuote"),
        *("/NonStruct", "/P", "/TD", "/TH", "/LBody", "/Note", "/FENote"),
    }
)
"""Standard types of elements that may hold a Form element (ISO 32000-2, Annex L)."""

_GROUPS = frozenset({"/Document", "/DocumentFragment", "/Part", "/Art", "/Sect", "/Div"})

_PDF2 = "http://iso.org/pdf2/ssn"
_MAX_DEPTH = 64
_MAX_ROLES = 8


class StructureTree:
    """The tree of an open document; made when there is none."""

    def __init__(self, pdf: Pdf) -> None:
        self._pdf = pdf
        self.root = _provide(pdf)
        self._parents = _parent_tree(pdf, self.root)
        self._next = self._first_free()

    def form_element(self, page: Page, widget: Dictionary, parent: Dictionary) -> Dictionary:
        """A Form element around a widget. It knows its parent; the parent is told by `set_kids`."""
        reference = pikepdf.Dictionary(Type=pikepdf.Name.OBJR, Obj=widget, Pg=page.obj)
        element = pikepdf.Dictionary(
            Type=pikepdf.Name.StructElem, S=pikepdf.Name.Form, P=parent, Pg=page.obj, K=reference
        )
        namespace = _own_namespace(parent)
        if namespace is not None:
            element["/NS"] = namespace
        made = self._pdf.make_indirect(element)
        assert isinstance(made, pikepdf.Dictionary)
        widget["/StructParent"] = self._next
        self._parents[self._next] = made
        self._next += 1
        self.root["/ParentTreeNextKey"] = self._next
        return made

    def owner(self, key: int, mcid: int) -> Dictionary | None:
        """The element that holds a marked-content sequence, by /StructParents of its stream and its MCID."""
        found = self._parents[key] if key in self._parents else None  # noqa: SIM401 (get raises)
        if not isinstance(found, pikepdf.Array) or not 0 <= mcid < len(found):
            return None
        return as_dict(found[mcid])

    def marks(self, key: int) -> int:
        """How many marked-content sequences are listed under a key."""
        found = self._parents[key] if key in self._parents else None  # noqa: SIM401 (get raises)
        return len(found) if isinstance(found, pikepdf.Array) else 0

    def element_of(self, annotation: Dictionary) -> Dictionary | None:
        """The element that holds an annotation."""
        key = int_at(annotation, "/StructParent") if "/StructParent" in annotation else -1
        return as_dict(self._parents[key]) if key in self._parents else None

    def role(self, element: Dictionary) -> str:
        """The standard type of an element, looked up through the role maps."""
        name = str(element.get("/S", ""))
        namespace, roles = dict_at(element, "/NS"), dict_at(self.root, "/RoleMap")
        for _ in range(_MAX_ROLES):
            mapped = (dict_at(namespace, "/RoleMapNS") or roles or pikepdf.Dictionary()).get(name)
            if isinstance(mapped, pikepdf.Array) and len(mapped) == 2:
                mapped, namespace = mapped[0], as_dict(mapped[1])
            if mapped is None or str(mapped) == name:
                break
            name = str(mapped)
        return name

    def document(self) -> Dictionary:
        """The first group at the top. Where elements stand there without one, a group is made behind them."""
        top = (kid for kid in map(as_dict, kids_of(self.root)) if kid is not None)
        found = next((kid for kid in top if self.role(kid) in _GROUPS), None)
        return found if found is not None else self._new_group()

    def _new_group(self) -> Dictionary:
        kind = pikepdf.Name.Div if kids_of(self.root) else pikepdf.Name.Document
        group = pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=kind, P=self.root)
        made = self._pdf.make_indirect(group)
        assert isinstance(made, pikepdf.Dictionary)
        set_kids(self.root, [*kids_of(self.root), made])
        return made

    def _first_free(self) -> int:
        """A key that neither the tree nor any page or annotation uses, whatever /ParentTreeNextKey says."""
        used = [int_at(self.root, "/ParentTreeNextKey") - 1, *self._parents.keys()]
        for page in self._pdf.pages:
            used.append(int_at(page.obj, "/StructParents"))
            used += [int_at(item, "/StructParent") for item in annotation_dicts(page)]
        return max(used) + 1


def kids_of(element: Dictionary) -> list[object]:
    """The entries of /K, whether it is an array or a single one."""
    kids = element.get("/K")
    if kids is None:
        return []
    return list(kids) if isinstance(kids, pikepdf.Array) else [kids]


def set_kids(element: Dictionary, kids: list[object]) -> None:
    """Write /K; an element without kids has none."""
    if kids:
        element["/K"] = pikepdf.Array(kids)
    elif "/K" in element:
        del element["/K"]


def is_same(one: object, other: Dictionary) -> bool:
    """Whether both are one indirect object."""
    item = as_dict(one)
    return item is not None and item.is_indirect and item.objgen == other.objgen


def ancestors(element: Dictionary) -> Iterator[Dictionary]:
    """The element, its parent, and so on up to the root of the tree."""
    current: Dictionary | None = element
    for _ in range(_MAX_DEPTH):
        if current is None:
            return
        yield current
        current = dict_at(current, "/P")


def _provide(pdf: Pdf) -> Dictionary:
    root = catalog(pdf)
    if dict_at(root, "/StructTreeRoot") is None:
        root["/StructTreeRoot"] = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot))
    found = dict_at(root, "/StructTreeRoot")
    assert found is not None
    return found


def _parent_tree(pdf: Pdf, root: Dictionary) -> pikepdf.NumberTree:
    present = dict_at(root, "/ParentTree")
    if present is None:
        fresh = pikepdf.NumberTree.new(pdf)
        root["/ParentTree"] = fresh.obj
        return fresh
    if not present.is_indirect:
        root["/ParentTree"] = pdf.make_indirect(present)
    return pikepdf.NumberTree(root["/ParentTree"])


def _own_namespace(parent: Dictionary) -> Dictionary | None:
    """The namespace of PDF 2.0 where the neighbours are in it; Form means the same there and in PDF 1.7."""
    for element in ancestors(parent):
        namespace = dict_at(element, "/NS")
        if namespace is not None and text_of(namespace.get("/NS")) == _PDF2:
            return namespace
    return next((item for item in dicts_at(parent, "/Namespaces") if text_of(item.get("/NS")) == _PDF2), None)
