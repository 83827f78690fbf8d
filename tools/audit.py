# SPDX-License-Identifier: Apache-2.0
"""What can be said about our dependencies without asking anybody: an offline audit that fails on the unknown.

    python tools/audit.py

It checks that every pinned package has a version and hashes, that the runtime imports no package that is not
pinned for it, and that the licence of every package the runtime brings along is one of a short list. It does
not know about published vulnerabilities: that needs a database on the network (``pip-audit -r
requirements/runtime.lock`` where there is one).
"""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted((ROOT / "requirements").glob("*.lock"))
WORKSHOP = {"corpus", "model", "train", "evaluate", "peers", "provenance"}

GOOD = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|ISC|HPND|Zlib|PSF|Python Software Foundation|MPL[- ]2"
    r"|Mozilla Public License 2|Unlicense|CC0|LLVM)",
    re.IGNORECASE,
)
BAD = re.compile(
    r"\b(AGPL|Affero|GPL|GNU General|SSPL|BUSL|Commons Clause|Non-?Commercial|Proprietary)", re.IGNORECASE
)
ELSEWHERE = {"colorama": "BSD-3-Clause", "pywin32": "PSF-2.0", "uvloop": "MIT", "exceptiongroup": "MIT"}
"""Licences of packages that are pinned for other systems and not installed here."""

OPTIONAL = {"ray": "the extra of that name", "rapidocr": "the extra ocr"}
"""Imported by the runtime only when an extra is installed."""


def main() -> None:
    problems = [
        *(problem for lock in LOCKS for problem in lock_problems(lock.name, lock.read_text("utf-8"))),
        *licence_problems(pinned(ROOT / "requirements" / "runtime.lock")),
        *import_problems(ROOT / "src" / "acromeld", pinned(ROOT / "requirements" / "runtime.lock")),
    ]
    for problem in problems:
        print(problem)
    count = len(pinned(ROOT / "requirements" / "runtime.lock"))
    print(f"{len(LOCKS)} lock files, {count} runtime packages: {len(problems) or 'no'} problems.")
    print("Known vulnerabilities are not part of this audit.")
    sys.exit(1 if problems else 0)


def entries(text: str) -> list[str]:
    """The requirements of a lock file, each with its continuation lines."""
    joined = text.replace("\\\n", " ")
    return [line.strip() for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def lock_problems(name: str, text: str) -> list[str]:
    """Requirements that are not pinned by version and hash."""
    problems = []
    for entry in entries(text):
        package = re.split(r"[=<>!~;\s\[@]", entry, maxsplit=1)[0]
        if not re.match(r"[\w.-]+(\[[\w,-]+\])?==[\w.!+-]+(\s|$)", entry):
            problems.append(f"{name}: {package} is not pinned to one version")
        if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry):
            problems.append(f"{name}: {package} has no hash")
    return problems


def pinned(lock: Path) -> set[str]:
    """Names of the packages of a lock file."""
    return {
        canonical(re.split(r"[=\[\s]", entry, maxsplit=1)[0]) for entry in entries(lock.read_text("utf-8"))
    }


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_problems(packages: set[str]) -> list[str]:
    """Packages under a licence that does not fit Apache-2.0, or under one we cannot tell."""
    problems = []
    for package in sorted(packages):
        try:
            told = licence(distribution(package))
        except PackageNotFoundError:
            told = ELSEWHERE.get(package, "")
        problems += judged(package, told)
    return problems


def judged(package: str, told: str) -> list[str]:
    """Nothing, or what is wrong with a licence; of alternatives one good one is enough."""
    choices = re.split(r"\bOR\b", told)
    if any(GOOD.search(choice) and not BAD.search(choice) for choice in choices):
        return []
    return [f"{package}: licence {told[:80]!r} is not on the list"]


def licence(found: Distribution) -> str:
    """What the package says of its licence: expression, classifiers, or the old free text."""
    facts = found.metadata
    if expression := facts.get("License-Expression"):
        return expression
    classified = [
        line.split(" :: ")[-1] for line in facts.get_all("Classifier") or [] if "License ::" in line
    ]
    classified = [name for name in classified if name != "OSI Approved"]
    return " AND ".join(classified) or (facts.get("License") or "").split("\n")[0]


def import_problems(package: Path, packages: set[str]) -> list[str]:
    """Imports of the runtime that no pinned package of the runtime provides."""
    homes = packages_distributions()
    problems = []
    for module in sorted(package.rglob("*.py")):
        place = module.relative_to(package)
        if place.parts[0] in WORKSHOP:
            continue
        for name in sorted(foreign(ast.parse(module.read_text("utf-8")))):
            providers = {canonical(home) for home in homes.get(name, [])}
            if name not in OPTIONAL and not providers & packages and not _workshop_command(place):
                problems.append(f"{place.as_posix()} imports {name}, which runtime.lock does not bring")
    return problems


def foreign(tree: ast.AST) -> set[str]:
    """Top-level packages imported anywhere in a module that are neither ours nor Python's."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - {"acromeld"}


def _workshop_command(place: Path) -> bool:
    """Commands of the workshop may use its libraries."""
    if place.parts[0] != "cli":
        return False
    tree = ast.parse((ROOT / "src" / "acromeld" / place).read_text("utf-8"))
    used = [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(name.startswith(f"acromeld.{room}") for name in used for room in WORKSHOP)


if __name__ == "__main__":
    main()
