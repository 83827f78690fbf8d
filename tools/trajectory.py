# SPDX-License-Identifier: Apache-2.0
"""One table and one plot of runs that each went on from the one before.

    python tools/trajectory.py docs/compact-trajectory.csv sixth=RUN/metrics.jsonl [more=...]

Adds the epochs of each named run behind those in the table, or in the place of a run of that name, and draws
the picture beside it anew.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

from acromeld.train.engine.metrics import plot

Rows = list[dict[str, Any]]


def with_run(rows: Rows, name: str, lines: Path) -> Rows:
    """The rows with those of one run behind them."""
    added = [json.loads(line) for line in lines.read_text().splitlines()]
    return [row for row in rows if row["run"] != name] + [{"run": name, **row} for row in added]


def one_after_another(rows: Rows) -> Rows:
    """Epochs counted over all runs, each run a phase of the plot."""
    scores = ("native_f1", "strict_f1", "map", "ap_text", "ap_choice", "ap_signature")
    return [
        {name: float(row[name]) for name in scores} | {"epoch": number, "phase": row["run"]}
        for number, row in enumerate(rows, 1)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("runs", nargs="+", metavar="NAME=METRICS")
    given = parser.parse_args()
    with given.table.open(newline="") as stream:
        reader = csv.DictReader(stream)
        rows, columns = list(reader), list(reader.fieldnames or ())
    for run in given.runs:
        name, _, lines = run.partition("=")
        rows = with_run(rows, name, Path(lines))
    with given.table.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    given.table.with_suffix(".png").write_bytes(plot(one_after_another(rows)))


if __name__ == "__main__":
    main()
