# SPDX-License-Identifier: Apache-2.0
"""The order in which the Tab key visits the fields of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field


def tab_order(fields: Sequence[Field]) -> list[Field]:
    """Fields by their ``order``; those without one follow in reading order, rows from the top."""
    ranked = enumerate(reading_order(fields))
    return [field for _, field in sorted(ranked, key=lambda item: _key(item[1], item[0]))]


def _key(field: Field, rank: int) -> tuple[bool, int, int]:
    return field.order is None, field.order or 0, rank


def reading_order(fields: Sequence[Field]) -> list[Field]:
    """Rows from the top, each from the left.

    A field belongs to the row above it while its middle lies higher than the bottom of the row's first
    field, which holds for the small vertical jitter of detected boxes and for check boxes beside text lines.
    """
    rows: list[list[Field]] = []
    for field in sorted(fields, key=lambda item: (_middle(item), item.box)):
        if rows and _middle(field) < rows[-1][0].box[3]:
            rows[-1].append(field)
        else:
            rows.append([field])
    return [field for row in rows for field in sorted(row, key=lambda item: item.box)]


def _middle(field: Field) -> float:
    return (field.box[1] + field.box[3]) / 2
