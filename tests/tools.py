# SPDX-License-Identifier: Apache-2.0
"""System tools the tests compare against: other people's PDF software, never needed at run time."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PACKAGES = {
    "qpdf": "qpdf",
    "pdftoppm": "poppler-utils",
    "node": "nodejs",
    "npm": "npm",
    "chromium": "chromium",
}
"""Debian package of each tool."""

PDFJS = Path(__file__).parent / "pdfjs"
WEB = Path(__file__).parent.parent / "web"


def need(tool: str) -> str:
    """Path of a tool. Missing, it fails the test where tools are promised (CI), and skips it elsewhere."""
    found = shutil.which(tool)
    if found is None:
        missing(f"{tool} is not installed, so nothing judges by it (Debian package {PACKAGES[tool]})")
    return str(found)


def missing(reason: str) -> None:
    """Fail where tools are promised, else skip: who may install nothing can still run the other tests."""
    if os.environ.get("CI") or os.environ.get("ACROMELD_REQUIRE_TOOLS"):
        pytest.fail(reason)
    pytest.skip(reason)


def need_pdfjs() -> Path:
    """Folder of the pdf.js script, its package installed from the lock file on first use."""
    need("node")
    with (PDFJS / "package.json").open() as lock:
        # Parallel test workers come here at the same time; the first installs, the others wait.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (PDFJS / "node_modules" / "pdfjs-dist" / "legacy" / "build" / "pdf.mjs").is_file():
            install_pdfjs()
    return PDFJS


def install_pdfjs() -> None:
    command = [need("npm"), "ci", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=PDFJS, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(f"pdf.js cannot be installed by npm ci: {done.stderr.strip()[-300:]}")


def need_web() -> Path:
    """Folder of the review page's source, its packages installed from the lock file on first use."""
    need("node")
    with (WEB / "package.json").open() as package:
        fcntl.flock(package, fcntl.LOCK_EX)
        done = WEB / "node_modules" / ".package-lock.json"
        if not done.is_file() or done.stat().st_mtime < (WEB / "package-lock.json").stat().st_mtime:
            install_web()
            done.touch()
    return WEB


def install_web() -> None:
    command = [need("npm"), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, check=False)
    if done.returncode:
        missing(
            f"the packages of the review page cannot be installed by npm ci: {done.stderr.strip()[-300:]}"
        )
