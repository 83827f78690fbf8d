# SPDX-License-Identifier: Apache-2.0
"""Boxes to tick that exclude each other: radio groups.

A form with a wrong radio group cannot be filled in, one with a missing group can: a group is begun only where
a link between neighbours is well above doubt, and never joins options without a label or with the same one.
Without readable words nothing is joined.
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

GROWING = 0.6
"""Score from which on a single box joins a group that runs towards it.

Chosen on the development documents whose authors group: precision 0.845 and recall 0.386 of their pairs,
without it 0.823 and 0.330; at 0.5 precision falls.
"""


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
    """Groups of rows from links ``(m, 3)`` and their scores ``(m,)``, the surest links first.

    A group stands on links above the threshold. Single boxes that go on in a direction in which it runs
    already need only `GROWING`: "Mx" after "Ms" and "Mr" is one of them, though it is seldom seen.
    """
    groups = _Groups(choices, links)
    order = [int(link) for link in np.argsort(-scores, kind="stable")]
    for link in order:
        if scores[link] >= threshold:
            groups.merge(link)
    likely = [link for link in order if min(GROWING, threshold) <= scores[link] < threshold]
    while grown := [link for link in likely if groups.goes_on(link)]:
        for link in grown:
            if groups.goes_on(link):
                groups.merge(link)
        tried = set(grown)
        likely = [link for link in likely if link not in tried]
    return sorted(group for group in groups.members.values() if len(group) > 1)


class _Groups:
    """Boxes joined so far; at first each stands alone.

    Attributes:
        members: Rows of each group, by its owner.
    """

    def __init__(self, choices: Choices, links: Index) -> None:
        self._choices, self._links = choices, links
        self._owner = list(range(len(choices.box)))
        self._ways: dict[int, set[int]] = {row: set() for row in self._owner}
        self.members = {row: [row] for row in self._owner}

    def merge(self, link: int) -> bool:
        """Join what a link connects, if it may stand together; whether anything was joined."""
        first, second = self._ends(link)
        if first == second or not _can_stand_together(
            self._choices, self.members[first] + self.members[second]
        ):
            return False
        for row in self.members[second]:
            self._owner[row] = first
        self.members[first] = sorted(self.members[first] + self.members.pop(second))
        self._ways[first] |= self._ways.pop(second) | {int(self._links[link, 2])}
        return True

    def goes_on(self, link: int) -> bool:
        """Whether a link leads from a group to a single box, in a direction in which the group runs."""
        first, second = self._ends(link)
        grown = [owner for owner in (first, second) if len(self.members[owner]) > 1]
        return first != second and len(grown) == 1 and int(self._links[link, 2]) in self._ways[grown[0]]

    def _ends(self, link: int) -> tuple[int, int]:
        first, second = (self._owner[int(row)] for row in self._links[link, :2])
        return first, second


def _can_stand_together(choices: Choices, rows: list[int]) -> bool:
    """Every option has words of its own: equal ones belong to two questions, missing ones to nobody knows."""
    labels = [tuple(choices.text.token[word] for word in choices.words[row].option) for row in rows]
    return all(map(any, labels)) and len(set(labels)) == len(labels)
