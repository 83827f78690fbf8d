# SPDX-License-Identifier: Apache-2.0
"""Pages with boxes to tick, as the group finder sees them, and the word tables counted from them."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.form.groups import author_groups
from acromeld.fields import FieldKind
from acromeld.form.describe.group_links import find_links, link_bucket, read_choices
from acromeld.form.describe.group_words import PAIR, PLACES, SHAPE
from acromeld.geometry import as_boxes
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.train.ffgbt.collect import FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy.typing as npt

    from acromeld.form.describe.group_links import Choices
    from acromeld.geometry import Floats
    from acromeld.train.ffgbt.collect import Form

    Index = npt.NDArray[np.intp]
    Key = tuple[int, int]

_MOST = 3.0
"""Boxes with one word that a provenance group counts for at the most: it repeats itself."""

_SMOOTH = 3.0
_BOUND = 3.0


@dataclass(frozen=True)
class GroupPage:
    """One page: its boxes to tick, their links ``(m, 3)`` and the author's group of each box ``(n,)``."""

    form: Form
    choices: Choices
    links: Index
    groups: Index

    @property
    def label(self) -> npt.NDArray[np.bool_]:
        """Which links ``(m,)`` lie within a group."""
        first, second = self.groups[self.links[:, 0]], self.groups[self.links[:, 1]]
        return np.asarray((first == second) & (first >= 0))


def collect(forms: Sequence[Form], workers: int, progress: Callable[[int, int], None]) -> list[GroupPage]:
    """The pages of all forms that have links."""
    pages: list[GroupPage] = []
    with ProcessPoolExecutor(workers) as pool:
        for number, found in enumerate(pool.map(read_form, forms), 1):
            pages += found
            progress(number, len(forms))
    return pages


def read_form(form: Form) -> list[GroupPage]:
    """The pages of one form with two boxes to tick or more."""
    pages = []
    with open_document(form.path) as document:
        for index in range(len(document)):
            widgets = document.widgets(index).widgets
            is_choice = np.array([widget.kind is FieldKind.CHOICE for widget in widgets], dtype=np.bool_)
            primitives = document.read_page(index, PageNeeds()).primitives if is_choice.sum() > 1 else None
            if primitives is None:
                continue
            choices = read_choices(as_boxes([widget.box for widget in widgets]), is_choice, primitives)
            links = find_links(choices.box)
            if len(links):
                pages.append(GroupPage(form, choices, links, author_groups(widgets)[is_choice]))
    return pages


def grouping_forms(pages: Iterable[GroupPage]) -> set[str]:
    """Hashes of the forms whose author made at least one group."""
    return {page.form.sha256 for page in pages if (page.groups >= 0).any()}


def fold_tables(pages: Sequence[GroupPage]) -> list[npt.NDArray[np.float32]]:
    """For each fold the table of all others, and last the table of everything."""
    counts = np.zeros((FOLDS, 2, *SHAPE))
    by_group: dict[str, tuple[int, dict[Key, Floats]]] = {}
    for page in pages:
        _, seen = by_group.setdefault(page.form.group, (page.form.fold, {}))
        _count(page, seen)
    for fold, seen in by_group.values():
        for (place, bucket), found in seen.items():
            counts[fold, :, place, bucket] += found * min(1.0, _MOST / found.sum())
    everything = counts.sum(axis=0)
    return [_table(everything - fold) for fold in counts] + [_table(everything)]


def _count(page: GroupPage, seen: dict[Key, Floats]) -> None:
    """Add the words of a page: loose boxes in the first column, grouped ones in the second."""
    for row, words in enumerate(page.choices.words):
        grouped = int(page.groups[row] >= 0)
        for place, name in enumerate(PLACES):
            for bucket in {int(value) for value in page.choices.text.bucket[list(getattr(words, name))]}:
                seen.setdefault((place, bucket), np.zeros(2))[grouped] += 1
    for (first, second, _), linked in zip(page.links, page.label, strict=True):
        bucket = link_bucket(page.choices, int(first), int(second))
        seen.setdefault((PAIR, bucket), np.zeros(2))[int(linked)] += 1


def _table(counts: Floats) -> npt.NDArray[np.float32]:
    """Log-odds of being grouped for each word, against those of the place; smoothed and bounded."""
    share = (counts[1].sum(axis=1) + 1.0) / (counts.sum(axis=(0, 2)) + 2.0)
    usual = share[:, None]
    odds = np.log((counts[1] + _SMOOTH * usual) / (counts[0] + _SMOOTH * (1 - usual)))
    bounded: npt.NDArray[np.float32] = np.clip(odds - np.log(usual / (1 - usual)), -_BOUND, _BOUND)
    return bounded.astype(np.float32)
