# SPDX-License-Identifier: Apache-2.0
"""Inference over a corpus in shards, one per rank, each bound by hash.

A shard is a file of candidate lines and a header beside it that says what the lines are: their SHA-256, the
documents they cover, the detector, throughput and peak memory. Analysis after the freeze starts with
`read_shards`, `check_sources` and `check_counts`, and stops if anything differs from what was sealed.
"""

from __future__ import annotations

import hashlib
import json
import resource
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError, OutputProblem
from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.candidate_lines import candidate_line, read_candidates

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping

    from acromeld.evaluate.counts import Counts
    from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage
    from acromeld.fields import DetectorRef, OperatingPoint

SCHEMA = "acromeld.shard/1"


@dataclass(frozen=True)
class ShardHeader:
    """What a shard holds and how it was made."""

    rank: int
    ranks: int
    file: str
    sha256: str
    documents: tuple[str, ...]
    pages: int
    detector: dict[str, Any]
    seconds: float
    pages_per_second: float
    peak_memory_bytes: int
    schema: str = SCHEMA


def assign(documents: Iterable[str], rank: int, ranks: int) -> list[str]:
    """The documents of one rank: every ``ranks``-th of the sorted hashes, whoever asks and in which order."""
    if not 0 <= rank < ranks:
        raise ValueError(f"rank {rank} of {ranks}")
    return sorted(set(documents))[rank::ranks]


def write_shard(
    folder: str | os.PathLike[str],
    rank: int,
    ranks: int,
    pages: Iterable[PredictedPage],
    detector: DetectorRef,
) -> ShardHeader:
    """Write pages as they come, then the header last; neither replaces a file that is there."""
    lines = Path(folder) / f"shard-{rank:03d}.jsonl"
    digest, documents, count = hashlib.sha256(), set[str](), 0
    began = time.perf_counter()
    try:
        with lines.open("xb") as stream:
            for page in pages:
                line = candidate_line(page).encode() + b"\n"
                stream.write(line)
                digest.update(line)
                documents.add(page.document)
                count += 1
    except FileExistsError:
        raise OutputProblem(f"{lines} is there already; shards are written once.") from None
    seconds = time.perf_counter() - began
    header = ShardHeader(
        rank,
        ranks,
        lines.name,
        digest.hexdigest(),
        tuple(sorted(documents)),
        count,
        detector.model_dump(mode="json", exclude_none=True),
        round(seconds, 3),
        round(count / seconds, 3) if seconds else 0.0,
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    )
    with lines.with_suffix(".json").open("x") as stream_text:
        stream_text.write(json.dumps(asdict(header), indent=1) + "\n")
    return header


def read_headers(folder: str | os.PathLike[str]) -> list[ShardHeader]:
    """The headers of a complete set of shards, by rank."""
    headers = []
    for path in sorted(Path(folder).glob("shard-*.json")):
        try:
            headers.append(ShardHeader(**json.loads(path.read_bytes())))
        except (ValueError, TypeError) as error:
            raise IntegrityError(f"{path.name} is not a shard header: {error}.") from None
    ranks = headers[0].ranks if headers else 0
    if [header.rank for header in headers] != list(range(ranks)) or not headers:
        raise IntegrityError(f"{folder} does not hold a complete set of shards.")
    if any(header.ranks != ranks or header.detector != headers[0].detector for header in headers):
        raise IntegrityError(f"The shards in {folder} belong to different runs.")
    return headers


def read_shards(folder: str | os.PathLike[str]) -> dict[PageKey, PredictedPage]:
    """All pages of a complete set of shards whose bytes are those that were sealed."""
    pages: dict[PageKey, PredictedPage] = {}
    for header in read_headers(folder):
        path = Path(folder) / header.file
        if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != header.sha256:
            raise IntegrityError(f"{header.file} is not the file its header was written for.")
        shard = read_candidates(path)
        if {document for document, _ in shard} != set(header.documents) or len(shard) != header.pages:
            raise IntegrityError(f"{header.file} does not hold the documents its header lists.")
        if shard.keys() & pages.keys():
            raise IntegrityError(f"{header.file} repeats pages of another shard.")
        pages |= shard
    return pages


def check_sources(headers: Iterable[ShardHeader], documents: Collection[str]) -> None:
    """The shards must cover exactly the source documents (by content hash)."""
    covered = {document for header in headers for document in header.documents}
    missing, foreign = set(documents) - covered, covered - set(documents)
    if missing or foreign:
        raise IntegrityError(
            f"Shards and sources differ: {len(missing)} documents have no predictions,"
            f" {len(foreign)} predicted documents are not among the sources."
        )


def check_counts(
    predicted: Mapping[PageKey, PredictedPage],
    targets: Mapping[PageKey, TargetPage],
    point: OperatingPoint,
    sealed: Counts,
) -> None:
    """Native micro counts computed again must be the sealed ones."""
    found = total(score_page(page, NATIVE, point) for page in compare(predicted, targets)).counts()
    if found != sealed:
        raise IntegrityError(f"The sealed counts are {sealed}, but the shards give {found}.")
