# SPDX-License-Identifier: Apache-2.0
"""What a review knows of each field beyond the fields file, and what of it goes into the form.

The detector proposes more than it would write: candidates below the threshold of their class are kept, so
that the threshold can be lowered in the page. A person's word outranks the threshold. What is in the form is
therefore a rule, `in_form`, and the fields file holds exactly the fields for which it says yes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from acromeld.fields import Field, FieldKind, OperatingPoint, PageFields, PageRef, Score
from acromeld.review.order import in_tab_order

if TYPE_CHECKING:
    from collections.abc import Iterable


class Verdict(StrEnum):
    """Who decides whether a field is in the form: its score, or a person."""

    AUTO = "auto"
    KEPT = "kept"
    DROPPED = "dropped"


class ReviewField(Field):
    """A field, a candidate or a rejected one."""

    verdict: Verdict = Verdict.AUTO


class Thresholds(BaseModel):
    """The score from which on a candidate of each kind is in the form."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    text: Score
    choice: Score
    signature: Score

    @classmethod
    def of(cls, point: OperatingPoint | None) -> Thresholds:
        """Those of an operating point; zero without one, so that everything in a foreign file stays in."""
        if point is None:
            return cls(text=0.0, choice=0.0, signature=0.0)
        return cls(text=point.text, choice=point.choice, signature=point.signature)

    def at(self, kind: FieldKind) -> float:
        """The threshold of one kind."""
        return {
            FieldKind.TEXT: self.text,
            FieldKind.CHOICE: self.choice,
            FieldKind.SIGNATURE: self.signature,
        }[kind]


class ReviewPage(BaseModel):
    """Everything known of one page."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    page: PageRef
    fields: tuple[ReviewField, ...] = ()
    notes: tuple[str, ...] = ()


def in_form(field: ReviewField, thresholds: Thresholds) -> bool:
    """Whether a field is part of the form now."""
    if field.verdict is Verdict.AUTO:
        return field.score >= thresholds.at(field.kind)
    return field.verdict is Verdict.KEPT


def form_pages(pages: Iterable[ReviewPage], thresholds: Thresholds) -> tuple[PageFields, ...]:
    """The pages as the fields file has them: only what is in the form, numbered in tab order."""
    return tuple(_form_page(page, thresholds) for page in pages)


def _form_page(page: ReviewPage, thresholds: Thresholds) -> PageFields:
    chosen = in_tab_order([field for field in page.fields if in_form(field, thresholds)])
    fields = tuple(_plain(field, number) for number, field in enumerate(chosen))
    return PageFields(page=page.page, fields=fields, notes=page.notes)


def _plain(field: ReviewField, order: int) -> Field:
    values = {name: getattr(field, name) for name in Field.model_fields}
    return Field.model_construct(**values | {"order": order})
