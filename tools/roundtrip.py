# SPDX-License-Identifier: Apache-2.0
"""Round trip over a corpus: native widgets -> fields.json -> apply on the widget-free file -> read back.

Every page must come back with the same number of fields, of the same kinds, within 0.05 pt of their
places. Anything else is listed and makes the exit code 1.

    python tools/roundtrip.py CORPUS_DIR [--sample N]
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from acromeld.errors import AcromeldError
from acromeld.fields import KINDS, DocumentFields, DocumentRef, parse_document
from acromeld.form.from_widgets import fields_from_widgets, strip_widgets
from acromeld.form.writer import apply_fields
from acromeld.pdf.source import Source, load_source

if TYPE_CHECKING:
    from acromeld.fields import FieldKind, PageFields

TOLERANCE = 0.05


@dataclass(frozen=True)
class Outcome:
    """What became of one file: pages and fields compared, worst box error in points, first failure."""

    pages: int = 0
    fields: int = 0
    worst: float = 0.0
    failure: str | None = None


def round_trip(path: Path) -> Outcome:
    """Take one file there and back."""
    try:
        source = load_source(path)
        truth = fields_from_widgets(source)
        bare = Source(strip_widgets(source), source.name)
        if any(page.fields for page in fields_from_widgets(bare).pages):
            return Outcome(failure="widgets left after stripping")
        written = apply_fields(bare, parse_document(readdressed(truth, bare).to_json()))
        again = fields_from_widgets(Source(written.data, source.name))
    except AcromeldError as error:
        return Outcome(failure=str(error))
    return compare(truth, again)


def readdressed(fields: DocumentFields, bare: Source) -> DocumentFields:
    """The same fields, for the stripped file."""
    return fields.model_copy(update={"document": DocumentRef(name=bare.name, sha256=bare.sha256)})


def compare(truth: DocumentFields, again: DocumentFields) -> Outcome:
    """Hold what came back against what went in, page by page."""
    if len(truth.pages) != len(again.pages):
        return Outcome(failure="number of pages changed")
    worst, failure = 0.0, None
    for before, after in zip(truth.pages, again.pages, strict=True):
        error = page_error(before, after)
        worst = max(worst, error)
        if error > TOLERANCE and failure is None:
            failure = f"page {before.page.index + 1}: {describe(before, after, error)}"
    fields = sum(len(page.fields) for page in truth.pages)
    return Outcome(len(truth.pages), fields, worst if np.isfinite(worst) else 0.0, failure)


def page_error(before: PageFields, after: PageFields) -> float:
    """Largest coordinate difference between the fields of two pages; infinite when the fields differ."""
    if before.page != after.page or kinds(before) != kinds(after):
        return float("inf")
    return max((kind_error(before, after, kind) for kind in KINDS), default=0.0)


def kind_error(before: PageFields, after: PageFields, kind: FieldKind) -> float:
    """Both sides keep their order, so the boxes of a kind are compared one to one."""
    boxes = [[field.box for field in page.fields if field.kind is kind] for page in (before, after)]
    gaps = np.abs(np.reshape(boxes[0], (-1, 4)) - np.reshape(boxes[1], (-1, 4)))
    return float(gaps.max(initial=0.0))


def kinds(page: PageFields) -> Counter[FieldKind]:
    """How many fields of each kind."""
    return Counter(field.kind for field in page.fields)


def describe(before: PageFields, after: PageFields, error: float) -> str:
    """A few words on what differs."""
    if np.isfinite(error):
        return f"a box moved by {error:.3f} pt"
    counts = [
        ", ".join(f"{count} {kind}" for kind, count in sorted(kinds(page).items()))
        for page in (before, after)
    ]
    return f"{counts[0] or 'nothing'} became {counts[1] or 'nothing'}"


def report(console: Console, outcomes: dict[Path, Outcome]) -> int:
    """Print the table and the failures; gives the exit code."""
    failures = {path: outcome.failure for path, outcome in outcomes.items() if outcome.failure}
    table = Table("files", "pages", "fields", "worst box error", "failures")
    table.add_row(
        str(len(outcomes)),
        str(sum(outcome.pages for outcome in outcomes.values())),
        str(sum(outcome.fields for outcome in outcomes.values())),
        f"{max((outcome.worst for outcome in outcomes.values()), default=0.0):.5f} pt",
        str(len(failures)),
    )
    console.print(table)
    for path, failure in failures.items():
        console.print(f"{path.name}: {failure}", markup=False, highlight=False)
    return 1 if failures or not outcomes else 0


def main() -> int:
    """Command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("corpus", type=Path, help="folder with PDF forms; searched to any depth")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="take N files, evenly spread")
    options = parser.parse_args()
    paths = sorted(options.corpus.rglob("*.pdf"))
    if options.sample:
        paths = paths[:: max(1, len(paths) // options.sample)][: options.sample]
    console = Console()
    quiet = not console.is_terminal
    outcomes = {path: round_trip(path) for path in track(paths, "Round trip", console=console, disable=quiet)}
    return report(console, outcomes)


if __name__ == "__main__":
    sys.exit(main())
