# SPDX-License-Identifier: Apache-2.0
"""Boxes to tick that exclude each other: radio groups.

A form with a wrong radio group cannot be filled in, one with a missing group can: boxes are joined only where
a link between neighbours is well above doubt, and never where an option would have no label or that of
another one. Without readable words nothing is joined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import FieldKind
from acromeld.form.describe.group_links import describe_links, find_links, read_choices
from acromeld.form.describe.group_weights import shipped
from acromeld.geometry import as_boxes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.fields import Field
    from acromeld.form.describe.group_links import Choices
    from acromeld.form.describe.group_weights import GroupScorer
    from acromeld.geometry import Floats
    from acromeld.pdf.page import Primitives

    Index = npt.NDArray[np.intp]

MOST_CHOICES = 1_000
"""Boxes on a page above which none are joined: nobody reads such a page, and every pair costs time."""


def find_groups(
    fields: Sequence[Field], primitives: Primitives, scorer: GroupScorer | None = None
) -> list[tuple[int, ...]]:
    """Rows of the fields that exclude each other, two or more a group, in the order of their first row."""
    is_choice = np.array([field.kind is FieldKind.CHOICE for field in fields], dtype=np.bool_)
    rows = np.flatnonzero(is_choice)
    if not 2 <= len(rows) <= MOST_CHOICES:
        return []
    choices = read_choices(as_boxes([field.box for field in fields]), is_choice, primitives)
    if not any(choices.text.token):
        return []
    known = scorer or shipped()
    links = find_links(choices.box)
    scores = known.score(describe_links(choices, links, known.table))
    return [
        tuple(int(rows[member]) for member in group)
        for group in join(choices, links, scores, known.threshold)
    ]


def join(choices: Choices, links: Index, scores: Floats, threshold: float) -> list[list[int]]:
    """Groups of rows from links ``(m, 3)`` and their scores ``(m,)``, the surest links first."""
    owner = list(range(len(choices.box)))
    members = {row: [row] for row in owner}
    for link in np.argsort(-scores, kind="stable"):
        if scores[link] < threshold:
            break
        first, second = (owner[int(row)] for row in links[link, :2])
        if first != second and _can_stand_together(choices, members[first] + members[second]):
            for row in members[second]:
                owner[row] = first
            members[first] = sorted(members[first] + members.pop(second))
    return sorted(group for group in members.values() if len(group) > 1)


def _can_stand_together(choices: Choices, rows: list[int]) -> bool:
    """Every option has words of its own: equal ones belong to two questions, missing ones to nobody knows."""
    labels = [tuple(choices.text.token[word] for word in choices.words[row].option) for row in rows]
    return all(map(any, labels)) and len(set(labels)) == len(labels)
