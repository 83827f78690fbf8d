# SPDX-License-Identifier: Apache-2.0
"""Which pages an epoch visits, in which order, and who of several processes reads which.

A page of weight w is visited exactly w times, so an epoch covers every page. Order and every later draw for a
visit follow from (seed, epoch, visit) alone: a resumed or a differently divided run sees the same pages in
the same state.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.roles import Role
from acromeld.fields import KINDS, FieldKind
from acromeld.train.data.halves import half_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.detect.acromeld.contract import Canvases
    from acromeld.train.data.cache import CachedPage
    from acromeld.train.data.halves import Half

_SIGNATURE = KINDS.index(FieldKind.SIGNATURE)


@dataclass(frozen=True)
class Visit:
    """One page in one epoch: its row in the cache and the number that seeds its draws."""

    row: int
    epoch: int
    number: int


def weight(page: CachedPage, signature_weight: int) -> int:
    """How often an epoch visits a page: real pages that bear a signature more than once."""
    return signature_weight if page.role is Role.TRAIN_REAL and page.fields[_SIGNATURE] else 1


def lessons_of(
    pages: Sequence[CachedPage], rows: Sequence[int], *, synthetic_signatures: bool, half: Half | None = None
) -> list[int]:
    """The rows to learn from.

    Args:
        pages: All pages of the cache.
        rows: The training pages among them.
        synthetic_signatures: Whether synthetic pages that bear a signature are among the lessons. A generated
            form has a signature field at every place to sign, authors have one at one in five.
        half: The half of the real pages to learn from, by provenance group; none for all.
    """

    def learned(page: CachedPage) -> bool:
        if page.role is Role.TRAIN_SYNTHETIC:
            return synthetic_signatures or not page.fields[_SIGNATURE]
        return half is None or half_of(page.group) == half

    return [row for row in rows if learned(pages[row])]


def epoch_visits(pages: Sequence[CachedPage], rows: Sequence[int], epoch: int, weights: int) -> list[Visit]:
    """All visits of an epoch, not yet in order."""
    repeated = [row for row in rows for _ in range(weight(pages[row], weights))]
    return [Visit(row, epoch, number) for number, row in enumerate(repeated)]


def epoch_batches(
    pages: Sequence[CachedPage],
    rows: Sequence[int],
    canvases: Canvases,
    *,
    seed: int,
    epoch: int,
    size: int,
    per_step: int,
    signature_weight: int,
) -> list[list[Visit]]:
    """The micro-batches of an epoch in order, a multiple of ``per_step`` of them.

    The pages of a micro-batch have one canvas; what is left over of a canvas makes a smaller one. The last
    step is filled up with the first micro-batches, so that all steps average over equally many.
    """
    rng = np.random.default_rng([seed, epoch])
    visits = epoch_visits(pages, rows, epoch, signature_weight)
    lanes: dict[tuple[int, int], list[Visit]] = {}
    for position in rng.permutation(len(visits)).tolist():
        page = pages[visits[position].row]
        lanes.setdefault(canvases.for_page(page.width, page.height), []).append(visits[position])
    batches = [lane[start : start + size] for lane in lanes.values() for start in range(0, len(lane), size)]
    batches = [batches[position] for position in rng.permutation(len(batches)).tolist()]
    missing = -len(batches) % per_step
    return batches + [batches[position % len(batches)] for position in range(missing)]


def share(batches: Sequence[list[Visit]], rank: int, ranks: int) -> list[list[Visit]]:
    """The micro-batches of one process: every ``ranks``-th, so that a step is the same set for any number."""
    return list(batches[rank::ranks])
