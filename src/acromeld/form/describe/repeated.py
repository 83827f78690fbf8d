# SPDX-License-Identifier: Apache-2.0
"""Labels that several fields of a page share are told apart: by their row in a table, or by their heading."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from acromeld.form.describe.label_pairs import joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from acromeld.fields import Box

_SAME_COLUMN = 0.6


def told_apart(texts: Sequence[str], headings: Sequence[str], boxes: Sequence[Box]) -> list[str]:
    """The texts; repeated ones with a row number where they stand below each other, else with the heading.

    Whatever is still the same after that is left: two lines for one answer are both its label.
    """
    out = list(texts)
    for rows in _same(texts):
        for column in _columns(rows, boxes):
            if len(column) > 1:
                for number, row in enumerate(column, 1):
                    out[row] = f"{texts[row]}, row {number}"
    for rows in _same(out):
        if len({headings[row] for row in rows}) > 1:
            for row in rows:
                said = headings[row].casefold() in out[row].casefold()
                out[row] = out[row] if said else joined(headings[row], out[row])
    return out


def _same(texts: Sequence[str]) -> Iterable[list[int]]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(texts):
        if text:
            places[text].append(row)
    return [rows for rows in places.values() if len(rows) > 1]


def _columns(rows: Sequence[int], boxes: Sequence[Box]) -> list[list[int]]:
    """Rows of boxes that stand below each other, from the top."""
    columns: list[list[int]] = []
    for row in sorted(rows, key=lambda row: (boxes[row][1], boxes[row][0])):
        fitting = (column for column in columns if _below(boxes[column[-1]], boxes[row]))
        column = next(fitting, None)
        if column is None:
            columns.append([row])
        else:
            column.append(row)
    return columns


def _below(upper: Box, lower: Box) -> bool:
    shared = min(upper[2], lower[2]) - max(upper[0], lower[0])
    narrow, wide = sorted((upper[2] - upper[0], lower[2] - lower[0]))
    return shared > _SAME_COLUMN * wide and narrow > 0 and lower[1] >= (upper[1] + upper[3]) / 2
