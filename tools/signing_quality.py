# SPDX-License-Identifier: Apache-2.0
"""What each way to treat places to sign gives and costs, from stored predictions held against native widgets.

    python tools/signing_quality.py PREDICTIONS INDEX CORPUS --point POINT.json [--role development]

Prints aggregate figures only. "bare" are the fields as the decoder gives them, neither joined nor described;
every number of docs/results.md is about those.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import track
from rich.table import Table

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page, total
from acromeld.evaluate.points import read_point
from acromeld.evaluate.predictions import parse_page
from acromeld.evaluate.sources import read_sources
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.fields import KINDS, DetectorRef, FieldKind, OperatingPoint
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.recovery import detect_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from acromeld.detect.candidates import PageCandidates
    from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage
    from acromeld.pdf.document import DocumentFacts
    from acromeld.pdf.page import Page

SIGNED = KINDS.index(FieldKind.SIGNATURE)
EVERYTHING = OperatingPoint(text=0.0, choice=0.0, signature=0.0)


class Stored:
    """A detector that says again what it said when the predictions were made."""

    ref = DetectorRef(name="stored")
    needs = PageNeeds()
    cap = NATIVE.cap

    def __init__(
        self, document: str, found: dict[PageKey, PredictedPage], operating_point: OperatingPoint
    ) -> None:
        self.document, self.found, self.operating_point = document, found, operating_point

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        return [self.found[self.document, page.index].candidates for page in pages]


@dataclass(frozen=True)
class Opened:
    """A document whose pages have been read."""

    facts: DocumentFacts
    read: tuple[Page, ...]

    def pages(self, needs: PageNeeds, indices: Iterable[int] | None = None) -> Iterator[Page]:
        del needs
        return iter(self.read if indices is None else [self.read[index] for index in indices])


def ways(document: Opened, stored: Stored) -> Iterator[tuple[str, dict[PageKey, PredictedPage]]]:
    """The fields of a document in every way."""
    for name in ("bare", *Signatures):
        wish = Signatures(name) if name in set(Signatures) else Signatures.AUTO
        found = detect_pages(document, stored, bare=name == "bare", ocr=Ocr.OFF, signatures=wish)
        pages = [parse_page(line) for line in found.fields.to_lines()]
        yield name, {page.key: page for page in pages}


def row(name: str, found: dict[PageKey, PredictedPage], targets: dict[PageKey, TargetPage]) -> list[str]:
    """A row of the table."""
    pages = compare(found, targets)
    native = total(score_page(page, NATIVE, EVERYTHING) for page in pages)
    strict = total(score_page(page, STRICT, EVERYTHING) for page in pages)
    signed = native.counts(SIGNED)
    shares = [native.counts().f1, strict.counts().f1, signed.f1]
    counts = f"{signed.matched} of {signed.targets}"
    return [name, *(f"{share or 0:.4f}" for share in shares), counts, str(signed.predicted)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("predictions", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--point", type=Path, required=True)
    parser.add_argument("--role", type=Role, default=Role.DEVELOPMENT, choices=list(Role))
    options = parser.parse_args()
    stored, point = read_sources([options.predictions]).pages, read_point(options.point)
    with open_index(options.index) as index:
        targets = role_targets(index, role_pages(index, options.role))
    results: dict[str, dict[PageKey, PredictedPage]] = {}
    for sha256 in track(sorted({sha256 for sha256, _ in targets}), console=Console(stderr=True)):
        with open_document(options.corpus / f"{sha256}.pdf") as file:
            read = tuple(file.read_page(number, PageNeeds()) for number in range(len(file)))
            document = Opened(file.facts, read)
        for name, pages in ways(document, Stored(sha256, stored, point)):
            results.setdefault(name, {}).update(pages)
    titles = ("way", "native F1", "strict F1", "signature F1", "signatures found", "predicted")
    table = Table(*titles, title=f"{options.role}: {len(targets)} pages")
    for name, found in results.items():
        table.add_row(*row(name, found, targets))
    Console().print(table)


if __name__ == "__main__":
    main()
