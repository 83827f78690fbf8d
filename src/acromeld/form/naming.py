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
        self._announced: set[str] = set()
        self._next: dict[str, int] = {}
        self.changed: list[tuple[str, str]] = []
        """Names that were announced and had to give way, and what became of them."""

    def announce(self, names: Iterable[str]) -> None:
        """Names that will be claimed: a name that has to give way does not take one of them."""
        self._announced.update(names)

    def claim(self, wanted: str) -> str:
        """The wanted name, or the same with the first free number behind it."""
        name, number = wanted, self._next.get(wanted, 2)
        while name in self._taken or (name != wanted and name in self._announced):
            name, number = f"{wanted}_{number}", number + 1
        if name != wanted and wanted in self._announced:
            self.changed.append((wanted, name))
        self._next[wanted] = number
        self._taken.add(name)
        return name


def wanted_name(field: Field, page: int, number: int) -> str:
    """The name asked for, made safe; else the group's, or one from kind, page and number (counted from 1)."""
    name = given_name(field)
    if name == "":
        raise BadFields(f"A field on page {page} has an empty name; leave the name out to get one made.")
    return f"{field.kind.value}_{page}_{number}" if name is None else name


def given_name(field: Field) -> str | None:
    """The name asked for, made safe, which may leave nothing of it; none if nobody asks."""
    given = field.name if field.name is not None else field.group
    return None if given is None else plain(given).replace(".", "_")


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
