# SPDX-License-Identifier: Apache-2.0
"""What the interventions cost, for people (Markdown, terminal), for spreadsheets (CSV) and as a record."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from acromeld.evaluate.interventions.catalogue import BASELINE
from acromeld.evaluate.report.rendering import Section, markdown
from acromeld.evaluate.report.tables import Table, number
from acromeld.fields import KINDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from acromeld.evaluate.interventions.tally import Cost, Difference

SCHEMA = "acromeld.interventions/1"

_NOTE = (
    "Micro scores at the operating point of the model, unchanged for every row; differences are to the "
    "baseline, with paired 95 % percentile intervals over documents. COCO mAP does not depend on thresholds."
)


def costs_table(costs: Sequence[Cost]) -> Table:
    """The table for people: four digits, intervals in brackets."""
    columns = (
        *("intervention", "native P", "native R", "native F1", "difference"),
        *("strict F1", "difference", "mAP", "difference"),
        *(f"{kind.value} F1" for kind in KINDS),
    )
    rows = tuple(
        (
            cost.intervention.name,
            *(number(cost.native["micro"][key]) for key in ("precision", "recall", "f1")),
            _signed(cost, cost.native_difference),
            number(cost.strict["micro"]["f1"]),
            _signed(cost, cost.strict_difference),
            number(cost.coco["map"]),
            _signed(cost, cost.map_difference),
            *(number(cost.native["classes"][kind.value]["f1"]) for kind in KINDS),
        )
        for cost in costs
    )
    return Table("interventions", "What each intervention costs", columns, rows, _NOTE)


def numbers_table(costs: Sequence[Cost]) -> Table:
    """The same for machines: one number a cell, as exact as it is."""
    rows = [_numbers(cost) for cost in costs]
    cells = tuple(tuple("–" if value is None else str(value) for value in row.values()) for row in rows)
    return Table("interventions", "What each intervention costs", tuple(rows[0]), cells)


def as_markdown(costs: Sequence[Cost], about: Sequence[str]) -> str:
    """The table, what its rows mean, and sentences on what it is about."""
    meanings = "\n".join(f"- *{cost.intervention.name}*: {cost.intervention.meaning}" for cost in costs)
    sections = [
        Section("costs", "One part taken away at a time", tuple(about), (costs_table(costs),)),
        Section("meanings", "What is taken away", (meanings,)),
    ]
    return markdown("Interventions", sections)


def as_record(costs: Sequence[Cost], bound: Mapping[str, Any]) -> dict[str, Any]:
    """Counts and ratios of every row, and what they were computed from."""
    rows = [
        {
            "intervention": cost.intervention.name,
            "meaning": cost.intervention.meaning,
            "native": cost.native,
            "strict": cost.strict,
            "coco": cost.coco,
            "native_difference": asdict(cost.native_difference),
            "strict_difference": asdict(cost.strict_difference),
            "map_difference": cost.map_difference.value,
        }
        for cost in costs
    ]
    return {"schema": SCHEMA, **bound, "rows": rows}


def _signed(cost: Cost, difference: Difference) -> str:
    """The difference with its sign; the baseline differs from nothing."""
    if difference.value is None or cost.intervention == BASELINE:
        return "–"
    text, interval = f"{difference.value:+.4f}", difference.interval
    return text if interval is None else f"{text} [{interval.low:+.4f}, {interval.high:+.4f}]"


def _numbers(cost: Cost) -> dict[str, Any]:
    row: dict[str, Any] = {"intervention": cost.intervention.name}
    adapters = (
        ("native", cost.native, cost.native_difference),
        ("strict", cost.strict, cost.strict_difference),
    )
    for name, scores, difference in adapters:
        row |= {f"{name}_{key}": scores["micro"][key] for key in ("precision", "recall", "f1")}
        interval = difference.interval
        row[f"{name}_f1_difference"] = difference.value
        row[f"{name}_f1_difference_low"] = None if interval is None else interval.low
        row[f"{name}_f1_difference_high"] = None if interval is None else interval.high
    row |= {"map": cost.coco["map"], "map_difference": cost.map_difference.value}
    return row | {f"native_f1_{kind.value}": cost.native["classes"][kind.value]["f1"] for kind in KINDS}
