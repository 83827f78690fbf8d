# SPDX-License-Identifier: Apache-2.0
"""All measures of a form's quality gathered over pages, and the tables that show them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rich.table import Table

from acromeld.evaluate.form.kinds import KindCounts, page_kind_counts
from acromeld.evaluate.form.labels import LabelScore, baselines, page_label_scores
from acromeld.evaluate.form.resampling import ratio_interval
from acromeld.fields import Field
from acromeld.form.describe.arranging import arranged
from acromeld.form.describe.kinds import text_kinds
from acromeld.form.describe.label_weights import LabelScorer, shipped
from acromeld.form.describe.page import say
from acromeld.form.describe.surroundings import look_around

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from acromeld.evaluate.bootstrap import Interval
    from acromeld.pdf.page import Page
    from acromeld.pdf.widgets import NativeWidget

METHODS = ("ours", "left", "left, right of boxes")


@dataclass
class Quality:
    """What was measured so far."""

    scorer: LabelScorer = field(default_factory=shipped)
    labels: list[LabelScore] = field(default_factory=list)
    kinds: list[KindCounts] = field(default_factory=list)
    fields: int = 0
    tooltips: int = 0

    def add(self, page: Page, widgets: Sequence[NativeWidget], document: str, group: str) -> None:
        """Describe the widgets of a page as fields without names, and compare."""
        if page.primitives is None:
            return
        words = page.primitives.words
        fields = arranged(page, [Field(kind=widget.kind, box=widget.box) for widget in widgets])
        around = look_around(page, fields)
        said: dict[str, Sequence[str]] = dict(baselines(around))
        said["ours"] = say(fields, around, words, self.scorer).tooltip
        self.fields += len(widgets)
        self.tooltips += sum(bool(widget.tooltip.strip()) for widget in widgets)
        self.labels += page_label_scores(around, widgets, said, document, group)
        found = text_kinds(around, words, self.scorer)
        self.kinds += page_kind_counts(around, widgets, found, document, group)

    def figures(self) -> dict[str, Any]:
        """Every figure of the tables, for a record."""
        labels = {
            name: {method: _label_row(rows, method) for method in METHODS} | {"fields": len(rows)}
            for name, rows in self.strata()
        }
        kinds = {
            f"{kind}, {method}": _kind_row(self.kinds, kind, method)
            for kind in ("multi-line", "comb", "printed comb")
            for method in ("ours", "baseline")
        }
        return {
            "fields": self.fields,
            "tooltips": self.tooltips,
            "human": len(self.labels),
            "labels": labels,
            "kinds": kinds,
        }

    def strata(self) -> Iterator[tuple[str, list[LabelScore]]]:
        """All labelled fields, those whose tooltip is printed on the page, each kind, each script."""
        yield "all", self.labels
        yield "printed on the page", [row for row in self.labels if row.printed]
        for kind in sorted({row.kind for row in self.labels}):
            yield kind, [row for row in self.labels if row.kind == kind]
        for script in sorted({row.script for row in self.labels}):
            yield f"{script} script", [row for row in self.labels if row.script == script]


def _label_row(rows: Sequence[LabelScore], method: str) -> dict[str, Any]:
    count = max(len(rows), 1)
    return {
        "f1": sum(row.f1[method] for row in rows) / count,
        "f1_interval": _pair(ratio_interval((row.group, row.f1[method], 1.0) for row in rows)),
        "exact": sum(row.exact[method] for row in rows) / count,
        "exact_interval": _pair(ratio_interval((row.group, float(row.exact[method]), 1.0) for row in rows)),
        "said": sum(row.said for row in rows) / count if method == "ours" else None,
    }


def _kind_row(counts: Sequence[KindCounts], kind: str, method: str) -> dict[str, Any]:
    rows = [row for row in counts if row.kind == kind and row.method == method]
    matched, predicted, targets = (
        sum(getattr(row, name) for row in rows) for name in ("matched", "predicted", "targets")
    )
    return {
        "precision": matched / max(predicted, 1),
        "recall": matched / max(targets, 1),
        "f1": 2 * matched / max(predicted + targets, 1),
        "f1_interval": _pair(
            ratio_interval((row.group, 2.0 * row.matched, float(row.predicted + row.targets)) for row in rows)
        ),
        "targets": targets,
        "cells_right": sum(row.cells for row in rows) / max(matched, 1) if kind != "multi-line" else None,
    }


def _pair(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)


def quality_tables(quality: Quality) -> list[Table]:
    """The figures as tables for people."""
    figures = quality.figures()
    labels = Table(
        "fields", "count", "ours F1", "exact", "left F1", "exact", "left/right F1", "exact", "said",
        title=f"Tooltips: {figures['human']} written for people, of {figures['tooltips']} on "
        f"{figures['fields']} fields",
    )  # fmt: skip
    for name, row in figures["labels"].items():
        cells = [
            text for method in METHODS for text in (_with(row[method], "f1"), _with(row[method], "exact"))
        ]
        labels.add_row(name, str(row["fields"]), *cells, f"{row['ours']['said']:.3f}")
    kinds = Table("kind", "targets", "precision", "recall", "F1", "cells right", title="Kinds of text")
    for name, row in figures["kinds"].items():
        right = "" if row["cells_right"] is None else f"{row['cells_right']:.3f}"
        rates = f"{row['precision']:.3f}", f"{row['recall']:.3f}", _with(row, "f1")
        kinds.add_row(name, str(row["targets"]), *rates, right)
    return [labels, kinds]


def _with(row: dict[str, Any], name: str) -> str:
    """A figure with its interval."""
    interval = row[f"{name}_interval"]
    return f"{row[name]:.3f}" + ("" if interval is None else f" [{interval[0]:.2f}, {interval[1]:.2f}]")
