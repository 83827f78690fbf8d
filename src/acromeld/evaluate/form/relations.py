# SPDX-License-Identifier: Apache-2.0
"""Groups and order gathered over pages, and the tables that show them beside their baselines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.table import Table

from acromeld.evaluate.form.groups import PairCounts, of_grouping_authors, page_pair_counts, precision_recall
from acromeld.evaluate.form.order import OrderScore, page_order_score
from acromeld.evaluate.form.resampling import ratio_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.bootstrap import Interval
    from acromeld.pdf.page import Page
    from acromeld.pdf.widgets import NativeWidget

_EXACT = 0.999


@dataclass
class Relations:
    """What was measured so far."""

    pairs: list[PairCounts] = field(default_factory=list)
    orders: list[OrderScore] = field(default_factory=list)

    def add(self, page: Page, widgets: Sequence[NativeWidget], document: str, group: str) -> None:
        """Group and order the widgets of a page as if nobody had, and compare."""
        if page.primitives is None:
            return
        self.pairs.append(page_pair_counts(page.primitives, widgets, document, group))
        score = page_order_score(page.primitives, widgets, document, group)
        self.orders += [] if score is None else [score]

    def figures(self) -> dict[str, Any]:
        """Every figure of the tables, for a record."""
        return {
            "groups": {
                "all documents": _pair_row(self.pairs),
                "authors who group": _pair_row(of_grouping_authors(self.pairs)),
            },
            "order": {
                "pages": len(self.orders),
                "ours": _order_row(self.orders, "ours"),
                "top left": _order_row(self.orders, "baseline"),
            },
        }


def relation_tables(relations: Relations) -> list[Table]:
    """The figures as tables; leaving all boxes loose has recall and F1 of 0."""
    figures = relations.figures()
    columns = ("documents", "pairs of authors", "found", "precision", "recall", "F1")
    groups = Table(*columns, title="Radio groups")
    for name, row in figures["groups"].items():
        shares = (f"{row[key]:.3f}" for key in ("precision", "recall", "f1"))
        groups.add_row(name, str(row["targets"]), str(row["predicted"]), *shares)
    order = Table("method", "pages", "Kendall tau", "95 %", "same order", title="Tab order")
    for method in ("ours", "top left"):
        row = figures["order"][method]
        low, high = row["interval"]
        values = f"{row['tau']:.3f}", f"{low:.3f}-{high:.3f}", f"{row['exact']:.1%}"
        order.add_row(method, str(figures["order"]["pages"]), *values)
    return [groups, order]


def _bounds(interval: Interval | None) -> tuple[float, float]:
    """The ends of an interval; not a number where there was nothing to draw from."""
    return (float("nan"), float("nan")) if interval is None else (interval.low, interval.high)


def _pair_row(counts: Sequence[PairCounts]) -> dict[str, Any]:
    precision, recall, f1 = precision_recall(counts)
    interval = ratio_interval(
        (row.group, 2.0 * row.matched, float(row.predicted + row.targets)) for row in counts
    )
    return {
        "targets": sum(row.targets for row in counts),
        "predicted": sum(row.predicted for row in counts),
        "precision": precision,
        "recall": recall,
        "f1": f1,
        "f1_interval": _bounds(interval),
    }


def _order_row(scores: Sequence[OrderScore], method: str) -> dict[str, Any]:
    values = [float(getattr(score, method)) for score in scores]
    interval = ratio_interval((score.group, getattr(score, method), 1.0) for score in scores)
    count = max(len(values), 1)
    return {
        "tau": sum(values) / count,
        "interval": _bounds(interval),
        "exact": sum(value > _EXACT for value in values) / count,
    }
