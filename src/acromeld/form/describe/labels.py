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

from acromeld.form.describe.label_candidates import Direction, find_candidates
from acromeld.form.describe.label_features import boxes_of, describe_candidates, texts_of
from acromeld.form.describe.label_pairs import ALONE, describe_pairs, make_pairs, pair_texts
from acromeld.form.describe.label_weights import LabelScorer, shipped
from acromeld.form.describe.surroundings import OPTION_REACH, look_around

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.fields import Box, Field
    from acromeld.form.describe.label_candidates import Candidates
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
        question: For a box to tick, the nearest text to its left or above that is not an option itself.
        heading: The nearest heading above.
        box: Where ``own`` is printed.
        score: Expected token F1 against an author's tooltip.
    """

    text: str = ""
    own: str = ""
    context: str = ""
    option: str = ""
    question: str = ""
    heading: str = ""
    box: Box | None = None
    score: float = 0.0


def find_labels(
    page: Page, fields: Sequence[Field], words: Words | None = None, scorer: LabelScorer | None = None
) -> list[Label]:
    """A label for each field; ``words`` replaces those of the page where it was read by OCR."""
    around = look_around(page, fields, words)
    return labels_around(around, scorer)


def labels_around(around: Surroundings, scorer: LabelScorer | None = None) -> list[Label]:
    """The labels of fields whose surroundings are known."""
    found = find_candidates(around)
    labels = [Label()] * len(around.field)
    if not len(found):
        return labels
    scorer = scorer or shipped()
    columns = describe_candidates(around, found)
    score = scorer.single(columns)
    pairs = make_pairs(around, found, score)
    value = scorer.pair(describe_pairs(around, found, pairs, columns, score))
    spoken, texts, box = pair_texts(around, found, pairs), texts_of(around, found), boxes_of(around, found)
    options = _options(around, found, score, columns)
    questions = _first_of(found, Direction.LEAD, Direction.QUESTION)
    headings = _first_of(found, Direction.HEADING)
    for row in _best_rows(pairs.field, value):
        field, first, second = int(pairs.field[row]), int(pairs.first[row]), int(pairs.second[row])
        option, question, heading = options.get(field), questions.get(field), headings.get(field)
        tick = bool(around.choice[field])
        labels[field] = Label(
            text=spoken[row],
            own=texts[second],
            context="" if first == ALONE else texts[first],
            option=texts[option] if tick and option is not None else "",
            question=texts[question] if tick and question is not None else "",
            heading=texts[heading] if heading is not None else "",
            box=_as_box(box[second]),
            score=float(value[row]),
        )
    return labels


def _best_rows(field: np.ndarray[tuple[int], np.dtype[np.intp]], value: Floats) -> list[int]:
    """Row of the highest value of each field."""
    order = np.lexsort((-value, field))
    first = np.flatnonzero(np.diff(field[order], prepend=-1))
    return [int(row) for row in order[first]]


def _as_box(box: Floats) -> Box:
    x0, y0, x1, y1 = (float(side) for side in box)
    return x0, y0, x1, y1


def _options(
    around: Surroundings, found: Candidates, score: Floats, columns: dict[str, Floats]
) -> dict[int, int]:
    """Candidate row of the words beside each box to tick: the best scored of those within reach."""
    right = (found.rank[:, Direction.RIGHT] == 0) & (columns["gap right"] < OPTION_REACH)
    left = (found.rank[:, Direction.LEFT] == 0) & (columns["gap left"] < OPTION_REACH)
    near = (left if around.backward else right) & around.choice[found.field]
    # Some forms put the words on the other side, or below; these are asked only where the usual side is bare.
    other = (left | right) & around.choice[found.field]
    chosen: dict[int, int] = {}
    for mask in (near, other):
        rows = np.flatnonzero(mask)
        for row in rows[np.argsort(-score[rows], kind="stable")].tolist():
            chosen.setdefault(int(found.field[row]), row)
    return chosen


def _first_of(found: Candidates, *directions: Direction) -> dict[int, int]:
    """Candidate row of the nearest text of each field in the first direction that has any, as a paragraph."""
    chosen: dict[int, int] = {}
    for direction in directions:
        rows = np.flatnonzero(found.rank[:, direction] == 0)
        here = {int(found.field[row]): int(row) for row in rows[np.argsort(found.whole[rows], kind="stable")]}
        chosen = here | chosen
    return chosen
