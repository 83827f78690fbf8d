# SPDX-License-Identifier: Apache-2.0
"""Predictions as a user names them: files of lines, or folders of hash-bound shards, of one system."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acromeld.errors import BadFields, InputNotFound, IntegrityError
from acromeld.evaluate.inference import RUN, read_run
from acromeld.evaluate.report_data import read_pages
from acromeld.evaluate.sharding import read_headers, read_shards
from acromeld.provenance.digests import sha256_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.evaluate.pages import PageKey, PredictedPage
    from acromeld.evaluate.sharding import ShardHeader


@dataclass(frozen=True)
class Predictions:
    """All pages of one system and where they came from.

    Attributes:
        pages: By document hash and page index.
        files: Every file that was read, with its digest.
        headers: Headers of the shards, empty for plain files.
        run: What the shards were declared to be; none for plain files and for folders of several runs.
        runs: Every declaration there is, also of shards that were named as files.
    """

    pages: dict[PageKey, PredictedPage]
    files: dict[Path, str]
    headers: tuple[ShardHeader, ...] = ()
    run: dict[str, Any] | None = None
    runs: tuple[dict[str, Any], ...] = ()

    @property
    def detectors(self) -> set[str]:
        """Names and weights of the systems that made the lines."""
        refs = {page.detector for page in self.pages.values() if page.detector is not None}
        return {f"{ref.name} {ref.weights or ''}".strip() for ref in refs}

    @property
    def scanned(self) -> bool:
        """Whether the detector saw poor scans of the pages instead of the pages."""
        return any(run.get("scanned") for run in self.runs)

    def check_about(self, index: str, role: str) -> None:
        """Whatever is declared must be about this role of this index."""
        if any((run["index"], run["role"]) != (index, role) for run in self.runs):
            raise IntegrityError("The shards were predicted for another index or role than the one named.")


def read_sources(paths: Sequence[Path]) -> Predictions:
    """Read everything named; all of it must be by one system, and no page may come twice."""
    if not paths:
        raise InputNotFound("Name at least one file of prediction lines or folder of shards.")
    parts = [_folder(path) if path.is_dir() else _file(path) for path in paths]
    merged = parts[0]
    for part in parts[1:]:
        if merged.pages.keys() & part.pages.keys():
            raise BadFields("Two of the prediction files hold the same page; give one system at a time.")
        merged = Predictions(
            merged.pages | part.pages,
            merged.files | part.files,
            merged.headers + part.headers,
            merged.run if merged.run == part.run else None,
            merged.runs + part.runs,
        )
    if len({(run.get("scanned", False), run.get("crooked", 0.0)) for run in merged.runs}) > 1:
        raise BadFields("Some of the pages were shown as they are and others as poor scans, or more askew.")
    if len(merged.detectors) > 1:
        raise BadFields(f"The lines are by several systems ({', '.join(sorted(merged.detectors))}).")
    return merged


def _folder(folder: Path) -> Predictions:
    headers = tuple(read_headers(folder))
    names = [
        name for header in headers for name in (header.file, Path(header.file).with_suffix(".json").name)
    ]
    run = read_run(folder) if (folder / RUN).exists() else None
    files = {folder / name: sha256_file(folder / name) for name in names + [RUN] * (run is not None)}
    return Predictions(read_shards(folder), files, headers, run, _declared(folder))


def _declared(folder: Path) -> tuple[dict[str, Any], ...]:
    return (read_run(folder),) if (folder / RUN).exists() else ()


def _file(path: Path) -> Predictions:
    if not path.is_file():
        raise InputNotFound(f"{path} does not exist.")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    is_shard = path.with_suffix(".json").is_file()
    return Predictions(read_pages(path), {path: before}, runs=_declared(path.parent) if is_shard else ())
