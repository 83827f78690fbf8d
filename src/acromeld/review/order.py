# SPDX-License-Identifier: Apache-2.0
"""The tab order of a page under review.

Some fields have a place, given by the detector or by a person; others came later: drawn by hand, or let in
by a lower threshold. These stand after the field that precedes them in reading order. The page computes the
same order to show its numbers (``web/src/model/order.ts``);
``tests/review/order_cases.json`` holds both to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from acromeld.form.order import reading_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field

    F = TypeVar("F", bound=Field)


def in_tab_order(fields: Sequence[F]) -> list[F]:
    """The fields in the order in which the Tab key visits them."""
    reading: list[F] = reading_order(fields)  # type: ignore[assignment]
    placed = [field for field in reading if field.order is not None]
    placed.sort(key=lambda field: field.order or 0)
    if not placed:
        return reading
    before: F | None = None
    for field in reading:
        if field.order is None:
            placed.insert(0 if before is None else _place(placed, before) + 1, field)
        before = field
    return placed


def _place(fields: Sequence[F], wanted: F) -> int:
    """Where a very field stands; two fields may be equal in everything."""
    return next(index for index, field in enumerate(fields) if field is wanted)
