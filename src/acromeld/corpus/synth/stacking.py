# SPDX-License-Identifier: Apache-2.0
"""Filling an area with blocks, one below the other.

A block draws itself at the top of an area and returns the y below it, or the top unchanged when the area is
too small for it. That one rule is what keeps blocks from running into each other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from acromeld.corpus.synth import amounts, blanks, choices, combs, decor, grids, inserts
from acromeld.corpus.synth.sheet import Area
from acromeld.corpus.synth.signatures import inline_signature, signatures

if TYPE_CHECKING:
    from acromeld.corpus.synth.sheet import Sheet

Block = Callable[["Sheet", Area], float]
Weighted = Sequence[tuple[Block, float]]

MIXED: Weighted = (
    (blanks.label_rows, 7), (blanks.captioned_rows, 3), (grids.cell_grid, 2), (grids.pair_table, 2.5),
    (grids.entry_table, 0.8), (combs.comb_rows, 1.2), (choices.option_list, 2.2), (choices.option_row, 2.5),
    (choices.yes_no_questions, 1.5), (choices.rating_table, 0.25), (choices.checklist, 0.5),
    (blanks.comment_box, 2), (blanks.comment_lines, 1.2), (blanks.fill_in_sentence, 1.5),
    (amounts.amount_lines, 0.8), (inserts.panel, 1.5), (inserts.masked_rows, 0.8),
    (inserts.initialled_clauses, 0.6), (decor.prose, 6), (decor.numbered_prose, 2), (decor.framed_note, 2.5),
    (decor.office_area, 1), (decor.ornament, 0.8), (decor.photo_frame, 0.4), (grids.data_table, 1),
)  # fmt: skip
"""Blocks of an ordinary form page."""

DULL: Weighted = (
    (decor.prose, 6), (decor.numbered_prose, 3), (decor.framed_note, 1.5), (decor.ornament, 1),
    (grids.data_table, 1), (decor.photo_frame, 0.3),
)  # fmt: skip
"""Blocks without any field."""


def stack(sheet: Sheet, area: Area, blocks: Weighted, *, limit: int, headings: float = 0.35) -> float:
    """Draw up to ``limit`` blocks until the area is full; returns the y below the last one."""
    y, misses, headed = area.y0, 0, False
    kinds, weights = [block for block, _ in blocks], [weight for _, weight in blocks]
    for _ in range(limit):
        if misses > 3 or y > area.y1 - sheet.theme.size * 2:
            break
        if not headed and sheet.chance(headings):
            y, headed = decor.section_bar(sheet, area.below(y)), True
        after = sheet.rng.choices(kinds, weights)[0](sheet, area.below(y))
        misses, headed = (misses + 1, headed) if after <= y else (0, False)
        y = max(after, y)
    return y


def promise(sheet: Sheet, area: Area, *blocks: Block) -> float:
    """Draw the first of the blocks that fits; the caller leaves room for one of them."""
    for block in blocks:
        y = block(sheet, area)
        if y > area.y0:
            return y
    return area.y0


def reserve(area: Area, height: float) -> Area:
    """The area without a strip at its bottom."""
    return Area(area.x0, area.y0, area.x1, area.y1 - height)


def sign(sheet: Sheet, area: Area, y: float) -> float:
    """A place to sign below ``y``, often pushed down towards the foot of the page."""
    foot = area.y1 - max(110.0, sheet.theme.size * 12)
    if foot > y and sheet.chance(0.3):
        y = foot
    return promise(sheet, area.below(y), signatures, inline_signature)
