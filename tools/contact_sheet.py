# SPDX-License-Identifier: Apache-2.0
"""A picture of many synthetic pages at once, to look at before calling the generator diverse.

Usage: python tools/contact_sheet.py OUT.png [--seed 1] [--pages 40] [--columns 8] [--width 240] [--boxes]
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2 as pdfium
from PIL import Image, ImageDraw

from acromeld.corpus.synth import PagePlan, generate
from acromeld.fields import FieldKind

if TYPE_CHECKING:
    from collections.abc import Iterator

COLOURS = {
    FieldKind.TEXT: (30, 110, 230),
    FieldKind.CHOICE: (20, 160, 60),
    FieldKind.SIGNATURE: (220, 40, 40),
}
GAP = 8


def pages(seed: int, first: int, width: int, *, boxes: bool, spread: bool) -> Iterator[Image.Image]:
    """Pages of the corpus from document ``first`` on, widgets not drawn; ``spread`` takes one each."""
    for index in itertools.count(first):
        document = generate(seed, index)
        pdf = pdfium.PdfDocument(document.data)
        for number, (page, plan) in enumerate(zip(pdf, document.pages, strict=True)):
            if spread and number != index % len(document.pages):
                continue
            scale = width / max(plan.width, plan.height * 0.77)
            image = page.render(scale=scale, may_draw_forms=False, draw_annots=False).to_pil().convert("RGB")
            yield outlined(image, plan, scale) if boxes else image
        pdf.close()


def outlined(image: Image.Image, plan: PagePlan, scale: float) -> Image.Image:
    """The page with its controls outlined in the colour of their class."""
    draw = ImageDraw.Draw(image)
    for spec in plan.controls:
        draw.rectangle(tuple(side * scale for side in spec.box), outline=COLOURS[spec.control.kind], width=1)
    return image


def contact_sheet(images: list[Image.Image], columns: int, width: int) -> Image.Image:
    """The pages in rows on a grey ground."""
    cell = (width + GAP, int(width / 0.72) + GAP)
    rows = -(-len(images) // columns)
    sheet = Image.new("RGB", (columns * cell[0] + GAP, rows * cell[1] + GAP), (120, 124, 130))
    for number, image in enumerate(images):
        image.thumbnail((width, cell[1] - GAP))
        row, column = divmod(number, columns)
        sheet.paste(image, (GAP + column * cell[0], GAP + row * cell[1]))
    return sheet


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    for name, value in (("seed", 1), ("pages", 40), ("first", 0), ("columns", 8), ("width", 240)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--boxes", action="store_true", help="outline the fields by class")
    parser.add_argument("--spread", action="store_true", help="one page of each document")
    parser.add_argument("--palette", type=int, default=0, help="reduce to so many colours, for a small file")
    args = parser.parse_args()
    made = pages(args.seed, args.first, args.width, boxes=args.boxes, spread=args.spread)
    found = list(itertools.islice(made, args.pages))
    sheet = contact_sheet(found, args.columns, args.width)
    (sheet.quantize(args.palette) if args.palette else sheet).save(args.out, optimize=True)


if __name__ == "__main__":
    main()
