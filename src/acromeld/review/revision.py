# SPDX-License-Identifier: Apache-2.0
"""A form at one revision, and how a window asks for the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from acromeld.errors import AcromeldError
from acromeld.review.state import ReviewField, ReviewPage, Thresholds, form_pages, in_form

if TYPE_CHECKING:
    from acromeld.fields import DocumentFields


@dataclass(frozen=True)
class State:
    """The form at one revision. ``head`` is the fields file without its pages."""

    revision: int
    thresholds: Thresholds
    pages: dict[int, ReviewPage]
    head: DocumentFields
    notes: tuple[str, ...] = ()

    def fields(self) -> DocumentFields:
        """What is in the form now, as a fields file."""
        return self.head.model_copy(update={"pages": form_pages(self.pages.values(), self.thresholds)})

    def count(self) -> int:
        """How many fields are in the form."""
        return sum(in_form(field, self.thresholds) for page in self.pages.values() for field in page.fields)

    def after(self, change: Change, revision: int) -> tuple[State, dict[int, ReviewPage]]:
        """The state after a change, and the pages that differ."""
        changed = {
            index: self.pages[index].model_copy(update={"fields": fields})
            for index, fields in change.pages.items()
            if index in self.pages
        }
        thresholds = change.thresholds or self.thresholds
        return State(revision, thresholds, self.pages | changed, self.head, self.notes), changed


class Change(BaseModel):
    """What a window wants to save: the pages it changed, based on the revision it knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: int
    pages: dict[int, tuple[ReviewField, ...]] = {}
    thresholds: Thresholds | None = None
    take_over: bool = False


class Stale(AcromeldError):
    """A window tried to save over changes it has not seen."""

    def __init__(self, revision: int) -> None:
        super().__init__("The form was changed in another window or by another program.")
        self.revision = revision
