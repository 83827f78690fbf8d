# SPDX-License-Identifier: Apache-2.0
"""The labels of the fields of a page, chosen by two small learned scorers.

Both predict the same thing: how much of what the author of a real form wrote as the tooltip (/TU) a text has,
and how little else (token F1). The first looks at single texts, the second at the best of them alone and in
pairs. The one with the highest expectation is the label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.column_heads import column_heads
from acromeld.form.describe.label_candidates import find_candidates
from acromeld.form.describe.label_features import boxes_of, describe_candidates, texts_of
from acromeld.form.describe.label_pairs import ALONE, describe_pairs, make_pairs, pair_texts
from acromeld.form.describe.label_weights import LabelScorer, shipped
from acromeld.form.describe.options import option_rows
from acromeld.form.describe.surroundings import facing_forward, look_around, mirrored

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Box, Field
    from acromeld.form.describe.column_heads import ColumnHead
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Page, Words


@dataclass(frozen=True)
class Label:
    """What the page says about one field.

    Attributes:
        text: The spoken label; empty when nothing on the page names the field.
        own: The part of it that belongs to this field alone.
        context: The part before it: the question, the row or the heading; empty when there is none.
        option: For a box to tick, the words beside it.
        box: Where ``own`` is printed.
        score: Expected token F1 against an author's tooltip.
    """

    text: str = ""
    own: str = ""
    context: str = ""
    option: str = ""
    box: Box | None = None
    score: float = 0.0


def find_labels(page: Page, fields: Sequence[Field], words: Words | None = None) -> list[Label]:
    """A label for each field; ``words`` replaces those of the page where it was read by OCR."""
    return LabelReader(look_around(page, fields, words)).labels()


class LabelReader:
    """The candidates of a page, scored once, and what can be asked about them."""

    def __init__(self, around: Surroundings, scorer: LabelScorer | None = None) -> None:
        self._mirror = around.backward
        self._around = around = facing_forward(around)
        self._found = find_candidates(around)
        if not len(self._found):
            return
        self._scorer = scorer or shipped()
        self._columns = describe_candidates(around, self._found)
        self._score = self._scorer.single(self._columns)
        self._texts = texts_of(around, self._found)
        self._options = option_rows(around, self._found, self._score, self._columns)

    def labels(self) -> list[Label]:
        """The label of each field."""
        labels = [Label()] * len(self._around.field)
        if not len(self._found):
            return labels
        around, found, texts = self._around, self._found, self._texts
        pairs = make_pairs(around, found, self._score)
        value = self._scorer.pair(describe_pairs(around, found, pairs, self._columns, self._score))
        spoken, box = pair_texts(around, found, pairs), boxes_of(around, found)
        if self._mirror:
            box = mirrored(box, around.width)
        for row in _best_rows(pairs.field, value):
            field, first, second = int(pairs.field[row]), int(pairs.first[row]), int(pairs.second[row])
            labels[field] = Label(
                text=spoken[row],
                own=texts[second],
                context="" if first == ALONE else texts[first],
                option=texts[self._options[field]] if field in self._options else "",
                box=_as_box(box[second]),
                score=float(value[row]),
            )
        return labels

    def column_heads(self) -> list[ColumnHead | None]:
        """What is printed over the column of each box to tick."""
        if not len(self._found):
            return [None] * len(self._around.field)
        return column_heads(self._around, self._found)

    def question(self, members: Sequence[int]) -> str:
        """What fields that exclude each other ask together: the best text that all see and none stands for.

        Where nothing is seen by all, most of them are enough; empty when there is nothing at all.
        """
        if not len(self._found):
            return ""
        chosen = [self._options[field] for field in members if field in self._options]
        options = {self._texts[row] for row in chosen}
        paragraph = self._around.pieces.paragraph[self._found.piece]
        holds_option = self._found.whole & np.isin(paragraph, paragraph[chosen])
        free = ~holds_option & ~self._around.option[self._found.piece]
        worth: dict[str, dict[int, float]] = {}
        for row in np.flatnonzero(free & np.isin(self._found.field, np.array(members))).tolist():
            text = self._texts[row]
            if text not in options:
                seen = worth.setdefault(text, {})
                field = int(self._found.field[row])
                seen[field] = max(seen.get(field, -1.0), float(self._score[row]))
        enough = [text for text, seen in worth.items() if 2 * len(seen) > len(members)]
        return max(enough, key=lambda text: sum(worth[text].values()), default="")


def _best_rows(field: npt.NDArray[np.intp], value: Floats) -> list[int]:
    """Row of the highest value of each field."""
    order = np.lexsort((-value, field))
    first = np.flatnonzero(np.diff(field[order], prepend=-1))
    return [int(row) for row in order[first]]


def _as_box(box: Floats) -> Box:
    x0, y0, x1, y1 = (float(side) for side in box)
    return x0, y0, x1, y1
