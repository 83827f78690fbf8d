# SPDX-License-Identifier: Apache-2.0
"""How even fields are: as the detector places them, tidied as users get them, and as authors place theirs.

    python tools/neatness.py PREDICTIONS INDEX CORPUS --point POINT.json [--role development]

Three things a person sees at once. Pairs of text fields whose tops and bottoms differ by less than three
points stand in one row: how many differ at all, by more than a third of a point? How many fields to write
into have printed words under them? How many fields overlap others? And, so that tidying is not at the cost of
truth, how well matched fields agree with the author's. Internal test is refused, as by tools/mistakes.py.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.adapters import NATIVE, compare
from acromeld.evaluate.matching import UNMATCHED, greedy_match
from acromeld.evaluate.points import read_point
from acromeld.evaluate.sources import read_sources
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.fields import KINDS, FieldKind
from acromeld.form.describe.clearing import TOUCH, printed_words
from acromeld.form.describe.tidying import tidied_boxes
from acromeld.geometry import iou
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds, Primitives
from mistakes import ROLES

if TYPE_CHECKING:
    import numpy.typing as npt

    from acromeld.geometry import Boxes, Floats

    Index = npt.NDArray[np.intp]

TEXT, CHOICE = KINDS.index(FieldKind.TEXT), KINDS.index(FieldKind.CHOICE)
ROW, UNEVEN = 3.0, 0.33


@dataclass
class Look:
    """What was counted of one way to place fields."""

    fields: int = 0
    overlapping: int = 0
    written: int = 0
    on_words: int = 0
    pairs: int = 0
    uneven: int = 0
    agreement: list[Floats] = field(default_factory=list)

    def add(self, box: Boxes, kind: Index, words: Boxes) -> None:
        """Count the fields of a page: boxes ``(n, 4)``, kinds ``(n,)``, boxes of words ``(m, 4)``."""
        written = box[kind != CHOICE]
        self.fields += len(box)
        self.overlapping += int(_shares(box, box, itself=False).any(axis=1).sum())
        self.written += len(written)
        self.on_words += int(_shares(written, words).any(axis=1).sum())
        texts = box[kind == TEXT]
        apart = np.abs(texts[:, None, 1::2] - texts[None, :, 1::2]).max(axis=2, initial=0.0)
        first, second = np.triu_indices(len(texts), k=1)
        apart = apart[first, second]
        self.pairs += int((apart < ROW).sum())
        self.uneven += int(((apart < ROW) & (apart > UNEVEN)).sum())

    def told(self, name: str) -> str:
        """One line of the table."""
        agreement = np.concatenate(self.agreement) if self.agreement else np.ones(0)
        close = f"{agreement.mean():.4f}  {(agreement >= 0.75).mean():.4f}" if len(agreement) else "-"
        return (
            f"{name:10}  {self.uneven / max(self.pairs, 1):6.1%} of {self.pairs:,}  "
            f"{self.on_words / max(self.written, 1):5.1%} of {self.written:,}  "
            f"{self.overlapping / max(self.fields, 1):5.1%} of {self.fields:,}  {close}"
        )


def _shares(a: Boxes, b: Boxes, *, itself: bool = True) -> npt.NDArray[np.bool_]:
    """Which pairs share a visible patch, ``(len(a), len(b))``; none with itself unless ``itself``."""
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    shares = np.asarray(((high - low) > TOUCH).all(axis=2))
    if not itself:
        np.fill_diagonal(shares, val=False)
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("predictions", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path, help="folder of the PDFs")
    parser.add_argument("--point", type=Path, required=True)
    parser.add_argument("--role", type=Role, choices=ROLES, default=Role.DEVELOPMENT)
    given = parser.parse_args()
    with open_index(given.index) as index:
        targets = role_targets(index, role_pages(index, given.role))
        files = {row.sha256: row.file for row in index.documents(given.role)}
    point = read_point(given.point)
    found, tidy, author = Look(), Look(), Look()
    for page in compare(read_sources([given.predictions]).pages, targets):
        truth, candidates = page.targets, page.predicted.candidates
        with open_document(given.corpus / files[truth.document]) as document:
            printed = document.read_page(truth.index, PageNeeds()).primitives or Primitives()
        words = printed_words(printed.words)
        chosen = page.predicted.select(point)[: NATIVE.cap]
        match = greedy_match(page.pairs, chosen, NATIVE.measure, NATIVE.threshold)
        hit = match != UNMATCHED
        box, kind = candidates.box[chosen], candidates.kind[chosen]
        for look, placed in ((found, box), (tidy, tidied_boxes(box, kind == CHOICE, printed))):
            look.add(placed, kind, words)
            look.agreement.append(np.diagonal(iou(placed[hit], truth.box[match[hit]])))
        author.add(truth.box, truth.kind, words)
    print(f"{'':10}  uneven in a row   on words          on others         IoU, from 0.75 on")
    for name, look in (("detector", found), ("tidied", tidy), ("author", author)):
        print(look.told(name))


if __name__ == "__main__":
    main()
