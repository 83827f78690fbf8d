# SPDX-License-Identifier: Apache-2.0
"""What the gate keeps beside its shards: every candidate, and what there is to know of each document.

``raw/<document>.jsonl`` has the candidates, ``raw/<document>.json`` why the detector could not open the
document, which pages it skipped and which have structure. A resumed run still has both of the documents in
finished shards; the report binds their digests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.evaluate.candidate_lines import read_candidates
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.records import read_json

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acromeld.evaluate.pages import PageKey, PredictedPage
    from acromeld.provenance.external import ExternalCorpus

RAW = "raw"
FACTS_SCHEMA = "acromeld.gate-document/1"


def check_raw(out: Path, report: Mapping[str, Any]) -> None:
    """The candidates kept beside the shards must be those the report was made from."""
    for name, digest in report["details"].get("raw", {}).items():
        path = out / RAW / name
        if not path.is_file() or sha256_file(path) != digest:
            raise IntegrityError(f"{path}, which the gate report binds, is missing or was changed.")


class Kept:
    """What detection has left beside the shards, of every attempt."""

    def __init__(self, folder: Path, corpus: ExternalCorpus) -> None:
        self._folder = folder
        self._documents = [entry.sha256 for entry in corpus.entries]
        self._facts = {
            sha256: read_json(folder / f"{sha256}.json", schema=FACTS_SCHEMA)
            for sha256 in self._documents
            if (folder / f"{sha256}.json").exists()
        }

    def structure(self, sha256: str, index: int) -> bool | None:
        """Whether the detector's reader found structure on a page; none when it never saw the page."""
        found: bool | None = self._facts.get(sha256, {}).get("structure", {}).get(str(index))
        return found

    def pages(self) -> dict[PageKey, PredictedPage]:
        """Every candidate of every page."""
        files = (self._folder / f"{sha256}.jsonl" for sha256 in self._documents)
        return {key: page for file in files if file.exists() for key, page in read_candidates(file).items()}

    def digests(self) -> dict[str, str]:
        """Digest of every file, for the report to bind."""
        names = [f"{sha256}.{kind}" for sha256 in self._documents for kind in ("json", "jsonl")]
        return {name: sha256_file(self._folder / name) for name in names if (self._folder / name).exists()}

    def undetected(self) -> list[dict[str, str]]:
        """Documents the detector could not work on, and why; their fields count as missed."""
        return [
            {"name": facts["name"], "sha256": sha256, "reason": facts["problem"]}
            for sha256, facts in self._facts.items()
            if facts["problem"] is not None
        ]

    def skipped(self) -> list[dict[str, Any]]:
        """Pages the detector has never seen, and why."""
        return [
            {"name": facts["name"], "sha256": sha256, **page}
            for sha256, facts in self._facts.items()
            for page in facts["skipped"]
        ]
