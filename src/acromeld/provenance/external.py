# SPDX-License-Identifier: Apache-2.0
"""The quarantined external corpus: a folder of PDFs and a manifest whose digest is known beforehand.

`quarantine` lists a folder once, when the corpus is collected. Whoever runs the gate is given the digest of
that list, registers it, and only then may anything in the folder be opened. Each document is hashed as it is
read, and works on the bytes that were hashed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.manifest import Entry, read_manifest
from acromeld.errors import IntegrityError
from acromeld.pdf.source import load_source
from acromeld.provenance.digests import canonical_json, sha256_file
from acromeld.provenance.records import create_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from acromeld.pdf.source import Source

MANIFEST = "external-manifest.jsonl"


@dataclass(frozen=True)
class ExternalCorpus:
    """An opened external corpus: its folder, the digest of its manifest and what the manifest lists."""

    folder: Path
    digest: str
    entries: tuple[Entry, ...]

    def path(self, entry: Entry) -> Path:
        """Where a listed document lies."""
        return self.folder / entry.file

    def read(self, entry: Entry) -> Source:
        """The bytes of a document, which must be the listed ones."""
        source = load_source(self.path(entry), name=entry.file)
        if source.sha256 != entry.sha256:
            raise IntegrityError(
                f"The external document {entry.file} was changed: its hash is not the listed one."
            )
        return source


def quarantine(folder: Path, manifest: Path | None = None) -> str:
    """List every PDF under the folder in its manifest, once; returns the manifest's digest to register.

    The manifest lies in the folder unless another place is named, for a folder that cannot be written to.
    """
    lines = [
        canonical_json({"file": name, "sha256": sha256_file(folder / name)}) + "\n"
        for name in _pdf_names(folder)
    ]
    if not lines:
        raise IntegrityError(f"{folder} holds no PDF to evaluate on.")
    return create_bytes(manifest or folder / MANIFEST, "".join(lines).encode())


def open_external(folder: Path, digest: str, manifest: Path | None = None) -> ExternalCorpus:
    """Open the manifest of the registered digest; documents are listed but not read yet.

    Raises:
        IntegrityError: The manifest is another one, or the folder has files too many or too few.
    """
    manifest = manifest or folder / MANIFEST
    if sha256_file(manifest) != digest:
        raise IntegrityError(f"{manifest} is not the registered external corpus: its digest differs.")
    entries = read_manifest(manifest)
    listed, present = {entry.file for entry in entries}, set(_pdf_names(folder))
    if listed != present:
        names = ", ".join(sorted(listed ^ present))
        raise IntegrityError(f"The external folder does not match its manifest: missing or added {names}.")
    return ExternalCorpus(folder, digest, entries)


def refuse_training_documents(corpus: ExternalCorpus, training: Iterable[str]) -> None:
    """External document hashes are excluded from the training index; one that is in it stops the gate."""
    known = frozenset(training)
    shared = [entry.file for entry in corpus.entries if entry.sha256 in known]
    if shared:
        raise IntegrityError(
            f"{len(shared)} external documents are in the training index, so this corpus tests nothing: "
            f"{', '.join(shared[:5])}."
        )


def _pdf_names(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files)
