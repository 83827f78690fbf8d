# SPDX-License-Identifier: Apache-2.0
"""Implementation digest: which code produced a result.

Covers executable Python, shell, YAML, TOML and dependency-lock files (paper, "Content-addressed provenance").
Two scopes: the *package* has the same digest in a source tree and where it is installed; the *project* adds
build settings, tools and locks and exists only in a source tree. Tests and documents are left out: a
corrected sentence does not make another program.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import acromeld
from acromeld.errors import InputNotFound
from acromeld.provenance.digests import sha256_file, sha256_object

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIXES = frozenset({".py", ".sh", ".bash", ".yaml", ".yml", ".toml", ".lock"})
_NAMES = frozenset({"Makefile"})
_SKIPPED = frozenset({"tests", "docs", "build", "dist", "node_modules", "__pycache__", "venv", "env"})


@dataclass(frozen=True)
class Implementation:
    """Digest of a set of files and their digests by relative path, so that two can be compared by name."""

    digest: str
    files: dict[str, str]

    def differences(self, other: Implementation) -> list[str]:
        """Files that were added, removed or changed, by name."""
        names = self.files.keys() | other.files.keys()
        return sorted(name for name in names if self.files.get(name) != other.files.get(name))


def package_implementation(package: Path | None = None) -> Implementation:
    """The package that is running, or one at the given folder; paths start with the folder's name."""
    folder = package or Path(acromeld.__file__).resolve().parent
    return _implementation(folder, folder.parent)


def project_implementation(root: Path | None = None) -> Implementation | None:
    """The source tree around the running package, or at the given folder; none when there is no such tree."""
    folder = root or _project_root()
    return _implementation(folder, folder) if folder else None


def _project_root() -> Path | None:
    package = Path(acromeld.__file__).resolve().parent
    root = package.parent.parent
    return root if package.parent.name == "src" and (root / "pyproject.toml").is_file() else None


def _implementation(folder: Path, base: Path) -> Implementation:
    if not folder.is_dir():
        raise InputNotFound(f"{folder} is not a folder.")
    files = {path.relative_to(base).as_posix(): sha256_file(path) for path in _walk(folder)}
    return Implementation(sha256_object(files), dict(sorted(files.items())))


def _walk(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if path.is_dir():
            if not path.name.startswith(".") and path.name not in _SKIPPED and not path.is_symlink():
                yield from _walk(path)
        elif path.suffix in _SUFFIXES or path.name in _NAMES:
            yield path
