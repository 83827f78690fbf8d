# SPDX-License-Identifier: Apache-2.0
"""Texts that could be the label of a field: the nearest ones in every direction, near or far.

Distance is no limit: the header of a long column is far away and still the nearest text above. Each text is
offered twice where it differs, as the piece of line that stands there and as the whole paragraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.texts import has_words
from acromeld.structure.intervals import blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Boxes, Floats

    Index = npt.NDArray[np.intp]
    Flags = npt.NDArray[np.bool_]


class Direction(IntEnum):
    """Where a text stands, seen from the field.

    QUESTION and LEAD are above and left as well, but pass over the texts that belong to boxes to tick;
    HEADING passes over everything that is not printed as one.
    """

    LEFT = 0
    RIGHT = 1
    ABOVE = 2
    BELOW = 3
    INSIDE = 4
    QUESTION = 5
    LEAD = 6
    HEADING = 7


_NEAREST = {
    Direction.LEFT: 3,
    Direction.RIGHT: 2,
    Direction.ABOVE: 4,
    Direction.BELOW: 2,
    Direction.INSIDE: 2,
    Direction.QUESTION: 3,
    Direction.LEAD: 2,
    Direction.HEADING: 2,
}
FAR = 9
"""Rank of a text in a direction in which it was not found."""

_TOUCH = 4.0
_INDENT = 12.0
_QUESTION_WIDTH = 300.0
_BOLD, _LARGE = 600.0, 1.15


@dataclass(frozen=True)
class Candidates:
    """Pairs of field and text, one row each, sorted by field.

    Attributes:
        field: ``(c,)`` row of the field.
        piece: ``(c,)`` row of the piece that was found.
        whole: ``(c,)`` whether its whole paragraph is meant.
        rank: ``(c, 8)`` place among the nearest in each `Direction`, `FAR` where it is not among them.
    """

    field: Index
    piece: Index
    whole: Flags
    rank: npt.NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.field)


def find_candidates(around: Surroundings) -> Candidates:
    """The candidates of every field of a page."""
    usable = np.array([has_words(text) or text.strip().isalnum() for text in around.spoken[0]], np.bool_)
    ranks = [np.zeros((0, len(Direction)), dtype=np.int8)]
    owners: list[Index] = [np.zeros(0, dtype=np.intp)]
    pieces: list[Index] = [np.zeros(0, dtype=np.intp)]
    if len(around.pieces):
        for part in blocks(len(around.field), 4 * len(around.pieces)):
            rank = _ranks(around, part, usable)
            owner, piece = np.nonzero((rank < FAR).any(2))
            ranks.append(rank[owner, piece])
            owners.append(owner + part.start)
            pieces.append(piece)
    return _doubled(around, np.concatenate(owners), np.concatenate(pieces), np.concatenate(ranks))


def _doubled(around: Surroundings, field: Index, piece: Index, rank: npt.NDArray[np.int8]) -> Candidates:
    """Each text as a piece of line, and those of longer paragraphs as the paragraph, too."""
    long = around.paragraphs.lines[around.pieces.paragraph[piece]] > 1
    whole = np.concatenate([np.zeros(len(field), np.bool_), np.ones(int(long.sum()), np.bool_)])
    field, piece = np.concatenate([field, field[long]]), np.concatenate([piece, piece[long]])
    rank = np.concatenate([rank, rank[long]])
    order = np.lexsort((whole, piece, field))
    return Candidates(field[order], piece[order], whole[order], rank[order])


def _ranks(around: Surroundings, part: slice, usable: Flags) -> npt.NDArray[np.int8]:
    """``(fields, pieces, directions)`` ranks for a slice of the fields."""
    distances = _distances(around.field[part], around.pieces.box)
    free = usable & ~around.option
    heading = usable & headings(around)
    distances[Direction.LEAD] = np.where(free, distances[Direction.LEFT], np.inf)
    distances[Direction.QUESTION] = np.where(free, distances[Direction.QUESTION], np.inf)
    distances[Direction.HEADING] = np.where(heading, distances[Direction.HEADING], np.inf)
    shape = (*distances[Direction.LEFT].shape, len(Direction))
    rank = np.full(shape, FAR, dtype=np.int8)
    for direction, nearest in _NEAREST.items():
        distance = np.where(usable, distances[direction], np.inf)
        order = np.argsort(distance, axis=1, kind="stable")[:, :nearest]
        rows = np.arange(len(distance))[:, None]
        place = np.broadcast_to(np.arange(order.shape[1], dtype=np.int8), order.shape)
        rank[rows, order, direction] = np.where(np.isfinite(distance[rows, order]), place, FAR)
    return rank


def headings(around: Surroundings) -> Flags:
    """Pieces ``(m,)`` printed bold, large or in capitals."""
    pieces = around.pieces
    capitals = np.array([text.isupper() and len(text) > 6 for text in pieces.text], dtype=np.bool_)
    return np.asarray((pieces.weight >= _BOLD) | (pieces.size >= _LARGE * around.size) | capitals)


def _distances(field: Boxes, piece: Boxes) -> dict[Direction, Floats]:
    """How far each piece is from each field ``(n, m)`` by direction; infinite where it is not there."""
    x0, y0, x1, y1 = (field[:, side, None] for side in range(4))
    a0, b0, a1, b1 = piece.T
    middle_x, middle_y = (a0 + a1) / 2, (b0 + b1) / 2
    centre_y = (y0 + y1) / 2
    level = ((middle_y > y0 - 1) & (middle_y < y1 + 1)) | ((centre_y > b0) & (centre_y < b1))
    column = (a0 < x1) & (a1 > x0)
    inside = (middle_x > x0) & (middle_x < x1) & (middle_y > y0) & (middle_y < y1)
    upper = (b1 <= y0 + _TOUCH) & (middle_y < centre_y)
    begins = (a0 <= x1 + _INDENT) & (a1 > x0 - _QUESTION_WIDTH)

    def where(test: Flags, distance: Floats) -> Floats:
        return np.where(test, distance, np.inf)

    return {
        Direction.LEFT: where(level & ~inside & (middle_x < x0) & (a1 <= x0 + _TOUCH), x0 - a1),
        Direction.RIGHT: where(level & ~inside & (middle_x > x1) & (a0 >= x1 - _TOUCH), a0 - x1),
        Direction.ABOVE: where(column & ~inside & upper, y0 - b1),
        Direction.BELOW: where(column & ~inside & (b0 >= y1 - _TOUCH) & (middle_y > centre_y), b0 - y1),
        Direction.INSIDE: where(inside, b0 - y0),
        # A question stands above its options, further left, and rarely far from them.
        Direction.QUESTION: where(upper & begins, (y0 - b1) + 0.2 * np.maximum(x0 - a1, 0.0)),
        Direction.HEADING: where(upper & (a0 <= x1 + _INDENT), (y0 - b1) + 0.1 * np.maximum(x0 - a1, 0.0)),
    }
