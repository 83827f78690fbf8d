# SPDX-License-Identifier: Apache-2.0
"""Everything that can be said about the fields of a page by looking at this page alone."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from acromeld.fields import FieldKind
from acromeld.form.describe.arranging import arranged
from acromeld.form.describe.column_heads import heads_apart, in_columns
from acromeld.form.describe.comb_runs import merge_cells
from acromeld.form.describe.formats import alignment, text_format
from acromeld.form.describe.kinds import TextKind, text_kinds
from acromeld.form.describe.label_weights import LabelScorer, shipped
from acromeld.form.describe.labels import LabelReader
from acromeld.form.describe.language import language_of
from acromeld.form.describe.mark_style import mark_styles
from acromeld.form.describe.ocr import Ocr, needs_ocr, ocr_installed, read_words
from acromeld.form.describe.repeated import told_apart
from acromeld.form.describe.signing import Signing, asks_for_signature, settled
from acromeld.form.describe.surroundings import look_around
from acromeld.form.textstyle import text_style
from acromeld.pdf.page import Primitives, Words
from acromeld.structure.availability import hardly_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field, PageFields
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.pdf.page import Page


@dataclass(frozen=True)
class Said:
    """What is said about the fields of a page, one entry each.

    Attributes:
        tooltip: Spoken labels; the buttons of a group share their question.
        option: What a box to tick stands for.
        signed: Which are asked for a signature.
    """

    tooltip: tuple[str, ...]
    option: tuple[str, ...]
    signed: tuple[bool, ...]


@dataclass(frozen=True)
class Described:
    """What there is to say about the fields of a page.

    Attributes:
        page: The fields, described.
        to_sign: The ids of those that are asked for a signature.
        words: The words that were read, by OCR on a scan; none where nobody had to read.
    """

    page: PageFields
    to_sign: frozenset[str] = frozenset()
    words: Words | None = None


_SIGNING = Signing()
_CLEARLY_MORE = 2
"""Times as many words."""


def describe_page(
    page: Page, fields: PageFields, *, ocr: Ocr = Ocr.AUTO, signing: Signing = _SIGNING
) -> Described:
    """Fill in what the fields of a page lack; what they have stays as it is.

    Cells of a comb that were found one by one become one field, and places to sign come and go as
    ``signing`` says, so there may be fewer or more fields afterwards. They come in tab order, for whoever
    reads the file.
    """
    if not (fields.fields or signing.unsure):
        return Described(fields)
    words, notes = page_words(page, ocr)
    read = replace(page, primitives=replace(page.primitives or Primitives(), words=words))
    shapes = page.primitives.shapes if page.primitives is not None else None
    known = arranged(read, settled(read, merge_cells(fields.fields, shapes), signing))
    if not known:
        return Described(fields.model_copy(update={"fields": ()}), words=words)
    around = look_around(read, known)
    said = say(known, around, words)
    kinds = text_kinds(around, words, shipped())
    looks = mark_styles(read, around.field, words)
    described = []
    for row, field in enumerate(known):
        found: dict[str, Any] = {"tooltip": said.tooltip[row] or None}
        if field.kind is FieldKind.TEXT:
            kind = TextKind(int(kinds.kind[row]))
            found |= _text_facts(field, said.tooltip[row], kind, int(kinds.cells[row]))
        elif field.kind is FieldKind.CHOICE:
            found |= {"option": said.option[row] or None, "mark": looks[row]}
        described.append(_sized(_completed(field, found), words))
    described.sort(key=lambda field: math.inf if field.order is None else field.order)
    whole = fields.model_copy(update={"fields": tuple(described), "notes": (*fields.notes, *notes)})
    to_sign = (field.id for field, signed in zip(known, said.signed, strict=True) if signed)
    return Described(whole, frozenset(name for name in to_sign if name is not None), words)


def say(
    fields: Sequence[Field], around: Surroundings, words: Words, scorer: LabelScorer | None = None
) -> Said:
    """Labels and options of fields whose groups are known."""
    reader = LabelReader(around, scorer)
    labels, language = reader.labels(), language_of([words])
    boxes, heads = [field.box for field in fields], reader.column_heads()
    tooltip = in_columns(labels, told_apart(labels, boxes, language), boxes, heads)
    option = [label.option for label in labels]
    for members in _groups(fields):
        question = reader.question(members)
        for row in members:
            tooltip[row] = question
        if not any(option[row] for row in members):
            for row, head in zip(members, heads_apart(members, heads), strict=False):
                option[row] = head
    signed = [asks_for_signature(field, label, language) for field, label in zip(fields, labels, strict=True)]
    return Said(tuple(tooltip), tuple(option), tuple(signed))


def _groups(fields: Sequence[Field]) -> list[list[int]]:
    """Rows of the boxes of each group; a box alone in its group is none."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for row, field in enumerate(fields):
        if field.kind is FieldKind.CHOICE and field.group is not None:
            groups[field.group].append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def page_words(page: Page, ocr: Ocr) -> tuple[Words, tuple[str, ...]]:
    """The words to take labels from, and a note where a page had to stay without any.

    On a page with hardly a word the others may be drawn. Its own words are the exact ones, so an engine must
    see clearly more to be listened to.
    """
    own = page.primitives.words if page.primitives is not None else Words.empty()
    wordless = needs_ocr(page)
    if not (wordless or hardly_written(page)):
        return own, ()
    if ocr is Ocr.OFF or not ocr_installed():
        return own, (_unread(page, ocr),) if wordless else ()
    seen = read_words(page)
    return seen if len(seen) >= _CLEARLY_MORE * len(own) else own, ()


def _unread(page: Page, ocr: Ocr) -> str:
    hint = "" if ocr is Ocr.OFF else ' (to read scans: pip install "acromeld[ocr]")'
    return f"Page {page.index + 1} has no text, so its fields are numbered, not named{hint}."


def _completed(field: Field, found: dict[str, Any]) -> Field:
    return field.model_copy(update={name: found[name] for name in found if getattr(field, name) is None})


def _sized(field: Field, words: Words) -> Field:
    if field.kind is not FieldKind.TEXT or field.font_size is not None:
        return field
    return field.model_copy(update={"font_size": text_style(field, words).size})


def _text_facts(field: Field, label: str, kind: TextKind, cells: int) -> dict[str, Any]:
    expected = text_format(label, field.box)
    comb = cells if kind is TextKind.COMB and field.multiline is not True else None
    several = kind is TextKind.LINES and field.comb is None
    return {"multiline": several, "comb": comb, "format": expected, "align": alignment(expected)}
