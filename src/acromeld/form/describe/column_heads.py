# SPDX-License-Identifier: Apache-2.0
"""Boxes to tick in the columns of a table: what is printed over a column tells its boxes apart.

"Yes", "No" and "Unsure" stand once, over three columns of boxes, and each row of boxes shares one question.
Without the column three boxes in a row would be read aloud alike.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.label_candidates import Direction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from acromeld.fields import Box
    from acromeld.form.describe.label_candidates import Candidates
    from acromeld.form.describe.labels import Label
    from acromeld.form.describe.surroundings import Surroundings


@dataclass(frozen=True)
class ColumnHead:
    """The text nearest above a box to tick, and how high it stands: middle and height in points."""

    text: str
    middle: float
    height: float


def column_heads(around: Surroundings, found: Candidates) -> list[ColumnHead | None]:
    """What stands over each box to tick, if it stands over a column of them and is nobody's option."""
    heads: list[ColumnHead | None] = [None] * len(around.field)
    over = (found.rank[:, Direction.ABOVE] == 0) & ~found.whole & around.choice[found.field]
    rows = np.flatnonzero(over & ~around.option[found.piece])
    boxes_under = np.bincount(found.piece[rows], minlength=1)
    for row in rows[boxes_under[found.piece[rows]] > 1].tolist():
        piece = int(found.piece[row])
        top, bottom = float(around.pieces.box[piece, 1]), float(around.pieces.box[piece, 3])
        heads[int(found.field[row])] = ColumnHead(around.spoken[0][piece], (top + bottom) / 2, bottom - top)
    return heads


def heads_apart(rows: Sequence[int], heads: Sequence[ColumnHead | None]) -> list[str]:
    """The heads of some fields, if they stand in one line and each is another; else nothing."""
    known = [head for head in (heads[row] for row in rows) if head is not None]
    if len(known) < len(rows) or len({head.text.casefold() for head in known}) < len(rows):
        return []
    level = all(abs(head.middle - known[0].middle) < 0.5 * known[0].height for head in known)
    return [head.text for head in known] if level else []


def in_columns(
    labels: Sequence[Label], said: Sequence[str], boxes: Sequence[Box], heads: Sequence[ColumnHead | None]
) -> list[str]:
    """What to say of each field, with the head of its column in front where a row of boxes says the same."""
    out = list(said)
    for rows in _rows_alike(labels, said, boxes, heads):
        names = heads_apart(rows, heads)
        for row, name in zip(rows, names, strict=False):
            out[row] = f"{name}: {labels[row].own if labels[row].context in names else said[row]}"
    return out


def _rows_alike(
    labels: Sequence[Label], said: Sequence[str], boxes: Sequence[Box], heads: Sequence[ColumnHead | None]
) -> Iterator[list[int]]:
    """Fields with a head that say the same, from words printed once, and stand level; two or more."""
    alike: defaultdict[tuple[str, Box | None], list[int]] = defaultdict(list)
    for row, text in enumerate(said):
        if text and heads[row] is not None:
            alike[text, labels[row].box].append(row)
    for rows in alike.values():
        while rows:
            level = [row for row in rows if _level(boxes[rows[0]], boxes[row])]
            rows = [row for row in rows if row not in level]
            if len(level) > 1:
                yield level


def _level(first: Box, second: Box) -> bool:
    return abs(first[1] + first[3] - second[1] - second[3]) < first[3] - first[1]
