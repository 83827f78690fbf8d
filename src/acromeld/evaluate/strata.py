# SPDX-License-Identifier: Apache-2.0
"""The same result by kind of page: descriptive strata, never used for selection.

Density, vector availability, orientation, target-empty pages, how documents differ, and two that the paper's
shards could not support: where the right and the wrong predictions came from, and what the decoder did with
every candidate.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from acromeld.detect.decoding import Fate, decode
from acromeld.evaluate.adapters import summary
from acromeld.evaluate.counts import Counts, ratio

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acromeld.evaluate.adapters import Comparison, PageOutcome
    from acromeld.evaluate.pages import TargetPage
    from acromeld.fields import OperatingPoint

SQUARE_RATIO = 1.1
"""A page is square when its longer side is at most this many times the shorter."""

_WELL = 0.9
"""Native F1 from which on a document counts as well recovered."""

_DENSITIES = ((0, "0"), (10, "1-10"), (100, "11-100"), (300, "101-300"))
_VECTOR = {True: "present", False: "absent", None: "unknown"}


def density(page: TargetPage) -> str:
    """Field-count stratum of the paper."""
    return next((name for most, name in _DENSITIES if len(page) <= most), ">300")


def orientation(page: TargetPage) -> str:
    """Portrait, landscape, or about square."""
    if max(page.width, page.height) <= SQUARE_RATIO * min(page.width, page.height):
        return "square"
    return "portrait" if page.height > page.width else "landscape"


def vector(page: TargetPage) -> str:
    """Whether the page has vector primitives."""
    return _VECTOR[page.vector]


def page_strata(pages: Sequence[Comparison], outcomes: Sequence[PageOutcome]) -> dict[str, object]:
    """Counts and ratios of every page stratum, and the target-empty pages."""
    return {
        "density": _split(pages, outcomes, density),
        "orientation": _split(pages, outcomes, orientation),
        "vector": _split(pages, outcomes, vector),
        "empty": empty_pages(pages, outcomes),
        "documents": by_document(pages, outcomes),
    }


def _split(
    pages: Sequence[Comparison], outcomes: Sequence[PageOutcome], stratum: Callable[[TargetPage], str]
) -> dict[str, dict[str, object]]:
    groups: dict[str, list[PageOutcome]] = {}
    for page, outcome in zip(pages, outcomes, strict=True):
        groups.setdefault(stratum(page.targets), []).append(outcome)
    return {name: {"pages": len(group), **summary(group)} for name, group in sorted(groups.items())}


def empty_pages(pages: Sequence[Comparison], outcomes: Sequence[PageOutcome]) -> dict[str, object]:
    """What a detector puts on pages that have no field: every prediction there is a false positive."""
    false = np.array(
        [len(outcome.chosen) for page, outcome in zip(pages, outcomes, strict=True) if not len(page.targets)]
    )
    with_false = int((false > 0).sum())
    return {
        "pages": len(false),
        "pages_with_fp": with_false,
        "share_with_fp": ratio(with_false, len(false)),
        "fp_per_page": ratio(int(false.sum()), len(false)),
    }


def by_document(pages: Sequence[Comparison], outcomes: Sequence[PageOutcome]) -> dict[str, object]:
    """How evenly a score is spread: micro-F1 counts fields, and one crowded document may hold most mistakes.

    Documents without a field and without a prediction have no score and are left out.
    """
    counts: dict[str, Counts] = {}
    for page, outcome in zip(pages, outcomes, strict=True):
        document = page.targets.document
        counts[document] = counts.get(document, Counts()) + outcome.counts()
    scores = [count.f1 for count in counts.values() if count.f1 is not None]
    mistakes = [count.mistakes for count in counts.values()]
    quartiles = np.quantile(scores, [0.25, 0.5, 0.75]).tolist() if scores else [None] * 3
    return {
        "documents": len(scores),
        **dict(zip(("lower_quartile", "median", "upper_quartile"), quartiles, strict=True)),
        "share_well": ratio(sum(score >= _WELL for score in scores), len(scores)),
        "mistakes_of_worst": ratio(max(mistakes, default=0), sum(mistakes)),
    }


def origins(pages: Sequence[Comparison], outcomes: Sequence[PageOutcome]) -> dict[str, dict[str, object]]:
    """True and false positives by where the prediction came from (query source or evidence kind)."""
    tally: Counter[tuple[str, bool]] = Counter()
    for page, outcome in zip(pages, outcomes, strict=True):
        source = page.predicted.candidates.origin
        tally.update(
            (source[index] or "unknown", bool(hit))
            for index, hit in zip(outcome.chosen, outcome.hit, strict=True)
        )
    names = sorted({name for name, _ in tally})
    return {name: _origin_row(tally[name, True], tally[name, False]) for name in names}


def _origin_row(true: int, false: int) -> dict[str, object]:
    return {"tp": true, "fp": false, "precision": ratio(true, true + false)}


def suppression(pages: Sequence[Comparison], point: OperatingPoint) -> dict[str, dict[str, int]] | None:
    """What became of the candidates, by origin; none when the lines only say what was kept."""
    undecoded = [page.predicted for page in pages if not page.predicted.decoded]
    if not undecoded:
        return None
    tally: Counter[tuple[str, Fate]] = Counter()
    for page in undecoded:
        fates = decode(page.candidates, point, cap=page.cap).fate
        tally.update(
            (name or "unknown", Fate(fate)) for name, fate in zip(page.candidates.origin, fates, strict=True)
        )
    names = sorted({name for name, _ in tally})
    return {name: {fate.name.lower(): tally[name, fate] for fate in Fate} for name in names}
