# SPDX-License-Identifier: Apache-2.0
"""Places to write: the space above a rule, on a run of underscores or dots, and after a label.

Each is found for all rules or lines of a page at once: take the band where writing would go, cut out what is
printed in it, and keep the gaps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from acromeld.structure.intervals import blocks, cluster, gaps, merge

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats
    from acromeld.pdf.page import Words
    from acromeld.structure.rules import PageRules, Rules

    Index = npt.NDArray[np.intp]

_LINE = 1.35
"""Line height in font sizes."""

_MAX_LINES = 1.7
"""Room above a rule that is taken for one line of writing, in line heights."""

_MIN_HEIGHT = 6.0
_MIN_RULE = 9.0
_MIN_GAP = 16.0


def above_rules(rules: PageRules, printed: Boxes, size: float, lines: float = _MAX_LINES) -> Boxes:
    """The free space above each horizontal rule, cut at words and at vertical rules; ``(n, 4)``.

    Args:
        rules: Rules to write on, and the vertical ones that divide them, also the ticks of a comb.
        printed: ``(m, 4)`` boxes of printed words.
        size: Usual font size of the page.
        lines: Height of the space at the most, in line heights.
    """
    base = rules.writable
    if len(base) == 0:
        return np.zeros((0, 4))
    low, high, rule = gaps(base.low, base.high, *_cuts(base, rules.vertical, printed, size * 0.75))
    wide = high - low >= _MIN_RULE
    low, high, base_at = low[wide], high[wide], base.at[rule[wide]]
    ceiling = _ceiling(low, high, base_at, rules.horizontal, printed)
    top = np.maximum(ceiling, base_at - lines * _LINE * size)
    keep = base_at - top >= _MIN_HEIGHT
    return np.stack([low, top, high, base_at], 1)[keep]


def _cuts(horizontal: Rules, vertical: Rules, printed: Boxes, band: float) -> tuple[Floats, Floats, Index]:
    """What stands in the band above each rule: low, high and the rule it cuts."""
    at = horizontal.at[:, None]
    word = (printed[None, :, 1] < at - 1.5) & (printed[None, :, 3] > at - band)
    word &= (printed[None, :, 0] < horizontal.high[:, None]) & (printed[None, :, 2] > horizontal.low[:, None])
    tick = (vertical.low[None] < at - 3.0) & (vertical.high[None] > at - 2.0)
    tick &= (vertical.at[None] > horizontal.low[:, None] + 1) & (
        vertical.at[None] < horizontal.high[:, None] - 1
    )
    word_rule, word_index = np.nonzero(word)
    tick_rule, tick_index = np.nonzero(tick)
    low = np.concatenate([printed[word_index, 0], vertical.at[tick_index] - 0.5])
    high = np.concatenate([printed[word_index, 2], vertical.at[tick_index] + 0.5])
    return low, high, np.concatenate([word_rule, tick_rule])


def _ceiling(low: Floats, high: Floats, base: Floats, horizontal: Rules, printed: Boxes) -> Floats:
    """The lowest thing above each gap: a rule or the bottom of a word; shape of ``low``."""
    left = np.concatenate([horizontal.low, printed[:, 0]])[None]
    right = np.concatenate([horizontal.high, printed[:, 2]])[None]
    bottom = np.concatenate([horizontal.at, printed[:, 3]])[None]
    ceiling = np.empty(len(low))
    for part in blocks(len(low), left.shape[1]):
        above = (
            (left < high[part, None] - 1) & (right > low[part, None] + 1) & (bottom < base[part, None] - 2.0)
        )
        ceiling[part] = np.where(above, bottom, -np.inf).max(axis=1, initial=-np.inf)
    return ceiling


def on_runs(words: Words, character: str) -> Boxes:
    """The writing space on runs of ``_`` or leader dots, runs on one line joined; ``(n, 4)``."""
    runs = [index for index, text in enumerate(words.text) if len(text) >= 2 and set(text) <= set(character)]
    if not runs:
        return np.zeros((0, 4))
    box, size = words.box[runs], words.size[runs]
    line = cluster(box[:, 3], 1.5)
    low, high, _, member = merge(box[:, 0], box[:, 2], line, 3.0)
    count = np.bincount(member, minlength=len(low))
    base = np.bincount(member, weights=box[:, 3], minlength=len(low)) / count
    height = np.maximum(np.bincount(member, weights=size, minlength=len(low)) / count, _MIN_HEIGHT)
    return np.stack([low, base - 1.1 * height, high, base], 1)


def after_labels(words: Words, rules: PageRules, width: float) -> Boxes:
    """Gaps in lines of text, those before the first and after the last word included; ``(n, 4)``.

    A gap ends at the next word, vertical rule, or margin of the page's text.
    """
    vertical = rules.vertical
    text = words.upright & words.visible
    if not text.any():
        return np.zeros((0, 4))
    box, size = words.box[text], words.size[text]
    line = cluster(box[:, 3], 1.2)
    lines = int(line.max()) + 1
    top, bottom, height = np.full(lines, np.inf), np.full(lines, -np.inf), np.zeros(lines)
    np.minimum.at(top, line, box[:, 1])
    np.maximum.at(bottom, line, box[:, 3])
    np.maximum.at(height, line, size)
    start, stop = _margins(box, rules, width)
    cut_line, cut_rule = np.nonzero(
        (vertical.low[None] < bottom[:, None] - 2) & (vertical.high[None] > top[:, None] + 2)
    )
    word_line, word_index = np.nonzero(
        (box[None, :, 1] < bottom[:, None] - 1) & (box[None, :, 3] > top[:, None] + 1)
    )
    low, high, owner = gaps(
        np.full(lines, start),
        np.full(lines, stop),
        np.concatenate([box[word_index, 0], vertical.at[cut_rule] - 0.5]),
        np.concatenate([box[word_index, 2], vertical.at[cut_rule] + 0.5]),
        np.concatenate([word_line, cut_line]),
    )
    wide = high - low >= _MIN_GAP
    owner = owner[wide]
    middle = (top[owner] + bottom[owner]) / 2
    half = np.maximum(height[owner], bottom[owner] - top[owner]) * 0.6
    return np.stack([low[wide] + 2, middle - half, high[wide] - 1, middle + half], 1)


def _margins(printed: Boxes, rules: PageRules, width: float) -> tuple[float, float]:
    """Where the text of a page starts and stops across it, a few stray words aside."""
    left = min(float(np.percentile(printed[:, 0], 2)), float(rules.horizontal.low.min(initial=width)))
    right = max(float(np.percentile(printed[:, 2], 98)), float(rules.horizontal.high.max(initial=0.0)))
    return max(left, 0.0), min(right, width)


def below_labels(words: Words, rules: PageRules, size: float, width: float) -> Boxes:
    """The blank strip under each stretch of text, down to the next word or rule; ``(n, 4)``.

    A stretch is a run of words on one line without a wide gap, like the label above an answer.
    """
    text = words.upright & words.visible
    if not text.any():
        return np.zeros((0, 4))
    box = words.box[text]
    line = cluster(box[:, 3], 1.2)
    low, high, _, member = merge(box[:, 0], box[:, 2], line, size)
    bottom = np.full(len(low), -np.inf)
    np.maximum.at(bottom, member, box[:, 3])
    right = _wall(low, high, bottom, size, box, rules.vertical, width)
    floor = _floor(low, high, bottom, box, rules.horizontal)
    strip = np.minimum(floor, bottom + 1.7 * _LINE * size)
    keep = strip - bottom >= 0.9 * size
    result: Boxes = np.stack([low, bottom + 1, right, strip], 1)[keep & (right - low >= _MIN_GAP)]
    return result


def _wall(
    low: Floats, high: Floats, bottom: Floats, size: float, printed: Boxes, vertical: Rules, width: float
) -> Floats:
    """How far right the strip below each stretch runs: to the next stretch on its line, rule, or margin."""
    wall = np.full(len(low), min(width, float(printed[:, 2].max()) + 2))
    for part in blocks(len(low), len(printed) + len(vertical)):
        under = bottom[part, None]
        middle = under - 0.4 * size
        word = (printed[None, :, 1] < middle) & (printed[None, :, 3] > middle)
        word &= printed[None, :, 0] > high[part, None] + 1
        rule = (vertical.low[None] < under) & (vertical.high[None] > under + 3)
        rule &= vertical.at[None] > low[part, None] + 4
        for blocked, at in ((word, printed[:, 0] - 3), (rule, vertical.at)):
            nearest = np.where(blocked, at[None], np.inf).min(1, initial=np.inf)
            wall[part] = np.minimum(wall[part], nearest)
    return wall


def _floor(low: Floats, high: Floats, bottom: Floats, printed: Boxes, horizontal: Rules) -> Floats:
    """The highest thing below each stretch: a rule or the top of a word."""
    left = np.concatenate([horizontal.low, printed[:, 0]])[None]
    right = np.concatenate([horizontal.high, printed[:, 2]])[None]
    top = np.concatenate([horizontal.at, printed[:, 1]])[None]
    floor = np.empty(len(low))
    for part in blocks(len(low), left.shape[1]):
        below = (left < high[part, None]) & (right > low[part, None]) & (top > bottom[part, None] + 1)
        floor[part] = np.where(below, top, np.inf).min(axis=1, initial=np.inf)
    return floor
