# SPDX-License-Identifier: Apache-2.0
"""Counts of a page as a sum of steps in the class thresholds.

The true positives and predictions of a page are integers that depend on three thresholds. Any such function
that is constant between finitely many levels is a sum of *events*: (a, b, c, tp, p) adds tp and p wherever
the text threshold is at most level a, the choice threshold at most b and the signature threshold at most c. A
class on which the event does not depend has level `ALWAYS`. Events are the mixed differences of the function.

A page is cut into units, the connected components of "would suppress" and "may match the same target". Units
do not influence each other, so their events add up.

A unit of one class needs no table. Let t' < t. Greedy selection visits candidates in descending score, and
whether a candidate is kept depends only on those before it. Lowering the threshold from t to t' adds
candidates with scores below t only, which come after every candidate that was eligible at t. So the selection
at t is the selection at the lowest threshold restricted to scores >= t. The same argument holds for greedy
matching, whose turns come in the same order, and for the cap. Each kept candidate is one event.

A unit of several classes is tabulated over the product of its own distinct levels (`bit_grid`). There the
argument fails: a text candidate that falls below the text threshold stops suppressing a choice candidate of
lower score. Units are small, so the tables are.

The cap couples all units of a page, but only if more candidates than the cap could be kept; then, and only
then, the page is tabulated as a single unit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from acromeld.detect.decoding import FLOOR, stable_order
from acromeld.detect.suppression import relate
from acromeld.evaluate.adapters import NATIVE
from acromeld.evaluate.bit_grid import BitCounter, Unit, outcomes
from acromeld.fields import KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from acromeld.evaluate.adapters import Comparison
    from acromeld.geometry import Floats

    Ints = npt.NDArray[np.int64]
    Flags = npt.NDArray[np.bool_]

LEVELS: Ints = np.arange(10, 991, dtype=np.int64)
"""Thresholds in thousandths: 981 values from 0.010 to 0.990."""

ALWAYS = -1
_COLUMNS = len(KINDS) + 2


def level_of(score: Floats) -> Ints:
    """Index into `LEVELS` of the highest threshold each score reaches, by the decoder's own comparison."""
    return np.searchsorted(LEVELS / 1000, score, side="right").astype(np.int64) - 1


@dataclass(frozen=True)
class PageEvents:
    """The events of one page at any suppression thresholds, remembered where they repeat.

    Attributes:
        kind: Class of each candidate above the floor, in stable descending score.
        level: Its threshold level.
        options: Targets each may match, best first.
        matches: ``(q, 2)`` pairs of candidate and target behind the options.
        edges: ``(e, 2)`` pairs (earlier, later) that some grid cell may suppress.
        iou: ``(e,)`` of the edges.
        link: ``(e,)`` link probability of the edges.
        cap: Most candidates kept.
    """

    kind: Ints
    level: Ints
    options: tuple[tuple[int, ...], ...]
    matches: Ints
    edges: Ints
    iou: Floats
    link: Floats
    cap: int
    _pages: dict[bytes, Ints] = field(default_factory=dict, init=False, repr=False)
    _units: dict[tuple[object, ...], tuple[Ints, int]] = field(default_factory=dict, init=False, repr=False)

    def at(self, nms: float, link: float) -> Ints:
        """Events ``(n, 5)`` at suppression thresholds; the same object when nothing differs."""
        active = (self.iou >= nms) | (self.link >= link)
        key = active.tobytes()
        if key not in self._pages:
            self._pages[key] = self._compute(active)
        return self._pages[key]

    def _compute(self, active: Flags) -> Ints:
        edges = self.edges[active]
        labels = self._labels(edges)
        found = [self._unit(members, links) for members, links in _groups(labels, edges)]
        if len(self.kind) > self.cap and sum(most for _, most in found) > self.cap:
            everyone = list(range(len(self.kind)))
            found = [self._unit(everyone, edges.tolist())]
        return np.concatenate([_no_events(), *(events for events, _ in found)])

    def _labels(self, edges: Ints) -> Ints:
        """Component of each candidate; targets are nodes too, as rivals for one influence each other."""
        count = len(self.kind)
        targets = int(self.matches[:, 1].max()) + 1 if len(self.matches) else 0
        ends = np.concatenate([edges, self.matches + np.array([0, count])])
        graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count + targets,) * 2)
        labels: Ints = connected_components(graph, directed=False)[1][:count].astype(np.int64)
        return labels

    def _unit(self, members: list[int], edges: list[list[int]]) -> tuple[Ints, int]:
        """Events of a unit and the most candidates it ever keeps."""
        key = (tuple(members), tuple(map(tuple, edges)))
        if key not in self._units:
            self._units[key] = unit_events(self._build(members, edges))
        return self._units[key]

    def _build(self, members: list[int], edges: list[list[int]]) -> Unit:
        place = {member: index for index, member in enumerate(members)}
        suppressors: list[list[int]] = [[] for _ in members]
        for earlier, later in edges:
            suppressors[place[later]].append(place[earlier])
        return Unit(
            tuple(self.kind[members].tolist()),
            tuple(self.level[members].tolist()),
            tuple(map(tuple, suppressors)),
            tuple(self.options[member] for member in members),
            self.cap,
        )


def _groups(labels: Ints, edges: Ints) -> Iterable[tuple[list[int], list[list[int]]]]:
    """Members and edges of each component, members in ascending order."""
    members: dict[int, list[int]] = {}
    for index, label in enumerate(labels.tolist()):
        members.setdefault(label, []).append(index)
    links: dict[int, list[list[int]]] = {}
    for edge in edges.tolist():
        links.setdefault(int(labels[edge[0]]), []).append(edge)
    for label, group in members.items():
        yield group, links.get(label, [])


def page_events(page: Comparison, least_nms: float, least_link: float) -> PageEvents:
    """Prepare a page for every grid cell at or above the given suppression thresholds.

    Prediction lines hold representatives; no suppression is left to do on them.
    """
    found = page.predicted.candidates
    order = stable_order(found.score)
    order = order[found.score[order] >= FLOOR]
    edges, iou, link = np.zeros((0, 2), dtype=np.int64), np.zeros(0), np.zeros(0)
    if not page.predicted.decoded:
        relations = relate(found.box[order], None if found.link is None else found.link[order])
        near = np.triu((relations.iou >= least_nms) | (relations.link >= least_link), 1)
        edges = np.argwhere(near).astype(np.int64)
        iou, link = relations.iou[near], relations.link[near]
    options, matches = _options(page, order)
    cap = NATIVE.cap if page.predicted.decoded else min(page.predicted.cap, NATIVE.cap)
    return PageEvents(
        found.kind[order], level_of(found.score[order]), options, matches, edges, iou, link, cap
    )


def _options(page: Comparison, order: npt.NDArray[np.intp]) -> tuple[tuple[tuple[int, ...], ...], Ints]:
    """Targets by preference for each candidate in ``order``, and the same as pairs."""
    pairs = page.pairs
    rank = np.full(len(page.predicted.candidates), -1, dtype=np.int64)
    rank[order] = np.arange(len(order))
    whose = rank[pairs.prediction]
    visit = np.lexsort((pairs.target, -pairs.overlap, whose))
    visit = visit[whose[visit] >= 0]
    matches = np.column_stack([whose[visit], pairs.target[visit]]).astype(np.int64)
    options: list[list[int]] = [[] for _ in order]
    for candidate, target in matches.tolist():
        options[candidate].append(target)
    return tuple(map(tuple, options)), matches


def _no_events() -> Ints:
    return np.zeros((0, _COLUMNS), dtype=np.int64)


def unit_events(unit: Unit) -> tuple[Ints, int]:
    """Events of a unit, and the most candidates it keeps at any thresholds."""
    if len(set(unit.kind)) == 1:
        return _prefix_events(unit)
    return _table_events(unit)


def _prefix_events(unit: Unit) -> tuple[Ints, int]:
    """One class: the selection at the lowest threshold says everything."""
    kept, hits = outcomes(unit, [1] * len(unit), 1)
    rows = []
    for level, keep, hit in zip(unit.level, kept, hits, strict=True):
        if keep:
            row = [ALWAYS] * len(KINDS) + [hit, 1]
            row[unit.kind[0]] = level
            rows.append(row)
    return np.array(rows, dtype=np.int64).reshape(-1, _COLUMNS), len(rows)


def _table_events(unit: Unit) -> tuple[Ints, int]:
    """Several classes: tabulate all combinations of the unit's levels, then take mixed differences."""
    steps = [
        sorted({level for level, own in zip(unit.level, unit.kind, strict=True) if own == kind}, reverse=True)
        for kind in range(len(KINDS))
    ]
    matched, predicted = _tabulate(unit, steps)
    most = int(predicted.max())
    for axis in range(len(KINDS)):
        matched, predicted = (np.diff(table, axis=axis, prepend=0) for table in (matched, predicted))
    where = np.nonzero(matched | predicted)
    corners = [np.array([ALWAYS, *step])[index] for step, index in zip(steps, where, strict=True)]
    return np.column_stack([*corners, matched[where], predicted[where]]).astype(np.int64), most


def _tabulate(unit: Unit, steps: list[list[int]]) -> tuple[Ints, Ints]:
    """True positives and predictions when the top m levels of each class are eligible, ``(n0, n1, n2)``.

    The two longer axes are the bits of an integer, the shortest is a loop; this bounds memory.
    """
    sizes = [len(step) + 1 for step in steps]
    loop, rows, columns = sorted(range(len(KINDS)), key=lambda kind: sizes[kind])
    need = [
        steps[kind].index(level) + 1 for kind, level in zip(unit.kind, unit.level, strict=True)
    ]  # how many levels of its class must be eligible
    area = sizes[rows] * sizes[columns]
    everywhere, row = (1 << area) - 1, (1 << sizes[columns]) - 1
    one_a_row = everywhere // row
    tables = np.zeros((2, sizes[loop], area), dtype=np.int64)
    for step in range(sizes[loop]):
        eligible = [
            everywhere >> least * sizes[columns] << least * sizes[columns]
            if kind == rows
            else one_a_row * (row >> least << least)
            if kind == columns
            else everywhere * (step >= least)
            for kind, least in zip(unit.kind, need, strict=True)
        ]
        kept, hits = outcomes(unit, eligible, everywhere)
        tables[:, step] = _count(hits, area), _count(kept, area)
    shaped = tables.reshape(2, sizes[loop], sizes[rows], sizes[columns])
    matched, predicted = np.moveaxis(shaped, (1, 2, 3), (loop + 1, rows + 1, columns + 1))
    return matched, predicted


def _count(flags: list[int], size: int) -> Ints:
    counter = BitCounter()
    for bits in flags:
        if bits:
            counter.add(bits)
    return counter.values(size)
