# SPDX-License-Identifier: Apache-2.0
"""How close spoken labels come to the tooltips that authors wrote.

Two figures for each field whose tooltip was written for people (`acromeld.evaluate.form.human`): token F1,
and whether the two are equal when case, punctuation and spacing are ignored. No label scores 0.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.form.human import human_text
from acromeld.form.describe.label_candidates import Direction, find_candidates
from acromeld.form.describe.texts import normalised, token_f1, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.form.describe.surroundings import Surroundings
    from acromeld.pdf.widgets import NativeWidget

PRINTED = 0.8
"""Share of a tooltip's words that must be on the page for it to count as printed there."""


@dataclass(frozen=True)
class LabelScore:
    """One field.

    Attributes:
        document: Content hash of its document.
        group: Provenance group.
        kind: "text", "check box", "radio button" or "signature".
        script: Script of the tooltip.
        printed: Whether the words of the tooltip are on the page at all.
        f1: Token F1 of each method, by name.
        exact: Whether each method gives the same words, by name.
        said: Whether our label says anything.
    """

    document: str
    group: str
    kind: str
    script: str
    printed: bool
    f1: dict[str, float]
    exact: dict[str, bool]
    said: bool


def page_label_scores(
    around: Surroundings,
    widgets: Sequence[NativeWidget],
    labels: dict[str, Sequence[str]],
    document: str,
    group: str,
) -> list[LabelScore]:
    """Scores of the fields of a page; ``labels`` has the labels of each method, ours under "ours"."""
    on_page = Counter(token for text in around.pieces.text for token in tokens(text))
    scores = []
    for row, widget in enumerate(widgets):
        truth = human_text(widget.tooltip)
        if truth is None:
            continue
        words = tokens(truth)
        scores.append(
            LabelScore(
                document=document,
                group=group,
                kind=kind_name(widget),
                script=script_of(truth),
                printed=sum((Counter(words) & on_page).values()) >= PRINTED * len(words),
                f1={name: token_f1(tokens(texts[row]), words) for name, texts in labels.items()},
                exact={name: normalised(texts[row]) == normalised(truth) for name, texts in labels.items()},
                said=bool(labels["ours"][row]),
            )
        )
    return scores


def baselines(around: Surroundings) -> dict[str, Sequence[str]]:
    """Simple labels: the nearest text to the left, and the same with the right side for boxes to tick."""
    found = find_candidates(around)
    nearest = {
        side: {
            int(found.field[row]): around.spoken[0][found.piece[row]]
            for row in np.flatnonzero((found.rank[:, side] == 0) & ~found.whole)
        }
        for side in (Direction.LEFT, Direction.RIGHT)
    }
    left = [nearest[Direction.LEFT].get(row, "") for row in range(len(around.field))]
    sides = [
        nearest[Direction.RIGHT if choice else Direction.LEFT].get(row, "")
        for row, choice in enumerate(around.choice)
    ]
    return {"left": left, "left, right of boxes": sides}


def kind_name(widget: NativeWidget) -> str:
    """The kind as a person would say it."""
    if widget.radio:
        return "radio button"
    return {"choice": "check box"}.get(widget.kind.value, widget.kind.value)


def script_of(text: str) -> str:
    """The script that most letters of a text belong to."""
    letters = [unicodedata.name(char, "OTHER").split()[0] for char in text if char.isalpha()]
    return Counter(letters).most_common(1)[0][0].title() if letters else "None"
