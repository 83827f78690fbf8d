# SPDX-License-Identifier: Apache-2.0
"""The quarantined external corpus: a folder of PDFs and a manifest whose digest is known beforehand.

`quarantine` lists a folder once, when the corpus is collected: every content once, with all the files it lies
in. Whoever runs the gate is given the digest of that list, registers it, and only then may anything in the
folder be opened. Each document is hashed as it is read, and works on the bytes that were hashed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.manifest import Entry, read_manifest
from acromeld.errors import IntegrityError
from acromeld.pdf.source import load_source
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.printable import printable
from acromeld.provenance.records import create_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from acromeld.pdf.source import Source

MANIFEST = "external-manifest.jsonl"
_TOLD = 10


@dataclass(frozen=True)
class ExternalDocument:
    """One listed document.

    Attributes:
        path: Where it lies.
        name: What it is called in records, fit to be shown.
        sha256: The listed hash of its content.
    """

    path: Path
    name: str
    sha256: str

    def check(self) -> None:
        """The file must be the listed one, however large it is."""
        self._expect(sha256_file(self.path))

    def load(self) -> Source:
        """Its bytes, which must be the listed ones, within the limits of the product."""
        source = load_source(self.path, name=self.name)
        self._expect(source.sha256)
        return source

    def _expect(self, found: str) -> None:
        if found != self.sha256:
            raise IntegrityError(
                f"The external document {self.name} was changed: its hash is not the listed one."
            )


@dataclass(frozen=True)
class ExternalCorpus:
    """An opened external corpus: its folder, the digest of its manifest and what the manifest lists."""

    folder: Path
    digest: str
    entries: tuple[Entry, ...]

    @property
    def documents(self) -> tuple[ExternalDocument, ...]:
        """What is listed, each content once, in order of hash."""
        return tuple(
            ExternalDocument(self.folder / entry.file, printable(entry.file), entry.sha256)
            for entry in self.entries
        )


def quarantine(folder: Path, manifest: Path | None = None) -> str:
    """List every PDF under the folder in its manifest, once; returns the manifest's digest to register.

    The manifest lies in the folder unless another place is named, for a folder that cannot be written to.
    """
    found: dict[str, list[str]] = {}
    for name in _pdf_names(folder):
        found.setdefault(sha256_file(folder / name), []).append(name)
    if not found:
        raise IntegrityError(f"{folder} holds no PDF to evaluate on.")
    lines = "".join(_line(sha256, *names) for sha256, names in found.items())
    return create_bytes(manifest or folder / MANIFEST, lines.encode("ascii"))


def _line(sha256: str, file: str, *also: str) -> str:
    """One line of ASCII: JSON escapes carry any file name there and back, bytes that are no text included."""
    record = {"file": file, "sha256": sha256} | ({"also": also} if also else {})
    return json.dumps(record, sort_keys=True, separators=(",", ":")) + "\n"


def open_external(folder: Path, digest: str, manifest: Path | None = None) -> ExternalCorpus:
    """Open the manifest of the registered digest; documents are listed but not read yet.

    Raises:
        IntegrityError: The manifest is another one, or the folder has files too many or too few.
    """
    manifest = manifest or folder / MANIFEST
    if sha256_file(manifest) != digest:
        raise IntegrityError(f"{manifest} is not the registered external corpus: its digest differs.")
    entries = read_manifest(manifest)
    listed = {file for entry in entries for file in entry.files}
    differing = sorted(map(printable, listed ^ set(_pdf_names(folder))))
    if differing:
        more = f" and {len(differing) - _TOLD} more" if len(differing) > _TOLD else ""
        raise IntegrityError(
            "The external folder does not match its manifest: missing or added "
            f"{', '.join(differing[:_TOLD])}{more}."
        )
    return ExternalCorpus(folder, digest, entries)


def refuse_training_documents(corpus: ExternalCorpus, training: Iterable[str]) -> None:
    """External document hashes are excluded from the training index; one that is in it stops the gate.

    The sentence has every file, however many: whoever keeps the corpus has to take them out.
    """
    known = frozenset(training)
    shared = [entry.files for entry in corpus.entries if entry.sha256 in known]
    if shared:
        names = ", ".join(sorted(printable(file) for files in shared for file in files))
        raise IntegrityError(
            f"{len(shared)} external documents are in the training index, so this corpus tests nothing:"
            f" {names}."
        )


def _pdf_names(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files)
