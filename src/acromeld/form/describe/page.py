# SPDX-License-Identifier: Apache-2.0
"""Everything that can be said about the fields of a page by looking at this page alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.fields import FieldKind
from acromeld.form.describe.comb import merge_cells
from acromeld.form.describe.formats import alignment, text_format
from acromeld.form.describe.kinds import TextKind, text_kinds
from acromeld.form.describe.label_weights import shipped
from acromeld.form.describe.labels import labels_around
from acromeld.form.describe.mark_style import mark_styles
from acromeld.form.describe.ocr import Ocr, needs_ocr, ocr_installed, read_words
from acromeld.form.describe.repeated import told_apart
from acromeld.form.describe.surroundings import look_around
from acromeld.form.textstyle import text_style
from acromeld.pdf.page import Words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field, Mark, PageFields
    from acromeld.form.describe.kinds import Kinds
    from acromeld.form.describe.labels import Label
    from acromeld.pdf.page import Page


def describe_page(page: Page, fields: PageFields, *, ocr: Ocr = Ocr.AUTO) -> PageFields:
    """Fill in what the fields of a page lack; what they have stays as it is.

    Cells of a comb that were found one by one become one field, so there may be fewer fields afterwards.
    """
    if not fields.fields:
        return fields
    words, notes = page_words(page, ocr)
    merged = merge_cells(fields.fields)
    around = look_around(page, merged, words)
    labels = labels_around(around)
    kinds = text_kinds(around, words, shipped())
    looks = mark_styles(page, around.field, words)
    tooltips = spoken_labels(merged, labels)
    described = tuple(
        _described(field, labels[row], tooltips[row], kinds, row, looks[row], words)
        for row, field in enumerate(merged)
    )
    return fields.model_copy(update={"fields": described, "notes": (*fields.notes, *notes)})


def page_words(page: Page, ocr: Ocr) -> tuple[Words, tuple[str, ...]]:
    """The words to take labels from, and a note where a scan had to stay without any."""
    own = page.primitives.words if page.primitives is not None else Words.empty()
    if not needs_ocr(page):
        return own, ()
    if ocr is Ocr.OFF or not ocr_installed():
        hint = "" if ocr is Ocr.OFF else ' (pip install "acromeld[ocr]" reads them)'
        return own, (f"Page {page.index + 1} is a scan; its fields are numbered, not named{hint}.",)
    return read_words(page), ()


def spoken_labels(fields: Sequence[Field], labels: Sequence[Label]) -> list[str]:
    """The labels as tooltips, repeated ones told apart."""
    texts = [label.text for label in labels]
    return told_apart(texts, [label.heading for label in labels], [field.box for field in fields])


def _described(
    field: Field, label: Label, tooltip: str, kinds: Kinds, row: int, look: Mark, words: Words
) -> Field:
    found: dict[str, Any] = {"tooltip": tooltip or None}
    if field.kind is FieldKind.TEXT:
        found |= _text_facts(field, tooltip, TextKind(kinds.kind[row]), int(kinds.cells[row]))
    elif field.kind is FieldKind.CHOICE:
        found |= {"option": label.option or None, "mark": look}
    missing = {name: value for name, value in found.items() if getattr(field, name) is None}
    known = field.model_copy(update=missing)
    if known.kind is FieldKind.TEXT and known.font_size is None:
        known = known.model_copy(update={"font_size": text_style(known, words).size})
    return known


def _text_facts(field: Field, label: str, kind: TextKind, cells: int) -> dict[str, Any]:
    expected = text_format(label, field.box)
    comb = cells if kind is TextKind.COMB and field.multiline is not True else None
    several = kind is TextKind.LINES and field.comb is None
    return {"multiline": several, "comb": comb, "format": expected, "align": alignment(expected)}
