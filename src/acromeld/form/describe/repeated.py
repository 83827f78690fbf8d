# SPDX-License-Identifier: Apache-2.0
"""Rows of a table are told apart: fields below each other that share one printed text get a number.

Fields with the same words printed at each of them, like "Date" after every signature, keep them. To put the
heading in front of those was tried, and took them further from what authors write.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from acromeld.fields import Box
    from acromeld.form.describe.labels import Label

_SAME_COLUMN = 0.6
_ROW = {
    "cs": "řádek",
    "da": "række",
    "de": "Zeile",
    "en": "row",
    "es": "fila",
    "fr": "ligne",
    "it": "riga",
    "nl": "rij",
    "pl": "wiersz",
    "pt": "linha",
    "sv": "rad",
}
"""The word for a row of a table; in other languages the number stands in brackets."""


def told_apart(labels: Sequence[Label], boxes: Sequence[Box], language: str | None) -> list[str]:
    """What to say for each label, given the boxes of the fields and the language of the page.

    Rows are counted from the top of the column, also past those that something else tells apart.
    """
    out = [label.text for label in labels]
    for rows in _alike([(label.own, label.box) if label.text else None for label in labels]):
        for column in _columns(rows, boxes):
            said = Counter(labels[row].text for row in column)
            for number, row in enumerate(column, 1):
                if said[out[row]] > 1:
                    out[row] = _numbered(out[row], number, language)
    return out


def _numbered(text: str, number: int, language: str | None) -> str:
    word = _ROW.get(language or "")
    return f"{text}, {word} {number}" if word else f"{text} ({number})"


def _alike(keys: Sequence[Hashable | None]) -> Iterable[list[int]]:
    """Places of the keys that occur more than once."""
    places: defaultdict[Hashable, list[int]] = defaultdict(list)
    for row, key in enumerate(keys):
        if key is not None:
            places[key].append(row)
    return [rows for rows in places.values() if len(rows) > 1]


def _columns(rows: Sequence[int], boxes: Sequence[Box]) -> list[list[int]]:
    """Rows of boxes that stand below each other, from the top."""
    columns: list[list[int]] = []
    for row in sorted(rows, key=lambda row: (boxes[row][1], boxes[row][0])):
        column = next((column for column in columns if _below(boxes[column[-1]], boxes[row])), None)
        if column is None:
            columns.append([row])
        else:
            column.append(row)
    return columns


def _below(upper: Box, lower: Box) -> bool:
    shared = min(upper[2], lower[2]) - max(upper[0], lower[0])
    wide = max(upper[2] - upper[0], lower[2] - lower[0])
    return shared > _SAME_COLUMN * wide and lower[1] >= (upper[1] + upper[3]) / 2
