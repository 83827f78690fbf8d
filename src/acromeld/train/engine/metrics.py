# SPDX-License-Identifier: Apache-2.0
"""The metric history: one JSON line an epoch, the same as CSV, and a plot of the trajectory."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from acromeld.fields import KINDS
from acromeld.form.output import write_atomically
from acromeld.provenance.digests import canonical_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

LINES, TABLE, PLOT = "metrics.jsonl", "trajectory.csv", "trajectory.png"


def metric_row(
    *,
    epoch: int,
    phase: str,
    scores: Mapping[str, Any],
    losses: Mapping[str, float],
    rates: Mapping[str, float],
    **facts: object,
) -> dict[str, Any]:
    """One flat line, the names and order of its columns fixed.

    Args:
        epoch: Completed epochs of the run.
        phase: Name of the phase.
        scores: Outcome of `acromeld.train.engine.evaluation.evaluate`.
        losses: Mean of each weighted loss term over the epoch.
        rates: Learning rates at its end.
        facts: Further columns: steps, seconds, what was best.
    """
    row: dict[str, Any] = {"epoch": epoch, "phase": phase}
    for adapter in ("native", "strict"):
        micro = scores[adapter]["micro"]
        row |= {f"{adapter}_{name}": micro[name] for name in ("precision", "recall", "f1")}
        row |= {f"{adapter}_f1_{kind}": scores[adapter]["classes"][kind.value]["f1"] for kind in KINDS}
    coco = scores["coco"]
    row |= {"map": coco["map"], "ap50": coco["ap50"], "ap75": coco["ap75"]}
    row |= {f"ap_{kind}": coco["classes"][kind.value]["ap"] for kind in KINDS}
    row |= {f"loss_{name}": value for name, value in losses.items()}
    row |= {f"rate_{name}": value for name, value in rates.items()}
    return row | {"pages": scores["pages"]} | facts


def write_history(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write lines, table and plot of a run so far; each appears whole."""
    lines = "".join(canonical_json(dict(row)) + "\n" for row in rows)
    write_atomically(lines.encode(), folder / LINES, overwrite=True)
    write_atomically(_table(rows).encode(), folder / TABLE, overwrite=True)
    if rows:
        write_atomically(plot(rows), folder / PLOT, overwrite=True)


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO()
    writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


_CURVES = (
    (("native_f1", "native F1"), ("strict_f1", "strict F1"), ("map", "COCO mAP")),
    tuple((f"ap_{kind}", f"AP {kind}") for kind in KINDS),
)


def plot(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The paper's trajectory figure as PNG: scores left, class AP right, phases told apart by shading."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    epochs = [row["epoch"] for row in rows]
    for axes, curves in zip(figure.subplots(1, 2, sharey=True), _CURVES, strict=True):
        for name, label in curves:
            axes.plot(epochs, [row.get(name) for row in rows], marker=".", label=label)
        _shade(axes, rows)
        axes.set(xlabel="epoch", ylim=(0, 1))
        axes.grid(alpha=0.3)
        axes.legend(loc="lower right")
    stream = io.BytesIO()
    FigureCanvasAgg(figure).print_png(stream)  # type: ignore[no-untyped-call]
    return stream.getvalue()


def _shade(axes: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Every other phase on a grey ground, with its name."""
    names = list(dict.fromkeys(row["phase"] for row in rows))
    for number, name in enumerate(names):
        mine = [row["epoch"] for row in rows if row["phase"] == name]
        if number % 2:
            axes.axvspan(mine[0] - 0.5, mine[-1] + 0.5, color="0.93", zorder=0)
        label = axes.text(mine[0] - 0.4, 0.99, name, va="top", fontsize=8, color="0.4")
        label.set_in_layout(False)
