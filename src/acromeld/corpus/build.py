# SPDX-License-Identifier: Apache-2.0
"""Building the index: a folder and its manifest in, one unsealed SQLite file out.

Files are read in order of content hash, in this process or in a few, and everything that follows works on
sorted data, so the content depends on the files and the settings alone.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import repeat
from typing import TYPE_CHECKING, NamedTuple

from acromeld.corpus import groups, scan
from acromeld.corpus.manifest import Entry, read_manifest
from acromeld.corpus.roles import (
    DEFAULT_SALT,
    DEFAULT_SHARES,
    LARGEST_GROUP,
    Group,
    assign_roles,
)
from acromeld.corpus.schema import SCHEMA
from acromeld.corpus.tables import CorpusTables
from acromeld.errors import IntegrityError, OutputProblem
from acromeld.provenance.digests import canonical_json, sha256_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from acromeld.corpus.groups import Grouping
    from acromeld.corpus.roles import Shares
    from acromeld.corpus.scan import DocumentScan
    from acromeld.corpus.tables import BuildReport

    Progress = Callable[[int, int], None]


class Part(NamedTuple):
    """A folder of PDFs and the manifest that lists them."""

    folder: Path
    manifest: Path


def build_index(
    folder: Path,
    manifest: Path,
    out: Path,
    *,
    synthetic: Part | tuple[Path, Path] | None = None,
    synthetic_structure: bool = False,
    shares: Shares = DEFAULT_SHARES,
    salt: str = DEFAULT_SALT,
    workers: int = 1,
    progress: Progress | None = None,
) -> BuildReport:
    """Read a corpus into a new, unsealed index.

    Args:
        folder: Real forms.
        manifest: Lists them; a listed file must be there and have the listed hash.
        out: The index; refused when it exists.
        synthetic: Generated forms, folder and manifest; they all get the role train-synthetic.
        synthetic_structure: Whether the structure of synthetic pages counts. The paper's does not: they
            take the visual-only path.
        shares: Share of real pages each role is due.
        salt: Changes the draw of roles.
        workers: Processes that read files.
        progress: Called with documents read and documents in all.
    """
    if out.exists():
        raise OutputProblem(f"{out} already exists; an index is never overwritten.")
    real = Part(folder, manifest)
    made = Part(*synthetic) if synthetic else None
    listed = read_manifest(manifest)
    generated = read_manifest(made.manifest) if made else ()
    _refuse_shared_content(listed, generated)
    count = _Progress(len(listed) + len(generated), progress)
    corpus = _real_corpus(real, listed, shares, salt, workers, count)
    if made:
        scans = _scan_all(made.folder, generated, synthetic_structure, workers, count)
        corpus.add_synthetic(generated, scans)
    manifests = [sha256_file(part.manifest) for part in (real, made) if part]
    corpus.meta |= _settings(manifests, shares, salt, synthetic_structure)
    return corpus.write(out)


def _refuse_shared_content(real: Sequence[Entry], made: Sequence[Entry]) -> None:
    shared = {entry.sha256 for entry in real} & {entry.sha256 for entry in made}
    if shared:
        raise IntegrityError(f"{min(shared)} is listed as a real and as a synthetic document.")


class _Progress:
    """Counts documents over both parts of the corpus."""

    def __init__(self, total: int, report: Progress | None) -> None:
        self._total, self._done, self._report = total, 0, report

    def step(self) -> None:
        self._done += 1
        if self._report:
            self._report(self._done, self._total)


def _scan_all(
    folder: Path, entries: Sequence[Entry], with_content: bool, workers: int, count: _Progress
) -> list[DocumentScan]:
    read = partial(scan.scan_document, with_content=with_content)
    files = [entry.file for entry in entries]
    scans = []
    for entry, found in zip(entries, _run(read, folder, files, workers), strict=True):
        _check_file(entry, found)
        scans.append(found)
        count.step()
    return scans


def _run(
    read: Callable[[Path, str], DocumentScan], folder: Path, files: list[str], workers: int
) -> Iterator[DocumentScan]:
    if workers <= 1:
        yield from map(read, repeat(folder), files)
        return
    with ProcessPoolExecutor(workers) as pool:
        yield from pool.map(read, repeat(folder), files, chunksize=8)


def _check_file(entry: Entry, found: DocumentScan) -> None:
    if not found.sha256:
        raise IntegrityError(f"{entry.file} is in the manifest but not in the folder, or cannot be read.")
    if found.sha256 != entry.sha256:
        raise IntegrityError(f"{entry.file} is not the file of the manifest: its content hash differs.")


def _real_corpus(
    part: Part, entries: tuple[Entry, ...], shares: Shares, salt: str, workers: int, count: _Progress
) -> CorpusTables:
    scans = _scan_all(part.folder, entries, True, workers, count)
    readable = [found for found in scans if not found.problem]
    grouping = groups.group_documents(
        {entry.sha256: entry.group for entry in entries}, groups.near_duplicates(readable)
    )
    roles = assign_roles(_sizes(readable, grouping), shares, salt)
    return CorpusTables(entries, scans, grouping, roles)


def _sizes(scans: Sequence[DocumentScan], grouping: Grouping) -> list[Group]:
    pages: Counter[str] = Counter()
    signed: set[str] = set()
    for found in scans:
        name = grouping.group[found.sha256]
        pages[name] += len(found.pages)
        if any(kind == "signature" for page in found.pages for kind, _ in page.widgets):
            signed.add(name)
    return [Group(name, pages[name], name in signed) for name in sorted(pages)]


def _settings(manifests: list[str], shares: Shares, salt: str, synthetic_structure: bool) -> dict[str, str]:
    return {
        "schema": SCHEMA,
        "salt": salt,
        "shares": canonical_json({str(role): share for role, share in shares.items()}),
        "largest_group": str(LARGEST_GROUP),
        "text_similarity": str(groups.TEXT_SIMILARITY),
        "text_shingles": str(scan.MIN_SHINGLES),
        "layout_similarity": str(groups.LAYOUT_SIMILARITY),
        "layout_widgets": str(groups.LAYOUT_WIDGETS),
        "synthetic_structure": str(int(synthetic_structure)),
        "manifests": canonical_json(manifests),
    }
