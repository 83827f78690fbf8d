# SPDX-License-Identifier: Apache-2.0
"""Pages of a role with their labels drawn, to be looked at and graded: how good is the truth we score by?

    python tools/label_audit.py draw INDEX PDF_FOLDER OUT_FOLDER [--sample 100] [--seed 20261115] [--again 20]
    python tools/label_audit.py record INDEX GRADES.csv RECORD.jsonl --grader "WHO" [--again AGAIN.csv]
    python tools/label_audit.py summary INDEX RECORD.jsonl

``draw`` shows each page as detectors see it (widgets not drawn), the labels by class: text blue, choice
green, signature red. The strip above has the number of the page and its counts; a dot marks labels without a
printed line or change of ground along any side, to look at twice. ``--again`` draws part of the sample once
more instead, in another order and under other numbers, for a second look. The pictures are of other people's
forms: OUT_FOLDER must lie outside the repository.

GRADES.csv is what the grader wrote, one row a page: number, grade, the counts of
`acromeld.evaluate.label_audit.Faults`, reason. AGAIN.csv needs only number and grade. ``record`` turns
numbers into documents and pages; ``summary`` counts what docs/label-audit.md says.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.evaluate.label_audit import (
    FAULTS,
    AuditedPage,
    Faults,
    Grade,
    LabelAudit,
    ideal_reader,
    read_audit,
    to_lines,
)
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.geometry import overlap
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds

if TYPE_CHECKING:
    from collections.abc import Callable

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
    """Labels multiplied onto the page, so that print below them stays black; a dot on bare ones."""
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


def record(args: argparse.Namespace) -> None:
    """Write the record from the grader's table."""
    pages = sampled(args.index, args.sample, args.seed)
    rows = {int(row["number"]): row for row in table(args.grades)}
    if sorted(rows) != list(range(1, len(pages) + 1)):
        raise SystemExit(f"{args.grades} must grade every page from 1 to {len(pages)} once.")
    second = {
        shuffled(pages, args.seed)[int(row["number"]) - 1].key: Grade(row["grade"])
        for row in (table(args.again) if args.again else [])
    }
    graded = [audited(page, rows[number], second.get(page.key)) for number, page in enumerate(pages, 1)]
    with open_index(args.index) as opened:
        digest = opened.digest
    sample = {"pages": args.sample, "seed": args.seed}
    audit = LabelAudit(digest, str(Role.INTERNAL_TEST), sample, args.grader, {row.key: row for row in graded})
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text("".join(f"{line}\n" for line in to_lines(audit)), encoding="utf-8")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def audited(page: TargetPage, row: dict[str, str], again: Grade | None) -> AuditedPage:
    """A row of the grader's table, checked against the grade it comes with."""
    faults = Faults(**{name: int(row[name]) for name in FAULTS})
    grade = Grade(row["grade"])
    if bool(faults) != (grade in (Grade.NOISY, Grade.MISLEADING)) or (grade is Grade.EMPTY and len(page)):
        raise SystemExit(f"Page {row['number']} is {grade} with {faults} and {len(page)} labels.")
    return AuditedPage(page.document, page.index, grade, faults, row["reason"], again)


def summary(args: argparse.Namespace) -> None:
    """Print grades, faults, what an ideal reader of the print would score, and how the two looks agree."""
    audit = read_audit(args.record)
    with open_index(args.index, digest=audit.index) as opened:
        rows = role_pages(opened, Role(audit.role), audit.sample["pages"], audit.sample["seed"])
        labels = {key: len(page) for key, page in role_targets(opened, rows).items()}
    pages = list(audit.pages.values())
    for grade in Grade:
        print_part(grade, [page for page in pages if page.grade is grade], labels)
    print_part("all", pages, labels)
    for name in FAULTS:
        found = [getattr(page.faults, name) for page in pages]
        print(f"{name:<18} {sum(found):>4} on {sum(map(bool, found)):>2} pages")
    twice = [page for page in pages if page.again is not None]
    print(f"same grade twice: {sum(page.grade is page.again for page in twice)} of {len(twice)}")


def print_part(name: str, pages: list[AuditedPage], labels: dict[PageKey, int]) -> None:
    """One line for the pages of a grade."""
    count = sum(labels[page.key] for page in pages)
    faults = sum((page.faults for page in pages), Faults())
    ideal = ideal_reader(count, faults).as_dict()
    ratios = "  ".join(f"{key} {ideal[key]}" for key in ("tp", "fp", "fn", "f1"))
    size = f"{len(pages):>3} pages {count:>5} labels {faults.missing:>4} blanks without"
    print(f"{name:<11} {size}; ideal reader {ratios}")


def main() -> None:
    """Parse the arguments and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    command(commands, draw, "index", "pdf", "out").add_argument("--again", type=int, default=0)
    recording = command(commands, record, "index", "grades", "out")
    recording.add_argument("--grader", required=True)
    recording.add_argument("--again", type=Path)
    command(commands, summary, "index", "record")
    args = parser.parse_args()
    args.run(args)


def command(commands: argparse._SubParsersAction, run: Callable, *paths: str) -> argparse.ArgumentParser:
    """A command with its paths; all but ``summary`` say which sample, the record knows its own."""
    made = commands.add_parser(run.__name__)
    for path in paths:
        made.add_argument(path, type=Path)
    if run is not summary:
        made.add_argument("--sample", type=int, default=100)
        made.add_argument("--seed", type=int, default=20261115)
    made.set_defaults(run=run)
    return made


if __name__ == "__main__":
    main()
