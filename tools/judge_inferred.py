# SPDX-License-Identifier: Apache-2.0
"""How much of a form's structure can be read off its picture: inferred primitives against native widgets.

Usage: ``python tools/judge_inferred.py CORPUS_DIR [--files N] [--degrade]``. Pages are drawn without their
widgets. Counted are choice widgets with an inferred mark on them (IoU >= 0.3) and text widgets with a rule
along their lower edge (within 4 pt) or rules on two or more sides.
"""

from __future__ import annotations

import argparse
import io
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pikepdf
import pypdfium2 as pdfium
from PIL import Image, ImageFilter

from acromeld.fields import FieldKind
from acromeld.geometry import iou
from acromeld.pdf.page import Primitives, Raster, ShapeKind
from acromeld.pdf.source import page_frame
from acromeld.pdf.widgets import page_widgets
from acromeld.structure.inferred import infer_primitives

CANVAS = (1440, 2048)
DRAWING: list[float] = []
"""Milliseconds that drawing each page took, the yardstick for the time of inference."""


def draw(page: pdfium.PdfPage) -> Raster:
    """The page in grey, as large as fits the canvas, without annotations."""
    scale = min(CANVAS[0] / page.get_width(), CANVAS[1] / page.get_height())
    bitmap = page.render(scale=scale, grayscale=True, draw_annots=False, may_draw_forms=False)
    return Raster(bitmap.to_numpy().reshape(bitmap.height, bitmap.width), scale)


def degrade(raster: Raster, seed: int) -> Raster:
    """Blur, tinted and unevenly lit paper, noise and JPEG, as a cheap scanner leaves them."""
    rng = np.random.default_rng(seed)
    picture = Image.fromarray(raster.pixels).rotate(
        rng.uniform(-0.3, 0.3), Image.Resampling.BILINEAR, fillcolor=255
    )
    grey = np.asarray(picture.filter(ImageFilter.GaussianBlur(0.8)), dtype=np.float32)
    light = np.linspace(rng.uniform(0.85, 0.97), rng.uniform(0.85, 0.97), grey.shape[1])
    noisy = (25 + 0.9 * grey) * light + rng.normal(0, 5, grey.shape)
    packed = io.BytesIO()
    Image.fromarray(np.clip(noisy, 0, 255).astype(np.uint8)).save(packed, "JPEG", quality=60)
    return Raster(np.asarray(Image.open(packed)), raster.scale)


def choice_found(box: np.ndarray, found: Primitives) -> np.ndarray:
    """Which choice boxes have a mark, or failing that a blob, on them; two rows of flags."""
    shapes = found.shapes
    mark = ((shapes.kind == ShapeKind.RECT) & ~shapes.filled) | (shapes.kind == ShapeKind.PATH)
    hits = [iou(box, other).max(axis=1, initial=0) >= 0.3 for other in (shapes.box[mark], found.words.box)]
    return np.stack([hits[0], hits[0] | hits[1]])


def ruled_sides(box: np.ndarray, found: Primitives) -> np.ndarray:
    """For each box, which of its four sides has a rule within 4 pt along half of it."""
    lines = found.shapes.box[found.shapes.kind == ShapeKind.LINE]
    fills = found.shapes.box[found.shapes.filled]
    fills = np.concatenate(
        [fills[:, [0, 1, 2, 1]], fills[:, [0, 3, 2, 3]], fills[:, [0, 1, 0, 3]], fills[:, [2, 1, 2, 3]]]
    )
    lines = np.concatenate([lines, fills])
    sides = []
    for side in range(4):
        along = 1 - side % 2
        level = (lines[:, side % 2] + lines[:, side % 2 + 2]) / 2
        flat = lines[:, side % 2 + 2] - lines[:, side % 2] == 0
        near = flat & (np.abs(level[None] - box[:, side, None]) <= 4)
        shared = np.minimum(lines[None, :, along + 2], box[:, along + 2, None]) - np.maximum(
            lines[None, :, along], box[:, along, None]
        )
        covered = (near * np.maximum(shared, 0)).sum(axis=1)
        sides.append(covered >= 0.5 * (box[:, along + 2] - box[:, along]))
    return np.stack(sides, axis=1)


def pages(path: Path) -> Iterator[tuple[int, Raster, dict[FieldKind, np.ndarray]]]:
    """Index, picture and native boxes by kind of the first pages with widgets."""
    drawn = pdfium.PdfDocument(path)
    with pikepdf.open(path) as pdf:
        for index, page in enumerate(pdf.pages[:3]):
            widgets = page_widgets(page, page_frame(page)).widgets
            if widgets:
                kinds = {
                    k: np.array([w.box for w in widgets if w.kind is k]).reshape(-1, 4) for k in FieldKind
                }
                before = time.process_time()
                raster = draw(drawn[index])
                DRAWING.append(1e3 * (time.process_time() - before))
                yield index, raster, kinds


def judge(path: Path, worsen: bool, tally: dict[str, list[float]]) -> None:
    """Add one file's pages to the tally."""
    for index, raster, kinds in pages(path):
        raster = degrade(raster, index) if worsen else raster
        before = time.process_time()
        found = infer_primitives(raster)
        tally["milliseconds"].append(1e3 * (time.process_time() - before))
        tally["shapes"].append(len(found.shapes))
        tally["words"].append(len(found.words))
        mark, blob = choice_found(kinds[FieldKind.CHOICE], found)
        tally["choice: mark"] += mark.tolist()
        tally["choice: mark or blob"] += blob.tolist()
        walls = ruled_sides(kinds[FieldKind.CHOICE], found).sum(axis=1)
        tally["choice: mark, blob or three ruled sides"] += (blob | (walls >= 3)).tolist()
        ruled = ruled_sides(kinds[FieldKind.TEXT], found)
        tally["text: rule below"] += ruled[:, 3].tolist()
        tally["text: rule below or two sides"] += (ruled[:, 3] | (ruled.sum(axis=1) >= 2)).tolist()
        shapes = found.shapes
        marks = shapes.box[
            ((shapes.kind == ShapeKind.RECT) & ~shapes.filled) | (shapes.kind == ShapeKind.PATH)
        ]
        every = np.concatenate(list(kinds.values()))
        tally["mark on any widget"] += (iou(marks, every).max(axis=1, initial=0) >= 0.3).tolist()


def main() -> None:
    """Judge a sample of the corpus and print shares as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--degrade", action="store_true")
    options = parser.parse_args()
    files = sorted(options.corpus.rglob("*.pdf"))
    names = (
        "choice: mark",
        "choice: mark or blob",
        "choice: mark, blob or three ruled sides",
        "text: rule below",
        "text: rule below or two sides",
        "mark on any widget",
        "milliseconds",
        "shapes",
        "words",
    )
    tally: dict[str, list[float]] = {name: [] for name in names}
    for path in files[:: max(1, len(files) // options.files)]:
        try:
            judge(path, options.degrade, tally)
        except (pdfium.PdfiumError, pikepdf.PdfError) as error:
            print(f"{path.name[:12]}: {error}")
    report = {name: [round(float(np.mean(v)), 4), len(v)] for name, v in tally.items() if v}
    report["milliseconds"] = [round(float(np.percentile(tally["milliseconds"], q)), 1) for q in (50, 95, 100)]
    ratio = np.array(tally["milliseconds"]) / np.maximum(DRAWING[: len(tally["milliseconds"])], 0.1)
    report["time over drawing, median"] = [round(float(np.median(ratio)), 2)]
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
