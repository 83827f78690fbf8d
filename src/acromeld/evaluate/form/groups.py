# SPDX-License-Identifier: Apache-2.0
"""Radio groups held against those of authors, pair by pair.

Two boxes on a page are a pair of the author's when they are widgets of one field and exclude each other: the
field is a radio field, or a check box field whose widgets have different states. Many authors leave boxes
loose that exclude each other by meaning (yes and no), so a pair that an author did not make is not always
wrong; documents whose author made at least one group are counted apart for that reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.fields import Field, FieldKind
from acromeld.form.describe.groups import find_groups

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from acromeld.form.describe.group_weights import GroupScorer
    from acromeld.pdf.page import Primitives
    from acromeld.pdf.widgets import NativeWidget

    Index = npt.NDArray[np.intp]


@dataclass(frozen=True)
class PairCounts:
    """Pairs of one page: ``matched`` by both, ``predicted`` by us, ``targets`` of the author."""

    document: str
    group: str
    matched: int
    predicted: int
    targets: int


def author_groups(widgets: Sequence[NativeWidget]) -> Index:
    """The number of the group of each widget ``(n,)``, -1 for those that stand alone."""
    by_name: dict[str, list[int]] = {}
    for row, widget in enumerate(widgets):
        if widget.kind is FieldKind.CHOICE:
            by_name.setdefault(widget.name, []).append(row)
    groups = np.full(len(widgets), -1, dtype=np.intp)
    for number, rows in enumerate(by_name.values()):
        states = {widgets[row].state for row in rows}
        if len(rows) > 1 and (widgets[rows[0]].radio or len(states) > 1):
            groups[rows] = number
    return groups


def group_numbers(count: int, groups: Iterable[Sequence[int]]) -> Index:
    """Groups as one number per row ``(count,)``, -1 for rows in none."""
    numbers = np.full(count, -1, dtype=np.intp)
    for number, rows in enumerate(groups):
        numbers[list(rows)] = number
    return numbers


def page_pair_counts(
    primitives: Primitives,
    widgets: Sequence[NativeWidget],
    document: str,
    group: str,
    scorer: GroupScorer | None = None,
) -> PairCounts:
    """Group the widgets of a page as fields that nobody grouped, and compare."""
    fields = [Field(kind=widget.kind, box=widget.box) for widget in widgets]
    ours = _pairs(group_numbers(len(fields), find_groups(fields, primitives, scorer)))
    theirs = _pairs(author_groups(widgets))
    return PairCounts(document, group, int((ours & theirs).sum()), int(ours.sum()), int(theirs.sum()))


def of_grouping_authors(counts: Sequence[PairCounts]) -> list[PairCounts]:
    """The pages of documents that have at least one group of their author."""
    grouping = {row.document for row in counts if row.targets}
    return [row for row in counts if row.document in grouping]


def precision_recall(counts: Iterable[PairCounts]) -> tuple[float, float, float]:
    """Precision, recall and F1 over all pairs; leaving every box loose has recall and F1 of 0."""
    rows = list(counts)
    matched, predicted, targets = (
        sum(getattr(row, name) for row in rows) for name in ("matched", "predicted", "targets")
    )
    return matched / max(predicted, 1), matched / max(targets, 1), 2 * matched / max(predicted + targets, 1)


def _pairs(numbers: Index) -> npt.NDArray[np.bool_]:
    """``(n (n - 1) / 2,)``: which pairs of rows share a group."""
    same = (numbers[:, None] == numbers[None, :]) & (numbers[:, None] >= 0)
    return np.asarray(same[np.triu_indices(len(numbers), 1)])
