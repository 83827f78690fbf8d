# SPDX-License-Identifier: Apache-2.0
"""A detector over the documents of a role: every candidate of every page, ready for a shard.

Candidates are kept before decoding, with origin and link, so that every operating point and every suppression
decision can be computed again. Widgets are never drawn: pages come from the reader of the product.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from acromeld.detect.candidates import PageCandidates
from acromeld.errors import AcromeldError, IntegrityError, OutputProblem
from acromeld.evaluate.pages import PredictedPage
from acromeld.pdf.isolation import IsolatedReader
from acromeld.pdf.source import load_source
from acromeld.provenance.digests import sha256_object
from acromeld.provenance.implementation import package_implementation
from acromeld.provenance.records import ensure_bytes, json_bytes, read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from acromeld.corpus.index import PageRow
    from acromeld.detect.candidates import Detector
    from acromeld.fields import DetectorRef

RUN = "prediction-run.json"
SCHEMA = "acromeld.prediction-run/1"


def candidate_pages(
    detector: Detector,
    folder: Path,
    files: Mapping[str, str],
    pages: Mapping[str, Sequence[PageRow]],
    *,
    told: Callable[[str], None] = lambda _: None,
    progress: Callable[[int, int], None] | None = None,
) -> Iterator[PredictedPage]:
    """Candidates page by page; a page or file that cannot be read has none, and ``told`` hears why.

    Args:
        detector: Who finds.
        folder: Where the PDFs lie.
        files: File name of each document by content hash.
        pages: The pages wanted of each document.
        told: Receives notes.
        progress: Called with pages done and pages in all.
    """
    total, done = sum(map(len, pages.values())), 0
    with IsolatedReader() as reader:
        for sha256, rows in pages.items():
            for page in _document(reader, detector, folder / files[sha256], sha256, rows, told):
                yield page
                done += 1
                if progress:
                    progress(done, total)


def _document(
    reader: IsolatedReader,
    detector: Detector,
    path: Path,
    sha256: str,
    rows: Sequence[PageRow],
    told: Callable[[str], None],
) -> Iterator[PredictedPage]:
    source = load_source(path)
    if source.sha256 != sha256:
        raise IntegrityError(f"{path} is not the file of the index: its content hash differs.")
    try:
        document = reader.open(source)
    except AcromeldError as error:
        told(str(error))
        for row in rows:
            yield _page(detector, sha256, row.page, row.width, row.height, PageCandidates.empty())
        return
    for page in document.pages(detector.needs, [row.page for row in rows]):
        for note in page.notes:
            told(f"{path.name}: {note}")
        (found,) = detector.detect([page])
        yield _page(detector, sha256, page.index, page.width, page.height, found)


def _page(
    detector: Detector, sha256: str, index: int, width: float, height: float, found: PageCandidates
) -> PredictedPage:
    return PredictedPage(
        sha256, index, width, height, found, decoded=False, detector=detector.ref, cap=detector.cap
    )


def declare_run(
    folder: Path,
    *,
    index: str,
    role: str,
    detector: DetectorRef,
    pages: Mapping[str, Sequence[PageRow]],
    sample: int | None,
    seed: int,
    scanned: bool = False,
    crooked: float = 0.0,
) -> None:
    """Write what the shards in a folder are about; every rank of a run writes the same record.

    A sample is declared by its size and seed, and by the digest of the pages that these gave. ``scanned``
    says that the detector saw poor scans of the pages, ``crooked`` by how many degrees askew at the most.
    """
    keys = [[row.sha256, row.page] for rows in pages.values() for row in rows]
    record: dict[str, object] = {
        "schema": SCHEMA,
        "index": index,
        "role": role,
        "detector": detector.model_dump(mode="json", exclude_none=True),
        "sample": None if sample is None else {"pages": sample, "seed": seed},
        "pages": len(keys),
        "page_list": sha256_object(keys),
        "implementation": package_implementation().digest,
        "python": sys.version.split()[0],
    }
    if scanned:
        record["scanned"] = True
    if crooked:
        record["crooked"] = crooked
    try:
        ensure_bytes(folder / RUN, json_bytes(record))
    except OutputProblem:
        raise OutputProblem(
            f"{folder} holds predictions of another run (detector, index, sample or code differ)."
        ) from None


def discard_unfinished(folder: Path, rank: int) -> None:
    """Remove the lines of a run that died before their header; nobody can say what they hold."""
    lines = folder / f"shard-{rank:03d}.jsonl"
    if not lines.with_suffix(".json").exists():
        lines.unlink(missing_ok=True)


def read_run(folder: Path) -> dict[str, Any]:
    """The declaration of a folder of shards."""
    return read_json(folder / RUN, schema=SCHEMA)
