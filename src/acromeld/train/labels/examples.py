# SPDX-License-Identifier: Apache-2.0
"""Examples for the label and kind scorers, read off forms that have fields already.

The widgets of a form are taken as its fields, without their names. The target of a text is its token F1
against the author's tooltip where that was written for people; a field none of whose candidates has anything
to do with its tooltip teaches nothing about labels and is left out. The target of a kind are the flags.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.form.human import human_text
from acromeld.fields import Field, FieldKind
from acromeld.form.describe.arranging import arranged
from acromeld.form.describe.kinds import TextKind, kind_columns
from acromeld.form.describe.label_candidates import Candidates, find_candidates
from acromeld.form.describe.label_features import describe_candidates, matrix, texts_of
from acromeld.form.describe.surroundings import Surroundings, facing_forward, look_around
from acromeld.form.describe.texts import token_f1, tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from acromeld.pdf.page import Page
    from acromeld.pdf.widgets import NativeWidget

    Matrix = npt.NDArray[np.float32]

MIN_F1 = 0.25
"""The best candidate of a field must have at least this much in common with the tooltip."""

MAX_FIELDS = 1_200


@dataclass(frozen=True)
class PageExamples:
    """One page.

    Attributes:
        document: Content hash of the document.
        group: Its provenance group.
        around: The page as the label finder sees it.
        found: Candidates of the fields that teach something.
        names: Names of the columns.
        columns: ``(c, features)`` of the candidates.
        target: ``(c,)`` token F1 of each.
        truth: Tokens of the tooltip of each field, none where there is nothing to learn.
        kind_names: Names of the columns of the kind scorer.
        kind_columns: ``(t, features)`` of the text fields.
        kind: ``(t,)`` of `TextKind`.
    """

    document: str
    group: str
    around: Surroundings
    found: Candidates
    names: tuple[str, ...]
    columns: Matrix
    target: Matrix
    truth: tuple[tuple[str, ...] | None, ...]
    kind_names: tuple[str, ...]
    kind_columns: Matrix
    kind: npt.NDArray[np.int8]


def page_examples(
    page: Page, widgets: Sequence[NativeWidget], document: str, group: str
) -> PageExamples | None:
    """The examples of a page; none where there are no words or far too many fields."""
    if page.primitives is None or not widgets or len(widgets) > MAX_FIELDS:
        return None
    fields = arranged(page, [Field(kind=widget.kind, box=widget.box) for widget in widgets])
    seen = look_around(page, fields)
    around = facing_forward(seen)
    found = find_candidates(around)
    columns = describe_candidates(around, found)
    human = [human_text(widget.tooltip) for widget in widgets]
    truth = [tuple(tokens(text)) if text else None for text in human]
    target = _targets(around, found, truth)
    best = np.zeros(len(widgets))
    np.maximum.at(best, found.field, target)
    useful = best[found.field] >= MIN_F1
    kept = Candidates(found.field[useful], found.piece[useful], found.whole[useful], found.rank[useful])
    kinds = kind_columns(seen, page.primitives.words)
    is_text = np.array([widget.kind is FieldKind.TEXT for widget in widgets])
    return PageExamples(
        document=document,
        group=group,
        around=around,
        found=kept,
        names=tuple(columns),
        columns=matrix(columns)[useful],
        target=target[useful].astype(np.float32),
        truth=tuple(words if score >= MIN_F1 else None for words, score in zip(truth, best, strict=True)),
        kind_names=tuple(kinds),
        kind_columns=matrix(kinds)[is_text],
        kind=np.array([kind_of(widget) for widget in widgets], dtype=np.int8)[is_text],
    )


def thinned(pages: Sequence[PageExamples], per_document: int) -> list[PageExamples]:
    """The pages with at most so many labelled fields of each document, evenly taken from all its pages."""
    total: Counter[str] = Counter()
    for page in pages:
        total[page.document] += sum(words is not None for words in page.truth)
    seen: Counter[str] = Counter()
    out = []
    for page in pages:
        kept = np.zeros(len(page.truth), dtype=np.bool_)
        share = min(per_document / max(total[page.document], 1), 1.0)
        for field, words in enumerate(page.truth):
            if words is not None:
                number = seen[page.document]
                kept[field] = int((number + 1) * share) > int(number * share)
                seen[page.document] += 1
        out.append(_only(page, kept))
    return out


def _only(page: PageExamples, kept: npt.NDArray[np.bool_]) -> PageExamples:
    """The page with the candidates of the chosen fields."""
    rows, found = kept[page.found.field], page.found
    return replace(
        page,
        found=Candidates(found.field[rows], found.piece[rows], found.whole[rows], found.rank[rows]),
        columns=page.columns[rows],
        target=page.target[rows],
        truth=tuple(words if keep else None for words, keep in zip(page.truth, kept, strict=True)),
    )


def kind_of(widget: NativeWidget) -> TextKind:
    """What the author's flags say."""
    if widget.comb is not None and widget.comb > 1:
        return TextKind.COMB
    return TextKind.LINES if widget.multiline else TextKind.LINE


def _targets(
    around: Surroundings, found: Candidates, truth: Sequence[tuple[str, ...] | None]
) -> npt.NDArray[np.float64]:
    texts = texts_of(around, found)
    said = {text: tokens(text) for text in set(texts)}
    scores = np.zeros(len(found))
    for row, (field, text) in enumerate(zip(found.field.tolist(), texts, strict=True)):
        words = truth[field]
        if words is not None:
            scores[row] = token_f1(said[text], list(words))
    return scores
