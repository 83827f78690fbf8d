# SPDX-License-Identifier: Apache-2.0
"""Speed and memory on real pages, always as a ratio to something measured in the same run.

    python tools/bench.py FOLDER [--pages 300]      (make bench CORPUS=FOLDER)

- structure extraction (words, shapes, tokens, derived evidence) against rendering the same page to a
  1440 x 2048 grey canvas, both from a cold page;
- ``import acromeld`` in a fresh interpreter, against starting the interpreter;
- ``acromeld recover`` on the two-page sample form, from shell to finished file;
- peak memory of reading and detecting on the page with the most primitives, and over a long document.
"""

from __future__ import annotations

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pypdfium2
from rich.console import Console
from rich.table import Table

from acromeld.detect.acromeld.weights import shipped_file
from acromeld.geometry import Letterbox
from acromeld.pdf.document import open_document, read_primitives
from acromeld.pdf.page import PageNeeds
from acromeld.pdf.raster import render
from acromeld.pdf.source import load_source, open_pikepdf, page_frame
from acromeld.structure.evidence import derive_evidence
from acromeld.structure.tokens import page_tokens

SAMPLE = Path(__file__).parent.parent / "examples" / "application.pdf"
CANVAS = (1440, 2048)
PEAK = """
import resource, sys
import acromeld
for name in sys.argv[1:]:
    acromeld.detect(name, isolated=False)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", type=int, default=300)
    given = parser.parse_args()
    files = sorted(given.folder.rglob("*.pdf"))
    if not files:
        parser.error(f"no PDF in {given.folder}")
    table = Table("what", "measured", box=None)
    structure_against_render(files, given.pages, table)
    table.add_row("import acromeld", f"{import_milliseconds():.0f} ms above starting Python")
    table.add_row("recover, two-page form", f"{recover_seconds():.2f} s from shell to finished file")
    memory(sorted({file for file, _ in sample_pages(files, given.pages)}), table)
    table.add_row("weights of the default detector", f"{weights_megabytes():.1f} MB  (bar: 25)")
    Console().print(table)


def structure_against_render(files: list[Path], count: int, table: Table) -> None:
    """Both timed from an unloaded page, alternating, so that neither gains from the other's caches."""
    ratios, renders, structures = [], [], []
    for file, index in sample_pages(files, count):
        source = load_source(file)
        with open_pikepdf(source) as objects:
            frame = page_frame(objects.pages[index])
        document = pypdfium2.PdfDocument(source.data)
        rendering = timed(lambda: draw(document, index, frame))  # noqa: B023
        structure = timed(lambda: extract(document, index, frame))  # noqa: B023
        document.close()
        renders.append(rendering)
        structures.append(structure)
        ratios.append(structure / rendering)
    table.add_row("pages", str(len(ratios)))
    table.add_row("rendering, median", f"{statistics.median(renders) * 1000:.1f} ms")
    table.add_row("structure, median", f"{statistics.median(structures) * 1000:.1f} ms")
    table.add_row("structure / rendering, median of ratios", f"{statistics.median(ratios):.2f}  (bar: 3)")


def draw(document: pypdfium2.PdfDocument, index: int, frame) -> None:
    page = document[index]
    render(page, frame, Letterbox.fit((frame.width, frame.height), CANVAS).scale)
    page.close()


def extract(document: pypdfium2.PdfDocument, index: int, frame) -> None:
    page = document[index]
    primitives, _ = read_primitives(page, frame)
    page.close()
    page_tokens(primitives, frame.width, frame.height)
    derive_evidence(primitives, frame.width, frame.height)


def timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def sample_pages(files: list[Path], count: int) -> list[tuple[Path, int]]:
    """At most ``count`` pages, at most three of a file, the same ones every time."""
    chosen: list[tuple[Path, int]] = []
    shuffler = random.Random(12345)
    for file in shuffler.sample(files, len(files)):
        pages = len(pypdfium2.PdfDocument(file))
        chosen += [(file, index) for index in shuffler.sample(range(pages), min(pages, 3))]
        if len(chosen) >= count:
            break
    return chosen[:count]


def import_milliseconds() -> float:
    """Median of five, interpreter start taken off."""
    with_import = [timed(lambda: run_python("import acromeld")) for _ in range(5)]
    without = [timed(lambda: run_python("pass")) for _ in range(5)]
    return 1000 * (statistics.median(with_import) - statistics.median(without))


def run_python(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return done.stdout


def recover_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "acromeld", "recover", str(SAMPLE), "-o"]
        runs = [
            timed(lambda: subprocess.run([*command, f"{folder}/{n}.pdf"], check=True, capture_output=True))  # noqa: B023
            for n in range(3)
        ]
    return statistics.median(runs)


def memory(files: list[Path], table: Table) -> None:
    """Peak resident memory of fresh interpreters that detect in process."""
    fullest, most = fullest_page(files)
    table.add_row(
        "peak memory, fullest page", f"{peak_megabytes(fullest):.0f} MB  ({most:,} primitives; bar: 700)"
    )
    with tempfile.TemporaryDirectory() as folder:
        long = Path(folder) / "long.pdf"
        repeat_pages(SAMPLE, 300, long)
        table.add_row("peak memory, sample form", f"{peak_megabytes(SAMPLE):.0f} MB")
        table.add_row("peak memory, 300 such pages", f"{peak_megabytes(long):.0f} MB")


def weights_megabytes() -> float:
    """Everything in the package that was trained and that the default detector reads."""
    return shipped_file().stat().st_size / 1e6


def peak_megabytes(file: Path) -> float:
    return float(run_python(PEAK, str(file))) / 1024


def fullest_page(files: list[Path]) -> tuple[Path, int]:
    best, most = files[0], 0
    for file in files:
        with open_document(file) as document:
            for index in range(len(document)):
                primitives = document.read_page(index, PageNeeds()).primitives
                if primitives is not None and len(primitives) > most:
                    best, most = file, len(primitives)
    return best, most


def repeat_pages(sample: Path, count: int, target: Path) -> None:
    with open_pikepdf(load_source(sample)) as objects:
        pages = list(objects.pages)
        while len(objects.pages) < count:
            objects.pages.append(pages[len(objects.pages) % len(pages)])
        objects.save(target)


if __name__ == "__main__":
    main()
