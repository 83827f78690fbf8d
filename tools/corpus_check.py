# SPDX-License-Identifier: Apache-2.0
"""Runs detection over a folder of forms with their widgets removed, and measures what the candidates cover.

    python tools/corpus_check.py FOLDER [--sample N] [--detector rules]

Every file is stripped of its widgets, read in a disposable process and detected. Prints how many files ended
how, pages/s, notes by kind, and the recall of the derived evidence (before any scoring) against the native
widgets of pages with structure: any class, overlap >= 0.3, and IoU >= 0.5 beside it. Exits 1 on a crash.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import AcromeldError
from acromeld.fields import KINDS
from acromeld.form.from_widgets import fields_from_widgets, strip_widgets
from acromeld.geometry import as_boxes, iou, overlap
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.source import load_source
from acromeld.structure.availability import structure_available
from acromeld.structure.evidence import derive_evidence


class Tally:
    """What is counted on the way."""

    def __init__(self) -> None:
        self.ends: Counter[str] = Counter()
        self.notes: Counter[str] = Counter()
        self.pages = self.fields = 0
        self.seconds = 0.0
        self.covered = np.zeros((len(KINDS), 3), dtype=int)
        self.evidence: list[int] = []


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--detector", default=DEFAULT)
    given = parser.parse_args()
    files = sorted(given.folder.rglob("*.pdf"))
    if given.sample:
        files = random.Random(0).sample(files, given.sample)
    tally = Tally()
    detector = load_detector(given.detector)
    with IsolatedReader() as reader:
        for file in track(files, "Checking", console=Console(stderr=True)):
            check(file, reader, detector, tally)
    report(tally, given.detector)
    sys.exit(1 if tally.ends["crash"] else 0)


def check(file: Path, reader: IsolatedReader, detector, tally: Tally) -> None:
    """One file; whatever is not one of our own errors counts as a crash."""
    try:
        source = load_source(file)
        native = {page.page.index: page.fields for page in fields_from_widgets(source).pages}
        flat = replace(source, data=strip_widgets(source))
        started = time.perf_counter()
        document = reader.open(flat)
        for page in document.pages(detector.needs):
            (candidates,) = detector.detect([page])
            tally.fields += len(candidates)
            tally.pages += 1
            tally.notes.update(re.sub(r"\d+", "N", note) for note in page.notes)
            cover(page, native.get(page.index, ()), tally)
        tally.seconds += time.perf_counter() - started
        tally.notes.update(re.sub(r"\S+\.pdf", "FILE", note) for note in document.facts.notes)
        tally.ends["done"] += 1
    except AcromeldError as error:
        tally.ends[f"refused ({type(error).__name__})"] += 1
    except Exception as error:
        tally.ends["crash"] += 1
        print(f"{file.name}: {type(error).__name__}: {error}", file=sys.stderr)


def cover(page, native, tally: Tally) -> None:
    """Count the native fields of a page with structure that some piece of evidence covers."""
    if not structure_available(page):
        return
    evidence = derive_evidence(page.primitives, page.width, page.height)
    tally.evidence.append(len(evidence))
    boxes = as_boxes([field.box for field in native])
    loose = overlap(evidence.box, boxes).max(0, initial=0.0) >= 0.3
    tight = iou(evidence.box, boxes).max(0, initial=0.0) >= 0.5
    for field, a, b in zip(native, loose, tight, strict=True):
        tally.covered[KINDS.index(field.kind)] += (1, a, b)


def report(tally: Tally, detector: str) -> None:
    console = Console()
    ends = Table("how files ended", "count", box=None)
    for end, count in tally.ends.most_common():
        ends.add_row(end, str(count))
    console.print(ends)
    rate = tally.pages / max(tally.seconds, 1e-9)
    console.print(f"{tally.pages} pages, {rate:.1f} pages/s with {detector} (read in another process)")
    for note, count in tally.notes.most_common():
        console.print(f"  {count} x {note}", highlight=False)
    table = Table("evidence recall", "fields", "overlap >= 0.3", "IoU >= 0.5", box=None)
    for kind, (count, loose, tight) in zip(KINDS, tally.covered, strict=True):
        if count:
            table.add_row(kind.value, f"{count:,}", f"{loose / count:.4f}", f"{tight / count:.4f}")
    console.print(table)
    console.print(f"evidence per page: median {np.median(tally.evidence):.0f}, most {max(tally.evidence)}")


if __name__ == "__main__":
    main()
