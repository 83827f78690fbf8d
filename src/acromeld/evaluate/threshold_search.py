# SPDX-License-Identifier: Apache-2.0
"""The exact joint maximum of micro-F1 over three class thresholds, without the cubic grid.

``F1 = 2 TP / (P + G)`` is a ratio of functions that are sums of events (`threshold_events`). Dinkelbach's
method turns it into a few maximisations of a difference: with the best ratio so far as ``n / d``,

    V(t) = 2 d TP(t) - n (P(t) + G)

is positive exactly where F1 is greater than n / d. Maximise V; if the maximum is zero the ratio is optimal,
otherwise its argument is a better one. All of it in integers, so that ties are ties.

V splits into terms of one, two and three thresholds. The terms of one and two are tables over the levels that
occur; three-threshold terms, which need all three classes in one conflict, stay a short list. The search
fixes the signature threshold, bounds every row (text threshold) of that slice from above by

    max over choice of (terms without signature) + its text-signature term + the largest choice-signature term
    + all positive three-class terms still active,

and evaluates only rows whose bound reaches the incumbent. Nothing is skipped that could win or tie.

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
    price = np.array([2 * ratio.denominator, -ratio.numerator], dtype=np.int64)
    text, choice, signature = (table @ price for table in tables.single)
    text_choice, text_signature, choice_signature = (table @ price for table in tables.pair)
    triple = tables.triple @ price
    base = text[:, None] + choice[None, :] + text_choice - ratio.numerator * targets
    rest = signature + choice_signature.max(axis=0) + _active_gains(tables, triple)
    bound = base.max(axis=1)[:, None] + text_signature + rest[None, :]

    best: tuple[int, Triple] = (0, start)
    ceiling = bound.max(axis=0)
    for slice_ in np.argsort(-ceiling, kind="stable").tolist():
        if ceiling[slice_] < best[0]:
            break
        rows = np.flatnonzero(bound[:, slice_] >= best[0])
        block = base[rows] + text_signature[rows, slice_][:, None]
        block += signature[slice_] + choice_signature[:, slice_][None, :]
        block += _triple_slice(tables, triple, slice_, rows)
        row, column = divmod(block.size - 1 - int(np.argmax(block.ravel()[::-1])), block.shape[1])
        best = max(best, (int(block[row, column]), (int(rows[row]), column, slice_)))
    return best


def _active_gains(tables: Tables, triple: Ints) -> Ints:
    """Upper bound of the three-class terms at each signature position: those that help, while active."""
    gains = np.zeros(len(tables.axes[2]), dtype=np.int64)
    np.add.at(gains, tables.corner[:, 2], np.maximum(triple, 0))
    return np.flip(np.cumsum(np.flip(gains)))


def _triple_slice(tables: Tables, triple: Ints, slice_: int, rows: npt.NDArray[np.intp]) -> Ints | int:
    """Three-class terms of one slice at the given rows, ``(rows, n_choice)``."""
    active = tables.corner[:, 2] >= slice_
    if not active.any():
        return 0
    dense = np.zeros((len(tables.axes[0]), len(tables.axes[1])), dtype=np.int64)
    np.add.at(dense, (tables.corner[active, 0], tables.corner[active, 1]), triple[active])
    dense = np.flip(np.cumsum(np.flip(dense, 1), 1), 1)
    dense = np.flip(np.cumsum(np.flip(dense, 0), 0), 0)
    return dense[rows]
