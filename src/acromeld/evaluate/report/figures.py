# SPDX-License-Identifier: Apache-2.0
"""The figures of a report, as PNG and SVG bytes. The only module that imports matplotlib."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas

from acromeld.evaluate.report.tables import CONTROL
from acromeld.fields import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Systems = Mapping[str, Mapping[str, Any]]

_STYLE: Any = {
    "svg.hashsalt": "acromeld",
    "font.size": 9,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_DENSITIES = ("0", "1-10", "11-100", "101-300", ">300")


@dataclass(frozen=True)
class Figure:
    """A drawn figure; ``name`` is its file name without suffix, ``alt`` says what it shows."""

    name: str
    alt: str
    png: bytes
    svg: bytes


def _drawn(name: str, alt: str, canvas: Any) -> Figure:
    """Both formats, without dates or random names, so that equal records give equal bytes."""
    FigureCanvasAgg(canvas)
    with mpl.rc_context(_STYLE):
        png, svg = io.BytesIO(), io.BytesIO()
        canvas.savefig(png, format="png", dpi=110, metadata={"Software": None})
        canvas.savefig(svg, format="svg", metadata={"Date": None})
    return Figure(name, alt, png.getvalue(), svg.getvalue())


def evaluation_figures(systems: Systems) -> list[Figure]:
    """Precision against recall, reliability, classes and density of all systems together."""
    with mpl.rc_context(_STYLE):
        return [
            _precision_recall(systems),
            _reliability(systems),
            _bars("classes", "Native F1 per class", [kind.value for kind in KINDS], _class_scores(systems)),
            _bars("density", "Native F1 by fields on the page", _DENSITIES[1:], _density_scores(systems)),
        ]


def _precision_recall(systems: Systems) -> Figure:
    canvas = Canvas(figsize=(9, 3.2), layout="constrained")
    for place, kind in enumerate(KINDS, 1):
        axes = canvas.add_subplot(1, len(KINDS), place)
        for label, results in systems.items():
            points = [row for row in results["precision_recall"][kind.value] if row["precision"] is not None]
            axes.plot([row["recall"] for row in points], [row["precision"] for row in points], label=label)
        axes.set(title=kind.value, xlabel="recall", xlim=(0, 1), ylim=(0, 1.02))
        if place == 1:
            axes.set_ylabel("precision")
            axes.legend(fontsize=7, loc="lower left")
    return _drawn("precision-recall", "Precision against recall per class, native criterion", canvas)


def _reliability(systems: Systems) -> Figure:
    canvas = Canvas(figsize=(4.4, 4), layout="constrained")
    axes = canvas.add_subplot()
    axes.plot([0, 1], [0, 1], color="grey", linewidth=0.8, linestyle="--")
    for label, results in systems.items():
        parts = [part for part in results["reliability"] if part["predictions"]]
        scores, shares = [part["mean_score"] for part in parts], [part["precision"] for part in parts]
        axes.plot(scores, shares, marker="o", markersize=3, label=label)
    axes.set(xlabel="mean score", ylabel="share of true positives", xlim=(0, 1), ylim=(0, 1.02))
    axes.legend(fontsize=7)
    return _drawn("reliability", "Confidence against the share of true positives", canvas)


def _judged(results: Mapping[str, Any]) -> Mapping[str, Any]:
    """The point a system is judged at, not the control beside it."""
    record: Mapping[str, Any] = min(results["points"].items(), key=lambda item: item[0] == CONTROL)[1]
    return record


def _class_scores(systems: Systems) -> dict[str, list[float | None]]:
    return {
        label: [_judged(results)["native"]["classes"][kind.value]["f1"] for kind in KINDS]
        for label, results in systems.items()
    }


def _density_scores(systems: Systems) -> dict[str, list[float | None]]:
    return {
        label: [
            results["strata"]["density"][name]["micro"]["f1"]
            if name in results["strata"]["density"]
            else None
            for name in _DENSITIES[1:]
        ]
        for label, results in systems.items()
    }


def _bars(
    name: str, title: str, groups: Sequence[str], scores: Mapping[str, Sequence[float | None]]
) -> Figure:
    """Grouped bars; an undefined value has no bar."""
    canvas = Canvas(figsize=(6, 3.2), layout="constrained")
    axes = canvas.add_subplot()
    width = 0.8 / max(len(scores), 1)
    for number, (label, values) in enumerate(scores.items()):
        places = [group + (number + 0.5) * width - 0.4 for group in range(len(groups))]
        axes.bar(places, [value or 0.0 for value in values], width, label=label)
    axes.set_xticks(range(len(groups)), groups)
    axes.set(title=title, ylim=(0, 1))
    axes.legend(fontsize=7)
    return _drawn(name, title, canvas)


def trajectory(metrics: Sequence[Mapping[str, Any]]) -> Figure | None:
    """Every number of the metric history over the epochs; none when there is no history of two."""
    names = sorted(
        {
            key
            for row in metrics
            for key, value in row.items()
            if key != "epoch" and isinstance(value, (int, float)) and not isinstance(value, bool)
        }
    )
    if len(metrics) < 2 or not names:
        return None
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=(6, 1.6 * len(names) + 0.6), layout="constrained")
        for place, name in enumerate(names, 1):
            axes = canvas.add_subplot(len(names), 1, place)
            points = [(row.get("epoch", at), row[name]) for at, row in enumerate(metrics) if name in row]
            axes.plot([epoch for epoch, _ in points], [value for _, value in points], marker=".")
            axes.set_ylabel(name)
        axes.set_xlabel("epoch")
        return _drawn("trajectory", "Metrics over the epochs of training", canvas)
