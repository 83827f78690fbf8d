# SPDX-License-Identifier: Apache-2.0
"""What a box to tick stands for: the words beside it, and only those.

Answers that stand below each other in one size, "Yes" under "Yes", look like the lines of one paragraph, and
so do a question and the first answer right below it. A paragraph is an option only where all of it is one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.label_candidates import Direction
from acromeld.form.describe.surroundings import OPTION_REACH

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.form.describe.label_candidates import Candidates
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Floats

    Flags = npt.NDArray[np.bool_]


def option_rows(
    around: Surroundings, found: Candidates, score: Floats, columns: dict[str, Floats]
) -> dict[int, int]:
    """Candidate row of the words beside each box to tick: the best scored of those within reach."""
    right = (found.rank[:, Direction.RIGHT] == 0) & (columns["gap right"] < OPTION_REACH)
    left = (found.rank[:, Direction.LEFT] == 0) & (columns["gap left"] < OPTION_REACH)
    tick = around.choice[found.field] & ~says_more(around, found)
    # Some forms put the words on the other side; that one is asked only where the usual side is bare.
    chosen: dict[int, int] = {}
    for side in ((left if around.backward else right), left | right):
        rows = np.flatnonzero(side & tick)
        for row in rows[np.argsort(-score[rows], kind="stable")].tolist():
            chosen.setdefault(int(found.field[row]), row)
    return chosen


def says_more(around: Surroundings, found: Candidates) -> Flags:
    """Which candidates ``(c,)`` are paragraphs that also hold another option, or the line over the box."""
    lines: defaultdict[int, list[int]] = defaultdict(list)
    for piece, paragraph in enumerate(around.pieces.paragraph.tolist()):
        lines[paragraph].append(piece)
    out = np.zeros(len(found), dtype=np.bool_)
    for row in np.flatnonzero(found.whole & around.choice[found.field]).tolist():
        piece, field = int(found.piece[row]), int(found.field[row])
        others = [other for other in lines[int(around.pieces.paragraph[piece])] if other != piece]
        out[row] = any(around.option[other] or _stands_over(around, other, field) for other in others)
    return out


def _stands_over(around: Surroundings, piece: int, field: int) -> bool:
    """Whether a line is printed above a field, and not only higher up beside it."""
    words, box = around.pieces.box[piece], around.field[field]
    return bool(words[0] < box[2] and words[2] > box[0] and words[1] + words[3] < box[1] + box[3])
