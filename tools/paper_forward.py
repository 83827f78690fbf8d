# SPDX-License-Identifier: Apache-2.0
"""Runs the paper's contract as it is registered, with random weights, and prints time and memory.

    python tools/paper_forward.py [FILE.pdf] [--threads 1] [--reduced 640 448]

Forward of one page on each of the three canvases: the fullest page of FILE.pdf, or of a few generated forms.
Then, on a reduced canvas, forward and backward of a page with 849 targets, of a page without structure, of an
empty page, and of a batch of all three. Memory is the most the process ever held.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from acromeld.corpus.synth.document import generate
from acromeld.detect.acromeld.canvas import Placement, draw
from acromeld.detect.acromeld.inputs import PageInputs, Structure, read_tokens, token_boxes
from acromeld.geometry import Letterbox
from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import Targets, page_batch
from acromeld.model.contract import PAPER
from acromeld.pdf.document import open_document
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page
from acromeld.train.loss import total_loss

READING = PAPER.runtime
DENSEST = 849
"""Fields of the fullest page of the paper's corpus."""


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reduced", type=int, nargs=2, default=(640, 448), metavar=("H", "W"))
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    page = fullest_page([given.file.read_bytes()] if given.file else made_forms(given.seed))
    tokens = len(read_tokens(page, READING))
    print(f"page of {page.width:.0f} x {page.height:.0f} pt, {tokens} tokens; {given.threads} thread(s)")
    model = AcroMeld(PAPER)
    canvases = PAPER.canvases
    for canvas in (canvases.portrait, canvases.landscape, canvases.square):
        forward(model, on_canvas(page, canvas))
    small = tuple(given.reduced)
    dense = (on_canvas(page, small), made_targets("dense", DENSEST, given.seed))
    scan = (on_canvas(page, small, Structure.NONE), made_targets("without structure", 20, given.seed))
    empty = (blank(small), made_targets("empty", 0, given.seed))
    for pages in ([dense], [scan], [empty], [dense, scan, empty]):
        backward(model, pages)


def made_forms(seed: int) -> list[bytes]:
    return [generate(seed, index).data for index in range(8)]


def fullest_page(files: list[bytes]) -> Page:
    """The page with the most primitives."""
    best: Page | None = None
    for data in files:
        with open_document(data) as document:
            for index in range(len(document)):
                page = document.read_page(index, READING.needs)
                if best is None or primitives(page) > primitives(best):
                    best = page
    assert best is not None
    return best


def primitives(page: Page) -> int:
    return 0 if page.primitives is None else len(page.primitives)


def on_canvas(page: Page, canvas: tuple[int, int], structure: Structure = Structure.USABLE) -> PageInputs:
    """The page on a canvas that need not be the one for its shape."""
    size = (page.width, page.height)
    place = Placement(size, canvas, Letterbox.fit(size, (canvas[1], canvas[0])))
    tokens = read_tokens(page, READING, structure)
    return PageInputs(draw(page.raster, place, READING.channels), tokens, token_boxes(tokens, place), place)


def blank(canvas: tuple[int, int]) -> PageInputs:
    """A page on which nothing is drawn."""
    return on_canvas(Page(0, PageFrame((0.0, 0.0, 612.0, 792.0))), canvas)


def made_targets(name: str, count: int, seed: int) -> Targets:
    """Fields of every class all over the page, small enough for hundreds."""
    rng = np.random.default_rng(seed)
    centre, size = rng.uniform(0.05, 0.95, (count, 2)), rng.uniform(0.005, 0.05, (count, 2))
    boxes = torch.from_numpy(np.concatenate([centre, size], axis=1).astype(np.float32))
    return Targets(name, boxes, torch.from_numpy(rng.integers(0, 3, count)))


def forward(model: AcroMeld, inputs: PageInputs) -> None:
    batch = page_batch([inputs])
    with measured(f"forward {inputs.place.canvas}"), torch.no_grad():
        output = model.eval()(batch.images, batch.tokens)
    assert all(torch.isfinite(part).all() for part in (output.final.logits, output.final.boxes, output.link))


def backward(model: AcroMeld, pages: list[tuple[PageInputs, Targets]]) -> None:
    batch = page_batch([inputs for inputs, _ in pages], tuple(targets for _, targets in pages))
    told = " + ".join(f"{targets.page} ({len(targets)} targets)" for _, targets in pages)
    model.train().zero_grad()
    with measured(f"forward and backward {pages[0][0].place.canvas}, {told}"):
        loss = total_loss(model(batch.images, batch.tokens, batch.targets), batch)
        loss.total.backward()
    assert all(part.grad is None or torch.isfinite(part.grad).all() for part in model.parameters())
    print("    " + "  ".join(f"{name} {value:.3f}" for name, value in loss.floats().items()), flush=True)


@contextmanager
def measured(what: str) -> Iterator[None]:
    """Prints wall-clock and processor seconds, and the most memory held so far."""
    wall, processor = time.perf_counter(), time.process_time()
    yield
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2
    print(f"{what}: {wall:.1f} s ({processor:.1f} s of processor), {held:.2f} GiB", flush=True)


if __name__ == "__main__":
    main()
