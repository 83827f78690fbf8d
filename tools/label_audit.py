# SPDX-License-Identifier: Apache-2.0
"""Pages of a role with their labels drawn, to be looked at and graded: how good is the truth we score by?

    python tools/label_audit.py draw INDEX.sqlite PDF_FOLDER OUT_FOLDER [--sample 100] [--seed 20261115]
    python tools/label_audit.py draw INDEX.sqlite PDF_FOLDER OUT_FOLDER --again 20
    python tools/label_audit.py record INDEX.sqlite GRADES.csv RECORD.jsonl [--sample 100] [--seed 20261115]
    python tools/label_audit.py summary RECORD.jsonl INDEX.sqlite

``draw`` shows each page as detectors see it (widgets not drawn), the labels outlined by class: text blue, choice
green, signature red; the strip above has the number of the page and its counts. ``--again`` draws part of the
sample a second time, in another order and under other numbers, for a second look that does not lean on the first.
The pictures are of other people's forms: OUT_FOLDER must lie outside the repository.

GRADES.csv is what the grader wrote, one row a page: number, grade, how many blanks, unseen, doubled, misplaced and
misclassed, and the reason; ``again`` is the grade of the second look where there was one. ``record`` turns the
numbers into documents and pages, and ``summary`` counts what docs/label-audit.md says.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.geometry import overlap
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from acromeld.evaluate.pages import PageKey, TargetPage

ROOT = Path(__file__).resolve().parent.parent
FILLS = ((205, 222, 255), (190, 245, 200), (255, 205, 205))
OUTLINES = ((110, 150, 255), (80, 205, 110), (255, 90, 90))
DOT = (250, 130, 0)
LONG_SIDE, STRIP = 1220, 26
DOUBLED = 0.9
NEAR, CONTRAST = 3.0, 18
"""Points around a side within which a printed line belongs to it, and the least change of tone (of 255)."""


def sampled(index: Path, pages: int, seed: int) -> list[TargetPage]:
    """The declared sample of the internal-test role, in order of document and page."""
    with open_index(index) as opened:
        rows = role_pages(opened, Role.INTERNAL_TEST, pages, seed)
        return list(role_targets(opened, rows).values())


def shuffled(pages: list[TargetPage], seed: int) -> list[TargetPage]:
    """Another order of the same pages, the same on every machine."""
    return sorted(pages, key=lambda page: hashlib.sha256(f"again:{seed}:{page.key}".encode()).digest())


def doubled(page: TargetPage) -> int:
    """Labels that share nearly all of the smaller box with an earlier one."""
    pairs = np.triu(overlap(page.box, page.box) >= DOUBLED, k=1)
    return int(pairs.any(axis=0).sum())


def picture(page: TargetPage, folder: Path, title: str) -> Image.Image:
    """The page without widgets, its labels over it, and a strip above that says which and how many."""
    with open_document(folder / f"{page.document}.pdf") as document:
        needs = PageNeeds(raster_long_side=LONG_SIDE, colour=True, primitives=False)
        raster = document.read_page(page.index, needs).raster
    if raster is None:
        raise SystemExit(f"Page {page.index + 1} of {page.document} cannot be drawn.")
    boxes = page.box * raster.scale
    image, bare = Image.fromarray(raster.pixels), bare_labels(raster.pixels.mean(axis=2), boxes, raster.scale)
    return under_strip(
        labelled(image, boxes, page.kind, bare), f"{title}   {counts(page)}  bare {bare.sum()}"
    )


def labelled(image: Image.Image, boxes: np.ndarray, kinds: np.ndarray, bare: np.ndarray) -> Image.Image:
    """Labels multiplied onto the page, so that what is printed below them stays black; a dot for bare ones."""
    colour = Image.new("RGB", image.size, (255, 255, 255))
    draw = ImageDraw.Draw(colour)
    for box, kind in zip(boxes, kinds, strict=True):
        draw.rectangle(tuple(box), fill=FILLS[kind], outline=OUTLINES[kind])
    shown = ImageChops.multiply(image, colour)
    draw = ImageDraw.Draw(shown)
    for x0, y0, x1, y1 in boxes[bare]:
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        draw.ellipse((x - 3, y - 3, x + 3, y + 3), fill=DOT)
    return shown


def bare_labels(grey: np.ndarray, boxes: np.ndarray, scale: float) -> np.ndarray:
    """Labels, ``(n,)``, with no printed line or change of ground along half of any of their sides.

    Only a hint of where to look twice: a gap after printed words is bare, too, and yet asks to be filled.
    """
    return np.array([not any(map(has_edge, sides(grey, box, NEAR * scale))) for box in boxes], dtype=bool)


def sides(grey: np.ndarray, box: np.ndarray, near: float) -> list[np.ndarray]:
    """The bands along the four sides, each with the side running across the columns."""
    x0, y0, x1, y1 = np.round(box).astype(int)
    reach = max(2, round(near))
    across, down = grey[:, max(x0, 0) : x1 + 1], grey[max(y0, 0) : y1 + 1, :].T
    bands = [(across, y0), (across, y1), (down, x0), (down, x1)]
    return [part[max(at - reach, 0) : max(at + reach + 1, 1)] for part, at in bands]


def has_edge(band: np.ndarray) -> bool:
    """Whether the tone changes at one row of the band along half of its length."""
    if band.shape[0] < 2 or not band.shape[1]:
        return False
    return bool(((np.abs(np.diff(band, axis=0)) > CONTRAST).mean(axis=1) >= 0.5).any())


def counts(page: TargetPage) -> str:
    """Labels of each class, and how many lie on another."""
    text, choice, signature = np.bincount(page.kind, minlength=3)
    return f"text {text}  choice {choice}  signature {signature}  doubled {doubled(page)}"


def under_strip(image: Image.Image, title: str) -> Image.Image:
    """The picture below a grey strip with a title."""
    whole = Image.new("RGB", (image.width, image.height + STRIP), (225, 225, 225))
    whole.paste(image, (0, STRIP))
    ImageDraw.Draw(whole).text((6, 4), title, fill=(0, 0, 0), font_size=16)
    return whole


def draw(args: argparse.Namespace) -> None:
    """Write the pictures."""
    if args.out.resolve().is_relative_to(ROOT):
        raise SystemExit("The pictures show other people's forms: name a folder outside the repository.")
    args.out.mkdir(parents=True, exist_ok=True)
    pages = sampled(args.index, args.sample, args.seed)
    name = "page"
    if args.again:
        pages, name = shuffled(pages, args.seed)[: args.again], "again"
    for number, page in enumerate(pages, 1):
        picture(page, args.pdf, f"{name} {number}").save(args.out / f"{name}-{number:03}.png")
    print(f"{len(pages)} pages of {len({page.document for page in pages})} documents in {args.out}.")


def main() -> None:
    """Parse the arguments and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("draw")
    for name in ("index", "pdf", "out"):
        drawing.add_argument(name, type=Path)
    drawing.add_argument("--again", type=int, default=0)
    drawing.set_defaults(run=draw)
    for command in (drawing,):
        command.add_argument("--sample", type=int, default=100)
        command.add_argument("--seed", type=int, default=20261115)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    main()
