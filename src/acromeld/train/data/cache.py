# SPDX-License-Identifier: Apache-2.0
"""The page cache: every page read once, in parallel, and opened in milliseconds ever after.

One ``.npz`` file per document, uncompressed for grey pages, so that a page costs a seek and a copy. A build
that was stopped goes on where it was; ``cache.json``, written last, lists pages and file digests and is bound
to the sealed index and to those parts of the model contract that decide what a page looks like.
"""

from __future__ import annotations

import io
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.fields import KINDS
from acromeld.form.output import write_atomically
from acromeld.pdf.pdfium import start_afresh
from acromeld.provenance.digests import sha256_file, sha256_object
from acromeld.provenance.records import json_bytes, read_json
from acromeld.train.data.experts import expert_for, experts_digest, load_expert
from acromeld.train.data.reading import TruePage, read_records
from acromeld.train.data.record import PageRecord, from_arrays, to_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from acromeld.corpus.index import DocumentRow, SealedIndex
    from acromeld.detect.acromeld.contract import RuntimeContract
    from acromeld.model.contract import ModelContract

SCHEMA = "acromeld.page-cache/1"
LIST = "cache.json"
_SETS = {"visual_queries", "structure_queries", "free_queries"}
_ANSWERS = _SETS | {"name", "page_evidence", "evidence_scores", "signing"}
"""Fields of a runtime contract that say nothing about how pages are read."""


@dataclass(frozen=True)
class CachedPage:
    """One row of the cache: who the page is, its size in points, and its fields by class."""

    document: str
    page: int
    role: Role
    group: str
    width: float
    height: float
    fields: tuple[int, int, int]
    tokens: int

    @property
    def key(self) -> tuple[str, int]:
        """Identity of the page."""
        return self.document, self.page


@dataclass(frozen=True)
class _Job:
    source: Path
    target: Path
    document: DocumentRow
    pages: tuple[TruePage, ...]
    contract: RuntimeContract
    expert: Path | None
    pictures_only: bool


def input_digest(contract: ModelContract) -> str:
    """Digest of the contract's input side; widths and depths may differ between users of one cache."""
    return sha256_object(contract.runtime.model_dump(mode="json", exclude=_ANSWERS))


class PageCache:
    """Read access to a finished cache; rows are numbered in order of role, document and page."""

    def __init__(self, folder: Path, record: dict[str, Any]) -> None:
        self.folder = folder
        self.index: str = record["index"]
        self.digest: str = record["digest"]
        self.inputs: str = record["inputs"]
        self.experts: str | None = record.get("experts")
        self.pictures_only: bool = record["pictures_only"]
        self.pages = [_row(values) for values in record["pages"]]

    def __len__(self) -> int:
        return len(self.pages)

    def rows(self, *roles: Role) -> list[int]:
        """Numbers of the pages with one of the roles."""
        return [number for number, page in enumerate(self.pages) if page.role in roles]

    def read(self, row: int, *, raster: bool = True) -> PageRecord:
        """The record of a page, with or without its picture."""
        page = self.pages[row]
        with np.load(_place(self.folder, page.document), allow_pickle=False) as arrays:
            return from_arrays(arrays, page.page, raster=raster)


def open_cache(folder: Path, *, contract: ModelContract | None = None, verify: bool = True) -> PageCache:
    """Open a finished cache.

    Args:
        folder: Where it was built.
        contract: The model to be trained; a cache made for other inputs is refused.
        verify: Recompute the digest of every file, about a second per gigabyte.
    """
    if not (folder / LIST).is_file():
        raise InputNotFound(f"{folder} is not a finished page cache: {LIST} is missing.")
    record = read_json(folder / LIST, schema=SCHEMA)
    if record.get("digest") != _digest(record):
        raise IntegrityError(f"{folder / LIST} was changed: its digest is not that of its content.")
    if contract is not None and record["inputs"] != input_digest(contract):
        raise IntegrityError(f"{folder} was made for other canvases or tokens than {contract.name} has.")
    if verify:
        _verify(folder, record["files"])
    return PageCache(folder, record)


def build_cache(
    index_path: Path,
    pdf: Path,
    out: Path,
    *,
    roles: Sequence[Role],
    contract: ModelContract,
    experts: Path | None = None,
    pictures_only: bool = False,
    workers: int = 1,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> PageCache:
    """Read every page of the roles, or go on with a build that was stopped.

    Args:
        index_path: The sealed index.
        pdf: Folder with its documents.
        out: Folder to make.
        roles: What to read.
        contract: Decides canvas, colour and tokens.
        experts: Folder of a cross-fitted FFGBT (see `experts`), for contracts with opinions.
        pictures_only: Leave structure out, which takes most of the time and the raster branch does not need.
        workers: Processes.
        limit: So many documents of each role at the most, for rehearsals.
        progress: Told pages done and pages in all.
    """
    (out / "documents").mkdir(parents=True, exist_ok=True)
    with open_index(index_path) as index:
        head: dict[str, Any] = {"schema": SCHEMA, "index": index.digest, "inputs": input_digest(contract)}
        head["pictures_only"] = pictures_only
        if experts is not None:
            head["experts"] = experts_digest(experts)
        _claim(out, head)
        jobs = [
            replace(job, pictures_only=pictures_only)
            for role in roles
            for job in _jobs(index, role, pdf, out, contract.runtime, experts)[:limit]
        ]
    rows, files = _run(jobs, workers, progress)
    return close_cache(out, head, rows, files)


def close_cache(out: Path, head: dict[str, Any], rows: list[list[Any]], files: dict[str, str]) -> PageCache:
    """Write the list that makes the files of a folder a cache.

    Args:
        out: The folder.
        head: Schema, index, inputs, and whether it holds pictures only.
        rows: Values of `CachedPage`, in order.
        files: Digest of the file of each document.
    """
    record = {**head, "pages": rows, "files": files}
    record["digest"] = _digest(record)
    write_atomically(json_bytes(record), out / LIST, overwrite=True)
    return PageCache(out, record)


def _claim(out: Path, head: dict[str, Any]) -> None:
    """A half-built cache may only be continued for the same index and the same inputs."""
    place = out / "for.json"
    if not place.exists():
        write_atomically(json_bytes(head), place, overwrite=False)
    elif read_json(place) != head:
        raise IntegrityError(f"{out} holds a cache for another index or other model inputs.")


def _jobs(
    index: SealedIndex, role: Role, pdf: Path, out: Path, contract: RuntimeContract, experts: Path | None
) -> list[_Job]:
    pages: dict[str, list[TruePage]] = {}
    for row in index.pages(role):
        widgets = index.widgets(row.sha256, row.page)
        boxes = np.array([widget.box for widget in widgets], dtype=np.float32).reshape(-1, 4)
        labels = np.array([KINDS.index(widget.kind) for widget in widgets], dtype=np.int64)
        pages.setdefault(row.sha256, []).append(TruePage(row.page, row.width, row.height, boxes, labels))
    return [
        _Job(
            pdf / row.file,
            _place(out, row.sha256),
            row,
            tuple(pages.get(row.sha256, ())),
            contract,
            experts and expert_for(row, experts),
            pictures_only=False,
        )
        for row in index.documents(role)
    ]


def _place(folder: Path, sha256: str) -> Path:
    return folder / "documents" / f"{sha256}.npz"


def _run(
    jobs: list[_Job], workers: int, progress: Callable[[int, int], None]
) -> tuple[list[list[Any]], dict[str, str]]:
    """Rows and file digests of all jobs, in their order whoever finishes first."""
    total, done = sum(len(job.pages) for job in jobs), 0
    rows: list[list[Any]] = []
    files: dict[str, str] = {}
    for job, (found, digest) in zip(jobs, _results(jobs, workers), strict=True):
        rows += found
        files[job.document.sha256] = digest
        done += len(job.pages)
        progress(done, total)
    return rows, files


def _results(jobs: list[_Job], workers: int) -> Iterable[tuple[list[list[Any]], str]]:
    if workers <= 1:
        yield from map(_make, jobs)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(_make, jobs)


def _make(job: _Job) -> tuple[list[list[Any]], str]:
    """Write the file of a document unless it is there, and describe it."""
    beside = job.target.with_suffix(".json")
    if not (job.target.is_file() and beside.is_file()):
        if sha256_file(job.source) != job.document.sha256:
            raise IntegrityError(f"{job.source} is not the file of the index: its content hash differs.")
        arrays: dict[str, Any] = {}
        rows: list[list[Any]] = []
        expert = load_expert(job.expert) if job.expert is not None else None
        start_afresh()
        records = read_records(job.source, job.pages, job.contract, expert, pictures_only=job.pictures_only)
        for truth, record in zip(job.pages, records, strict=True):
            arrays |= to_arrays(record, truth.index)
            rows.append(_values(job.document, truth, record))
        buffer = io.BytesIO()
        # Colour pages are large and mostly white; grey ones are small enough to stay as they are.
        (np.savez_compressed if job.contract.channels == 3 else np.savez)(buffer, **arrays)
        write_atomically(buffer.getvalue(), job.target, overwrite=True)
        write_atomically(json.dumps(rows).encode(), beside, overwrite=True)
    return json.loads(beside.read_bytes()), sha256_file(job.target)


def _values(document: DocumentRow, truth: TruePage, record: PageRecord) -> list[Any]:
    fields = np.bincount(truth.labels, minlength=len(KINDS)).tolist()
    size = (truth.width, truth.height)
    who = (document.sha256, truth.index, str(document.role), document.final_group)
    return [*who, *size, fields, len(record.own)]


def _row(values: list[Any]) -> CachedPage:
    document, page, role, group, width, height, fields, tokens = values
    return CachedPage(document, page, Role(role), group, width, height, tuple(fields), tokens)


def _digest(record: dict[str, Any]) -> str:
    return sha256_object({key: value for key, value in record.items() if key != "digest"})


def _verify(folder: Path, files: dict[str, str]) -> None:
    wrong = [
        name
        for name, digest in files.items()
        if not (place := _place(folder, name)).is_file() or sha256_file(place) != digest
    ]
    if wrong:
        raise IntegrityError(f"{len(wrong)} files of the cache {folder} were changed, {wrong[0]}.npz first.")
