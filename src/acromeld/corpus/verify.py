# SPDX-License-Identifier: Apache-2.0
"""Comparing a folder with the index made from it: which files changed, went missing or were added."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.roles import Role
from acromeld.provenance.digests import sha256_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acromeld.corpus.index import SealedIndex


@dataclass(frozen=True)
class FileReport:
    """Files by name, relative to the folder, each list in order."""

    intact: int
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def clean(self) -> bool:
        """Whether the folder is what the index says."""
        return not (self.changed or self.missing or self.added)

    def sentence(self) -> str:
        """One sentence that names every file that is not as sealed."""
        if self.clean:
            return f"All {self.intact:,} files are as sealed."
        lists = {"changed": self.changed, "missing": self.missing, "added": self.added}
        return "; ".join(f"{what}: {', '.join(names)}" for what, names in lists.items() if names) + "."


def verify_files(
    index: SealedIndex,
    folder: Path,
    *,
    synthetic: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> FileReport:
    """Hash the folder's files against the index; ``synthetic`` for the folder of generated documents.

    Files that were listed but unreadable when the index was built belong to it like the others.
    """
    expected = _expected(index, synthetic)
    changed, missing = [], []
    for done, (name, sha256) in enumerate(sorted(expected.items()), 1):
        path = folder / name
        if not path.is_file():
            missing.append(name)
        elif sha256_file(path) != sha256:
            changed.append(name)
        if progress:
            progress(done, len(expected))
    added = sorted(set(_pdf_names(folder)) - set(expected))
    intact = len(expected) - len(changed) - len(missing)
    return FileReport(intact, tuple(changed), tuple(missing), tuple(added))


def _expected(index: SealedIndex, synthetic: bool) -> dict[str, str]:
    sign = "=" if synthetic else "<>"
    documents = index.query(
        f"SELECT file, sha256 FROM documents WHERE role {sign} ?", (str(Role.TRAIN_SYNTHETIC),)
    )
    unreadable = index.query("SELECT file, sha256 FROM unreadable WHERE synthetic = ?", (int(synthetic),))
    return {str(file): str(sha256) for rows in (documents, unreadable) for file, sha256 in rows}


def _pdf_names(folder: Path) -> list[str]:
    files = (path for path in folder.rglob("*") if path.suffix.lower() == ".pdf" and path.is_file())
    return [path.relative_to(folder).as_posix() for path in files]
