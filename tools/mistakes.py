# SPDX-License-Identifier: Apache-2.0
"""What a detector gets wrong, by cause, and a random sample of it to look at.

    python tools/mistakes.py PREDICTIONS INDEX CORPUS --point POINT.json [--role development]
                             [--draw OUT_FOLDER] [--sample 60] [--seed 20261115]

Counts false and missed fields under the native criterion. ``--draw`` cuts out a sample of the false fields
where the author has nothing, and one of the missed fields where the detector has nothing: the mistake red,
labels green, other found fields blue. The pictures are of other people's forms: OUT_FOLDER must lie outside
the repository. Internal test is refused: whoever looks at its mistakes can no longer report on it.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.adapters import NATIVE, compare
from acromeld.evaluate.matching import UNMATCHED, greedy_match
from acromeld.evaluate.points import read_point
from acromeld.evaluate.sources import read_sources
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.fields import KINDS
from acromeld.geometry import overlap
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from acromeld.evaluate.adapters import Comparison
    from acromeld.fields import OperatingPoint
    from acromeld.geometry import Boxes, Floats

ROOT = Path(__file__).resolve().parent.parent
TOUCHES = 0.05
ROLES = (Role.TRAIN_REAL, Role.DEVELOPMENT, Role.CALIBRATION)
LONG_SIDE, COLUMNS, ROWS = 1600, 4, 5
CUT = (330.0, 170.0)
"""Points of the page around a mistake."""


@dataclass(frozen=True)
class Mistake:
    """A false or a missed field.

    Attributes:
        cause: Why it is one, as counted.
        box: Where, ``(4,)`` displayed points.
        page: Where.
        others: ``(n, 4)`` the other fields found there.
    """

    cause: str
    box: Floats
    page: Comparison
    others: Boxes

    @property
    def alone(self) -> bool:
        """Whether the other side has nothing at this place."""
        return "nothing" in self.cause


def mistakes_of(page: Comparison, point: OperatingPoint) -> Iterator[Mistake]:
    """The mistakes of a page at an operating point."""
    candidates, targets = page.predicted.candidates, page.targets
    chosen = page.predicted.select(point)[: NATIVE.cap]
    match = greedy_match(page.pairs, chosen, NATIVE.measure, NATIVE.threshold)
    found, kind = candidates.box[chosen], candidates.kind[chosen]
    shared = overlap(found, targets.box)
    for row in np.flatnonzero(match == UNMATCHED).tolist():
        cause = _cause(shared[row], targets.kind, int(kind[row]), "the author")
        where = "false on a page without fields" if not len(targets) else f"false {KINDS[kind[row]].value}"
        yield Mistake(f"{where}: {cause}", found[row], page, np.delete(found, row, axis=0))
    for row in sorted(set(range(len(targets))) - set(match.tolist())):
        cause = _cause(shared[:, row], kind, int(targets.kind[row]), "the detector")
        if "nothing" in cause:
            cause += _heard(candidates.score[overlap(candidates.box, targets.box[[row]])[:, 0] >= 0.5])
        yield Mistake(f"missed {KINDS[targets.kind[row]].value}: {cause}", targets.box[row], page, found)


def _cause(shared: Floats, kinds: Sequence[int] | np.ndarray, kind: int, other: str) -> str:
    """What the other side has at the place of a field: shares of overlap ``(n,)`` and classes ``(n,)``."""
    if not len(shared) or shared.max() < TOUCHES:
        return f"{other} has nothing there"
    if shared.max() >= NATIVE.threshold:
        other_class = kinds[int(shared.argmax())] != kind
        return "another class" if other_class else "taken by a neighbour"
    return "barely touches"


def _heard(score: Floats) -> str:
    best = float(score.max(initial=0.0))
    return ", no candidate" if best == 0 else f", best candidate {'under' if best < 0.3 else 'over'} 0.3"


def drawn(mistakes: Sequence[Mistake], folder: Path, files: dict[str, str], out: Path, name: str) -> None:
    """Sheets of cut-outs, numbered in order."""
    tiles = [cut_out(number, mistake, folder, files) for number, mistake in enumerate(mistakes, 1)]
    width, height = tiles[0].size
    for first in range(0, len(tiles), COLUMNS * ROWS):
        sheet = Image.new("RGB", (COLUMNS * width, ROWS * height), "white")
        for place, tile in enumerate(tiles[first : first + COLUMNS * ROWS]):
            sheet.paste(tile, (place % COLUMNS * width, place // COLUMNS * height))
        sheet.save(out / f"{name}-{first // (COLUMNS * ROWS) + 1}.png")


def cut_out(number: int, mistake: Mistake, folder: Path, files: dict[str, str]) -> Image.Image:
    """The page around a mistake."""
    page = mistake.page.targets
    with open_document(folder / files[page.document]) as document:
        raster = document.read_page(page.index, PageNeeds(LONG_SIDE, primitives=False)).raster
    assert raster is not None
    picture = Image.fromarray(raster.pixels).convert("RGB")
    scale = picture.width / page.width
    pen = ImageDraw.Draw(picture)
    for boxes, colour in ((page.box, "green"), (mistake.others, "blue"), (mistake.box[None], "red")):
        for x0, y0, x1, y1 in np.asarray(boxes, dtype=float) * scale:
            pen.rectangle((x0, y0, x1, y1), outline=colour, width=3 if colour == "red" else 2)
    middle = (mistake.box[:2] + mistake.box[2:]) / 2 * scale
    half = np.array(CUT) / 2 * scale
    tile = picture.crop((*np.round(middle - half).astype(int), *np.round(middle + half).astype(int)))
    tile = tile.resize((480, round(480 * CUT[1] / CUT[0])))
    ImageDraw.Draw(tile).text((4, 2), str(number), fill="red")
    return tile


def _order(mistake: Mistake, seed: int) -> bytes:
    place = (mistake.page.targets.key, mistake.box.round(2).tolist())
    return hashlib.sha256(f"{seed}:{place}".encode()).digest()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("predictions", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("corpus", type=Path, help="folder of the PDFs")
    parser.add_argument("--point", type=Path, required=True)
    parser.add_argument("--role", type=Role, choices=ROLES, default=Role.DEVELOPMENT)
    parser.add_argument("--draw", type=Path)
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--seed", type=int, default=20261115)
    given = parser.parse_args()
    if given.draw and given.draw.resolve().is_relative_to(ROOT):
        raise SystemExit("Pictures of other people's forms stay outside the repository.")
    with open_index(given.index) as index:
        targets = role_targets(index, role_pages(index, given.role))
        files = {row.sha256: row.file for row in index.documents(given.role)}
    found = read_sources([given.predictions]).pages
    point = read_point(given.point)
    everything = [mistake for page in compare(found, targets) for mistake in mistakes_of(page, point)]
    for cause, count in sorted(Counter(mistake.cause for mistake in everything).items()):
        print(f"{count:6,}  {cause}")
    if given.draw:
        given.draw.mkdir(parents=True, exist_ok=True)
        for name in ("false", "missed"):
            lone = [each for each in everything if each.alone and each.cause.startswith(name)]
            lone.sort(key=lambda each: _order(each, given.seed))
            drawn(lone[: given.sample], given.corpus, files, given.draw, name)
            print(f"{min(given.sample, len(lone))} of {len(lone):,} {name} alone drawn in {given.draw}.")


if __name__ == "__main__":
    main()
