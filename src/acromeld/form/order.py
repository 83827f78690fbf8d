# SPDX-License-Identifier: Apache-2.0
"""The order in which the Tab key visits the fields of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.geometry import as_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Field
    from acromeld.geometry import Boxes


def tab_order(fields: Sequence[Field]) -> list[Field]:
    """Fields by their ``order``; those without one follow in reading order, rows from the top."""
    ranked = enumerate(reading_order(fields))
    return [field for _, field in sorted(ranked, key=lambda item: _key(item[1], item[0]))]


def _key(field: Field, rank: int) -> tuple[bool, int, int]:
    return field.order is None, field.order or 0, rank


def reading_order(fields: Sequence[Field]) -> list[Field]:
    """Fields row by row; see `row_order`."""
    return [fields[row] for row in row_order(as_boxes([field.box for field in fields]))]


def row_order(box: Boxes, *, right_to_left: bool = False) -> list[int]:
    """Rows of boxes ``(n, 4)`` from the top, each from the left, or from the right where so is read.

    A box belongs to the row above it while its middle lies higher than the bottom of the row's first box,
    which holds for the small vertical jitter of detected boxes and for check boxes beside text lines.
    """
    middle = (box[:, 1] + box[:, 3]) / 2
    rows: list[list[int]] = []
    for item in np.lexsort((*box.T[::-1], middle)).tolist():
        if rows and middle[item] < box[rows[-1][0], 3]:
            rows[-1].append(item)
        else:
            rows.append([item])
    along = -box[:, 2] if right_to_left else box[:, 0]
    return [item for row in rows for item in sorted(row, key=lambda one: (along[one], *box[one]))]
