# SPDX-License-Identifier: Apache-2.0
"""What can be said about fields only when all pages are known: names that are unique, and the language."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from acromeld.form.describe.label_pairs import joined
from acromeld.form.describe.language import language_of
from acromeld.form.describe.names import wanted_name
from acromeld.form.naming import NameBook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from acromeld.fields import DocumentFields, Field, FieldKind, PageFields
    from acromeld.pdf.page import Words


def describe_document(fields: DocumentFields, words: Iterable[Words] = ()) -> DocumentFields:
    """Give every field a name that nobody else has, and say the language of the words.

    Names and languages that are there already stay, and no new name takes one of them.
    """
    given = {field.name for page in fields.pages for field in page.fields if field.name is not None}
    book = NameBook(given)
    pages = tuple(_named(page, book) for page in fields.pages)
    language = fields.language or language_of(words)
    return fields.model_copy(update={"pages": pages, "language": language})


def _named(page: PageFields, book: NameBook) -> PageFields:
    numbers: Counter[FieldKind] = Counter()
    named = []
    for field in page.fields:
        numbers[field.kind] += 1
        if field.name is not None:
            named.append(field)
            continue
        wanted = wanted_name(field, _label(field), page.page.index + 1, numbers[field.kind])
        named.append(field.model_copy(update={"name": book.claim(wanted)}))
    return page.model_copy(update={"fields": tuple(named)})


def _label(field: Field) -> str:
    """What the name is made from; the buttons of a group share a tooltip and differ in their option."""
    tooltip, option = field.tooltip or "", field.option or ""
    return tooltip if option.casefold() in tooltip.casefold() else joined(tooltip, option)
