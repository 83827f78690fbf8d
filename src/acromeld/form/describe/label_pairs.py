# SPDX-License-Identifier: Apache-2.0
"""Labels made of two texts: a question and its option, a row and its column, a heading and a label.

The best few texts of a field are tried alone and two by two; a second scorer says how well each would do.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from acromeld.form.describe.label_candidates import Direction
from acromeld.form.describe.label_features import boxes_of, texts_of
from acromeld.form.describe.texts import tokens

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.form.describe.label_candidates import Candidates
    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.geometry import Floats

    Index = npt.NDArray[np.intp]

BEST = 5
"""How many texts of a field are tried together."""

ALONE = -1
_KEPT = (
    "choice", "grouped", "times printed", "signature", "gap left", "gap right", "gap above", "gap below",
    "shared width", "left edges", "same cell", "size", "weight", "heading", "option", "words", "lines",
    "whole", "colon", "question", "numbered", "no words", "nearer fields", "fields between", "rules across",
    "rules down", "looked at from left", "looked at from above", "rank question", "rank heading",
    "rank above", "rank left", "rank right",
)  # fmt: skip


@dataclass(frozen=True)
class Pairs:
    """One or two candidates each: ``field`` ``(k,)``, ``first`` and ``second`` ``(k,)`` rows of candidates.

    ``second`` is the text nearer to the field in meaning, ``first`` what goes before it or `ALONE`.
    """

    field: Index
    first: Index
    second: Index

    def __len__(self) -> int:
        return len(self.field)


def make_pairs(around: Surroundings, found: Candidates, score: Floats) -> Pairs:
    """The best texts of each field alone, and any two of them that do not repeat each other."""
    texts, box = texts_of(around, found), boxes_of(around, found)
    rows: list[tuple[int, int, int]] = []
    bounds = np.searchsorted(found.field, np.arange(len(around.field) + 1))
    for field in range(len(around.field)):
        best = _best(range(bounds[field], bounds[field + 1]), score, texts)
        rows += [(field, ALONE, row) for row in best]
        for a, b in combinations(best, 2):
            if found.piece[a] != found.piece[b] and not _repeats(texts[a], texts[b]):
                rows.append((field, *_in_order(a, b, box, found, backward=around.backward)))
    table = np.array(rows, dtype=np.intp).reshape(-1, 3)
    return Pairs(table[:, 0], table[:, 1], table[:, 2])


def _best(rows: range, score: Floats, texts: list[str]) -> list[int]:
    """The highest scores with different texts."""
    chosen: dict[str, int] = {}
    for row in sorted(rows, key=lambda row: -score[row]):
        chosen.setdefault(texts[row], row)
        if len(chosen) == BEST:
            break
    return list(chosen.values())


def _repeats(a: str, b: str) -> bool:
    return a in b or b in a


def _in_order(a: int, b: int, box: Floats, found: Candidates, *, backward: bool) -> tuple[int, int]:
    """As it would be said: a heading or question first, then the row, then the column or the option."""

    def key(row: int) -> tuple[bool, float, float]:
        beside = min(found.rank[row, Direction.RIGHT], found.rank[row, Direction.INSIDE]) == 0
        across = -box[row, 2] if backward else box[row, 0]
        return beside, float(box[row, 1]) // 6, float(across)

    return (a, b) if key(a) <= key(b) else (b, a)


def describe_pairs(
    around: Surroundings, found: Candidates, pairs: Pairs, columns: dict[str, Floats], score: Floats
) -> dict[str, Floats]:
    """Columns ``(k,)`` by name: the facts about both texts, and how they relate."""
    texts, box = texts_of(around, found), boxes_of(around, found)
    alone = pairs.first == ALONE
    best = np.zeros(len(around.field))
    np.maximum.at(best, found.field, score)
    out: dict[str, Floats] = {"alone": alone.astype(np.float64)}
    for which, rows in (("first", pairs.first), ("second", pairs.second)):
        out[f"score of {which}"] = np.where(rows == ALONE, -1.0, score[rows])
        for name in _KEPT:
            out[f"{name} of {which}"] = np.where(rows == ALONE, -99.0, columns[name][rows])
    out["best score"] = best[pairs.field]
    words = [set(tokens(text)) for text in texts]
    shared = [
        0.0 if first == ALONE else float(len(words[first] & words[second]))
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    ]
    out["shared words"] = np.array(shared)
    a, b = box[pairs.first], box[pairs.second]
    out["across"] = np.where(alone, 0.0, b[:, 0] - a[:, 0])
    out["down"] = np.where(alone, 0.0, b[:, 1] - a[:, 1])
    return out


def pair_texts(around: Surroundings, found: Candidates, pairs: Pairs) -> list[str]:
    """What each pair says."""
    texts = texts_of(around, found)
    return [
        texts[second] if first == ALONE else joined(texts[first], texts[second])
        for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
    ]


def joined(context: str, text: str) -> str:
    """Two texts as one: "Applicant: date of birth"."""
    if not context or not text:
        return context or text
    return f"{context} {text}" if context[-1] in ".?!:…" else f"{context}: {text}"
