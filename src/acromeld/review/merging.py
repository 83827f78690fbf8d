# SPDX-License-Identifier: Apache-2.0
"""Opening a form that has a fields file already: the file is right, the memory adds what it cannot hold.

The fields file may have been edited, made by another command or brought from another machine since the last
review. So it alone says what is in the form; the memory of the last review gives the candidates outside of
it, the verdicts and the thresholds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.fields import PageRef
from acromeld.review.state import ReviewField, ReviewPage, Thresholds, Verdict, in_form

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from acromeld.fields import DocumentFields, Field, PageFields
    from acromeld.pdf.frame import PageFrame


def merge(
    frames: Sequence[PageFrame],
    file: DocumentFields,
    remembered: dict[int, ReviewPage],
    thresholds: Thresholds,
) -> dict[int, ReviewPage]:
    """Every page of the document with the fields of the file and what is remembered beside them."""
    written = {page.page.index: page for page in file.pages}
    return {
        index: _merge_page(_place(index, frame), written.get(index), remembered.get(index), thresholds)
        for index, frame in enumerate(frames)
    }


def _place(index: int, frame: PageFrame) -> PageRef:
    return PageRef.of(index, frame.width, frame.height)


def _merge_page(
    place: PageRef, written: PageFields | None, remembered: ReviewPage | None, thresholds: Thresholds
) -> ReviewPage:
    fields = identified(written.fields if written else (), place.index)
    known = {field.id: field for field in remembered.fields} if remembered else {}
    present = [_present(field, known.get(field.id), thresholds) for field in fields]
    names = {field.id for field in fields}
    absent = [_absent(field, thresholds) for name, field in known.items() if name not in names]
    return ReviewPage(page=place, fields=(*present, *absent), notes=written.notes if written else ())


def _present(field: Field, before: ReviewField | None, thresholds: Thresholds) -> ReviewField:
    """A field of the file: left to its score if that suffices and nobody has decided otherwise."""
    auto = field.score >= thresholds.at(field.kind) and (before is None or before.verdict is Verdict.AUTO)
    verdict = Verdict.AUTO if auto else Verdict.KEPT
    return ReviewField.model_validate(field.model_dump() | {"verdict": verdict})


def _absent(field: ReviewField, thresholds: Thresholds) -> ReviewField:
    """A field the file does not have; one that was in the form has been taken out by somebody."""
    if in_form(field, thresholds):
        return field.model_copy(update={"verdict": Verdict.DROPPED})
    return field


def identified(fields: Iterable[Field], index: int) -> list[Field]:
    """The fields of a page, each with an identity of its own; tools and people may leave it out."""
    seen: set[str] = set()
    named = []
    for number, field in enumerate(fields, 1):
        name = field.id if field.id and field.id not in seen else f"p{index + 1}-f{number}"
        while name in seen:
            name += "x"
        seen.add(name)
        named.append(field if field.id == name else field.model_copy(update={"id": name}))
    return named
