# SPDX-License-Identifier: Apache-2.0
"""``acromeld predict``: every candidate of a role as hash-bound shards."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from acromeld.cli.console import page_progress, say_notes
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import InputNotFound
from acromeld.evaluate.inference import candidate_pages, declare_run, discard_unfinished
from acromeld.evaluate.scanned import OnScans
from acromeld.evaluate.sharding import assign, write_shard
from acromeld.evaluate.truth import role_pages

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]


def predict(
    index: Path,
    /,
    *,
    role: Role,
    pdf: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    detector: str = DEFAULT,
    weights: Path | None = None,
    rank: Annotated[int, Parameter(validator=validators.Number(gte=0))] = 0,
    ranks: Count = 1,
    sample: Count | None = None,
    seed: int = 0,
    scanned: Annotated[bool, Parameter(negative="")] = False,
    crooked: Annotated[float, Parameter(validator=validators.Number(gte=0, lte=10))] = 0.0,
) -> int:
    """Run a detector over the pages of a role and keep every candidate above 0.01.

    Args:
        index: A sealed index.
        role: Whose pages.
        pdf: Folder of the PDFs.
        output: Folder for the shards; made when missing, shards are written once.
        detector: Which detector.
        weights: Use the weights of this file instead of the shipped ones.
        rank: Which share of the documents this process takes, counted from 0.
        ranks: How many shares there are.
        sample: Only so many pages, drawn by hash with the seed.
        seed: Of the sample.
        scanned: Show the detector a poor scan of every page: a degraded picture and nothing else.
        crooked: Degrees by which these scans lie askew at the most, drawn for each page.
    """
    if rank >= ranks:
        raise InputNotFound(f"There is no rank {rank} of {ranks}; ranks are counted from 0.")
    if not pdf.is_dir():
        raise InputNotFound(f"{pdf} is not a folder.")
    finder = load_detector(detector, weights)
    if crooked and not scanned:
        raise InputNotFound("Only scans lie askew: --crooked goes with --scanned.")
    if scanned:
        finder = OnScans(finder, crooked)
    with open_index(index) as opened:
        pages = role_pages(opened, role, sample, seed)
        files = {row.sha256: row.file for row in opened.documents(role)}
        digest = opened.digest
    output.mkdir(parents=True, exist_ok=True)
    declare_run(
        output, index=digest, role=role, detector=finder.ref, pages=pages, sample=sample, seed=seed,
        scanned=scanned, crooked=crooked,
    )  # fmt: skip
    discard_unfinished(output, rank)
    mine = {sha256: pages[sha256] for sha256 in assign(pages, rank, ranks)}
    notes: list[str] = []
    with page_progress("Finding candidates") as progress:
        found = candidate_pages(finder, pdf, files, mine, told=notes.append, progress=progress)
        header = write_shard(output, rank, ranks, found, finder.ref)
    say_notes(notes)
    reader = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print(
        f"{output / header.file}: {header.pages:,} pages of {len(header.documents):,} documents, "
        f"{header.pages_per_second:.2f} pages/s, peak memory {header.peak_memory_bytes / 1e6:.0f} MB "
        f"(reader {reader / 1e6:.0f} MB), sha256 {header.sha256}."
    )
    return 0
