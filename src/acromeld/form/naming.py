# SPDX-License-Identifier: Apache-2.0
"""Names of fields for programs (/T); `acromeld.form.spoken` has those for people.

A name must be unique in the document, or viewers make two fields one; and it must hold no dot, because a dot
separates the levels of the field hierarchy (ISO 32000-2, 12.7.4.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.errors import BadFields
from acromeld.form.objects import ancestry, dict_at, dicts_at, text_at
from acromeld.form.spoken import plain
from acromeld.pdf.widgets import annotation_dicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pikepdf import Dictionary, Pdf

    from acromeld.fields import Field


class NameBook:
    """The names of a document; every claim gives one that nobody has."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def claim(self, wanted: str) -> str:
        """The wanted name, or the same with the first free number behind it."""
        name, number = wanted, self._next.get(wanted, 2)
        while name in self._taken:
            name, number = f"{wanted}_{number}", number + 1
        self._next[wanted] = number
        self._taken.add(name)
        return name


def wanted_name(field: Field, page: int, number: int) -> str:
    """The name asked for, made safe; else the group's, or one from kind, page and number (counted from 1)."""
    given = field.name if field.name is not None else field.group
    if given is None:
        return f"{field.kind.value}_{page}_{number}"
    name = plain(given).replace(".", "_")
    if not name:
        raise BadFields(f"A field on page {page} has an empty name; leave the name out to get one made.")
    return name


def names_in_use(pdf: Pdf, acroform: Dictionary | None) -> set[str]:
    """First parts of all names in the document, from the field tree and from widgets outside of it.

    New fields stand at the root of the tree, so only the first part of an existing name can clash.
    """
    roots = {text_at(node, "/T") for node in dicts_at(acroform, "/Fields")}
    widgets = (item for page in pdf.pages for item in annotation_dicts(page))
    return roots | {_root_name(item) for item in widgets if item.get("/Subtype") == "/Widget"}


def _root_name(widget: Dictionary) -> str:
    if dict_at(widget, "/Parent") is None:
        return text_at(widget, "/T")
    return [text_at(node, "/T") for node in ancestry(widget)][-1]
