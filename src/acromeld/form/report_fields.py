# SPDX-License-Identifier: Apache-2.0
"""The rules about form fields: names, places in the structure tree, tab order, language, looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pikepdf

from acromeld.form.objects import as_dict, catalog, dict_at, inherited, int_at, text_at
from acromeld.form.report import finding
from acromeld.form.structure_tree import kids_of
from acromeld.pdf.text_string import text_of
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pikepdf import Dictionary, Pdf

    from acromeld.form.report import Finding

_HIDDEN = 2
_STAYS = "These fields were there before and stay as they are; a form editor can mend them."


@dataclass(frozen=True)
class _Widget:
    """A widget, how to call it in the report, and the structure element that holds it."""

    node: Dictionary
    label: str
    element: Dictionary | None


def field_findings(pdf: Pdf) -> Iterator[Finding]:
    """Check every widget that is not hidden."""
    widgets = list(_widgets(pdf))
    root = catalog(pdf)
    yield _each("Every field has a name to be read aloud", ("7.18.1-3", ""), widgets, _has_name)
    yield _each("Every widget has a description", ("", "8.10.2.3-1"), widgets, _has_description)
    yield _each("Every widget lies in a Form element", ("7.18.4-1", "8.10.1-1"), widgets, _in_form)
    yield _each("A Form element holds one widget only", ("7.18.4-2", "8.10.1-2"), widgets, _alone)
    yield _tab_order(pdf)
    yield _each("The language of names is known", ("7.2-25", ""), widgets, _language_known(root))
    has_language = bool(text_at(root, "/Lang"))
    advice = "Name the language in fields.json and apply it again."
    yield finding(
        "The document names its language", ("", "8.4.4-1"), [] if has_language else ["/Lang"], 1, advice
    )
    xfa = "/XFA" in (dict_at(root, "/AcroForm") or {})
    yield finding("There is no XFA form", ("7.15-1", "8.10.1-3"), ["/XFA"] if xfa else [], 1)
    yield _each("Every widget is drawn in each of its states", ("", ""), widgets, _is_drawn)


def _widgets(pdf: Pdf) -> Iterator[_Widget]:
    elements = _elements(pdf)
    for number, page in enumerate(pdf.pages, 1):
        for node in annotation_dicts(page):
            if node.get("/Subtype") == "/Widget" and not int_at(node, "/F") & _HIDDEN:
                name = inherited(node, "/T")
                label = (
                    f"{text_of(name)} (page {number})"
                    if isinstance(name, pikepdf.String)
                    else f"page {number}"
                )
                key = int_at(node, "/StructParent") if "/StructParent" in node else -1
                yield _Widget(node, label, elements.get(key))


def _elements(pdf: Pdf) -> dict[int, Dictionary]:
    """Structure elements by key; none where the tree cannot be read."""
    parents = dict_at(dict_at(catalog(pdf), "/StructTreeRoot"), "/ParentTree")
    if parents is None:
        return {}
    try:
        numbers = pikepdf.NumberTree(parents)
        found = {int(key): as_dict(value) for key, value in numbers.items()}
    except (pikepdf.PdfError, RuntimeError, ValueError):
        return {}
    return {key: element for key, element in found.items() if element is not None}


def _each(
    rule: str, clauses: tuple[str, str], widgets: list[_Widget], kept: Callable[[_Widget], bool]
) -> Finding:
    bad = [widget.label for widget in widgets if not kept(widget)]
    return finding(rule, clauses, bad, len(widgets), _STAYS)


def _has_name(widget: _Widget) -> bool:
    return bool(text_of(inherited(widget.node, "/TU")).strip())


def _has_description(widget: _Widget) -> bool:
    return bool(text_at(widget.node, "/Contents").strip())


def _in_form(widget: _Widget) -> bool:
    return widget.element is not None and widget.element.get("/S") == "/Form"


def _alone(widget: _Widget) -> bool:
    if widget.element is None:
        return True
    held = [kid for kid in map(as_dict, kids_of(widget.element)) if kid is not None and "/Obj" in kid]
    return len(held) == 1


def _language_known(root: Dictionary) -> Callable[[_Widget], bool]:
    everywhere = bool(text_at(root, "/Lang"))
    return lambda widget: everywhere or bool(text_at(widget.element, "/Lang")) or not _has_name(widget)


def _is_drawn(widget: _Widget) -> bool:
    looks = dict_at(widget.node, "/AP")
    normal = looks.get("/N") if looks is not None else None
    if isinstance(normal, pikepdf.Stream):
        return True
    states = as_dict(normal)
    return states is not None and str(widget.node.get("/AS", "/Off")) in {*states.keys(), "/Off"}


def _tab_order(pdf: Pdf) -> Finding:
    pages = [(number, page.obj) for number, page in enumerate(pdf.pages, 1) if annotation_dicts(page)]
    bad = [f"page {number}" for number, page in pages if page.get("/Tabs") != "/S"]
    advice = "Set the tab order of these pages to follow the structure."
    return finding("Tab follows the structure", ("7.18.3-1", "8.9.3.3-1"), bad, len(pages), advice)
