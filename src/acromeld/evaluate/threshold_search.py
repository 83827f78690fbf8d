# SPDX-License-Identifier: Apache-2.0
"""The exact joint maximum of micro-F1 over three class thresholds, without the cubic grid.

``F1 = 2 TP / (P + G)`` is a ratio of functions that are sums of events (`threshold_events`). Dinkelbach's
method turns it into a few maximisations of a difference: with the best ratio so far as ``n / d``,

    V(t) = 2 d TP(t) - n (P(t) + G)

is positive exactly where F1 is greater than n / d. Maximise V; if the maximum is zero the ratio is optimal,
otherwise its argument is a better one. All of it in integers, so that ties are ties.

V splits into terms of one, two and three thresholds. The terms of one and two are tables over the levels that
occur; three-threshold terms, which need all three classes in one conflict, stay a list. The cube of levels is
cut into blocks of 16 x 16 x 16, each with an upper bound of V; blocks are searched exactly in the order of
their bounds until no bound reaches the incumbent. Nothing is skipped that could win or tie.

Ties: the point with the highest text threshold, then choice, then signature.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from acromeld.evaluate.threshold_events import ALWAYS, LEVELS
from acromeld.fields import KINDS

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]

Triple = tuple[int, int, int]
_PAIRS = ((0, 1), (0, 2), (1, 2))
_BLOCK = 16


@dataclass(frozen=True)
class Optimum:
    """Best thresholds, as indices into `LEVELS`, and the counts there."""

    levels: Triple
    matched: int
    predicted: int


@dataclass(frozen=True)
class Tables:
    """Events sorted by how many thresholds they depend on; the last axis is (true positives, predictions).

    Only levels at which something happens are kept on an axis, and the highest: between two of them nothing
    changes, and of equals the higher threshold is wanted.

    Attributes:
        axes: For each class, ascending indices into `LEVELS`.
        single: For each class, ``(n_c, 2)``.
        pair: For each pair of classes, ``(n_c, n_d, 2)``.
        corner: ``(e, 3)`` positions on the axes of the events that need all three.
        triple: ``(e, 2)`` their counts.
    """

    axes: tuple[Ints, Ints, Ints]
    single: tuple[Ints, Ints, Ints]
    pair: tuple[Ints, Ints, Ints]
    corner: Ints
    triple: Ints

    def counts(self, position: Triple) -> tuple[int, int]:
        """True positives and predictions at positions on the axes."""
        total = sum(table[place] for table, place in zip(self.single, position, strict=True))
        for table, (a, b) in zip(self.pair, _PAIRS, strict=True):
            total = total + table[position[a], position[b]]
        active = (self.corner >= np.array(position)).all(axis=1)
        total = total + self.triple[active].sum(axis=0)
        return int(total[0]), int(total[1])

    def nearest(self, levels: Triple) -> Triple:
        """Positions whose counts are those at the given levels."""
        a, b, c = (int(np.searchsorted(axis, level)) for axis, level in zip(self.axes, levels, strict=True))
        return a, b, c


def build_tables(events: Ints) -> Tables:
    """Sum events ``(n, 5)`` into tables."""
    top = len(LEVELS) - 1
    corner = events[:, : len(KINDS)]
    depends = corner != ALWAYS
    axes = [np.unique(np.append(corner[depends[:, c], c], top)) for c in range(len(KINDS))]
    place = np.column_stack([np.searchsorted(axis, corner[:, c]) for c, axis in enumerate(axes)])
    weight = events[:, len(KINDS) :]
    single = [_steps(place, weight, depends, (c,), axes) for c in range(len(KINDS))]
    pair = [_steps(place, weight, depends, classes, axes) for classes in _PAIRS]
    every = depends.all(axis=1)
    return Tables(
        (axes[0], axes[1], axes[2]),
        (single[0], single[1], single[2]),
        (pair[0], pair[1], pair[2]),
        place[every],
        weight[every],
    )


def _steps(
    place: Ints, weight: Ints, depends: npt.NDArray[np.bool_], classes: tuple[int, ...], axes: list[Ints]
) -> Ints:
    """Table of the events that depend on exactly these classes: each counts at its level and below."""
    exactly = np.isin(np.arange(len(KINDS)), classes)
    chosen = (depends == exactly).all(axis=1)
    shape = tuple(len(axes[c]) for c in classes)
    table = np.zeros((*shape, 2), dtype=np.int64)
    np.add.at(table, tuple(place[chosen, c] for c in classes), weight[chosen])
    for axis in range(len(classes)):
        table = np.flip(np.cumsum(np.flip(table, axis), axis), axis)
    return table


def maximise_f1(tables: Tables, targets: int, start: Triple | None = None) -> Optimum:
    """The exact optimum; ``start`` (levels) only saves time."""
    top = len(LEVELS) - 1
    position = tables.nearest(start or (top, top, top))
    matched, predicted = tables.counts(position)
    while True:
        best = Fraction(2 * matched, predicted + targets)
        value, position = _maximise(tables, best, targets, position)
        matched, predicted = tables.counts(position)
        if value == 0:
            a, b, c = (int(axis[place]) for axis, place in zip(tables.axes, position, strict=True))
            return Optimum((a, b, c), matched, predicted)


def _maximise(tables: Tables, ratio: Fraction, targets: int, start: Triple) -> tuple[int, Triple]:
    """Largest V and where, ties to higher thresholds. ``start`` attains the ratio, so V is 0 there."""
    values = _price(tables, ratio, targets)
    bound = _block_bounds(values)
    best: tuple[int, Triple] = (0, start)
    for block in np.argsort(-bound, axis=None, kind="stable"):
        if bound.flat[block] < best[0]:
            break
        best = max(best, _search_block(values, np.unravel_index(block, bound.shape)))
    return best


@dataclass(frozen=True)
class _Values:
    """V as the sum of three tables over pairs of thresholds and a list of three-threshold steps."""

    tables: tuple[Ints, Ints, Ints]
    corner: Ints
    step: Ints

    @property
    def shape(self) -> Triple:
        return self.tables[0].shape[0], self.tables[0].shape[1], self.tables[1].shape[1]


def _price(tables: Tables, ratio: Fraction, targets: int) -> _Values:
    """Put a price on counts: a true positive earns 2d, a prediction costs n, all targets cost n each."""
    price = np.array([2 * ratio.denominator, -ratio.numerator], dtype=np.int64)
    text, choice, signature = (table @ price for table in tables.single)
    text_choice, text_signature, choice_signature = (table @ price for table in tables.pair)
    base = text[:, None] + choice[None, :] + text_choice - ratio.numerator * targets
    return _Values(
        (base, text_signature + signature[None, :], choice_signature), tables.corner, tables.triple @ price
    )


def _block_bounds(values: _Values) -> Ints:
    """Upper bound of V in every block of 16 x 16 x 16 positions.

    Pair tables are bounded by their maximum. A step that helps counts as soon as it is active somewhere in
    the block, at its low corner; one that hurts only where it is active everywhere, at the high corner.
    """
    first, second, third = (_block_max(table) for table in values.tables)
    bound = first[:, :, None] + second[:, None, :] + third[None, :, :]
    helps = values.step > 0
    touched = values.corner // _BLOCK
    covered = np.where(
        values.corner == np.array(values.shape) - 1, touched, (values.corner + 1) // _BLOCK - 1
    )
    hurts = ~helps & (covered >= 0).all(axis=1)
    bound += _accumulate(touched[helps], values.step[helps], bound.shape)
    bound += _accumulate(covered[hurts], values.step[hurts], bound.shape)
    return bound


def _block_max(table: Ints) -> Ints:
    """Largest value of each 16 x 16 block of a table; the last block of an axis may be smaller."""
    starts = [np.arange(0, size, _BLOCK) for size in table.shape]
    rows: Ints = np.maximum.reduceat(table, starts[0], axis=0)
    blocks: Ints = np.maximum.reduceat(rows, starts[1], axis=1)
    return blocks


def _accumulate(corner: Ints, step: Ints, shape: tuple[int, ...]) -> Ints:
    """Sum of the steps at each position, a step counting at its corner and everywhere below."""
    table = np.zeros(shape, dtype=np.int64)
    np.add.at(table, tuple(corner.T), step)
    for axis in range(len(shape)):
        table = np.flip(np.cumsum(np.flip(table, axis), axis), axis)
    return table


def _search_block(values: _Values, block: tuple[np.intp, ...]) -> tuple[int, Triple]:
    """Exact maximum of V inside one block, ties to higher thresholds."""
    low = np.array(block) * _BLOCK
    high = np.minimum(low + _BLOCK, values.shape)
    a, b, c = (slice(int(start), int(stop)) for start, stop in zip(low, high, strict=True))
    base, text_signature, choice_signature = values.tables
    exact = base[a, b][:, :, None] + text_signature[a, c][:, None, :] + choice_signature[b, c][None, :, :]
    active = (values.corner >= low).all(axis=1)
    if active.any():
        inside = np.minimum(values.corner[active], high - 1) - low
        exact += _accumulate(inside, values.step[active], exact.shape)
    last = exact.size - 1 - int(np.argmax(exact.ravel()[::-1]))
    x, y, z = (int(place) for place in np.array(np.unravel_index(last, exact.shape)) + low)
    return int(exact.flat[last]), (x, y, z)
