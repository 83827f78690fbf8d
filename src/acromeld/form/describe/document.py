# SPDX-License-Identifier: Apache-2.0
"""What can be said about fields only when all pages are known: unique names, the language, how one signs."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from acromeld.form.describe.label_pairs import joined
from acromeld.form.describe.language import language_of
from acromeld.form.describe.names import wanted_name
from acromeld.form.describe.signing import alike
from acromeld.form.naming import NameBook

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from acromeld.fields import DocumentFields, Field, FieldKind, PageFields
    from acromeld.pdf.page import Words


def describe_document(
    fields: DocumentFields, words: Iterable[Words] = (), to_sign: Collection[str] = ()
) -> DocumentFields:
    """Give every field a name that nobody else has, say the language of the words, and sign in one way.

    Names and languages that are there already stay, and no new name takes one of them. ``to_sign`` are
    the ids of fields that are asked for a signature.
    """
    language = fields.language or language_of(words)
    enough = fields.operating_point.signature if fields.operating_point is not None else 0.0
    given = {field.name for page in fields.pages for field in page.fields if field.name is not None}
    book = NameBook(given)
    pages = tuple(_named(page, book) for page in alike(fields.pages, to_sign, enough))
    return fields.model_copy(update={"pages": pages, "language": language})


def _named(page: PageFields, book: NameBook) -> PageFields:
    """The page with names. The buttons of a group are one field and have one name."""
    numbers: Counter[FieldKind] = Counter()
    groups: dict[str, str] = {}
    named = list(page.fields)
    # In reading order, so that of two equal labels the first has the plain name.
    for row in sorted(range(len(named)), key=lambda row: (named[row].order is None, named[row].order or 0)):
        field = named[row]
        numbers[field.kind] += 1
        name = field.name or groups.get(field.group or "")
        if name is None:
            wanted = wanted_name(field, _label(field), page.page.index + 1, numbers[field.kind])
            name = book.claim(wanted)
        if field.group is not None:
            groups.setdefault(field.group, name)
        named[row] = field.model_copy(update={"name": name})
    return page.model_copy(update={"fields": tuple(named)})


def _label(field: Field) -> str:
    """What the name is made from: the question of a group, else the tooltip and what it leaves out."""
    tooltip, option = field.tooltip or "", field.option or ""
    if field.group is not None and tooltip:
        return tooltip
    return tooltip if option.casefold() in tooltip.casefold() else joined(tooltip, option)
