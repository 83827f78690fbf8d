# SPDX-License-Identifier: Apache-2.0
"""The page in the package is the one its source builds to, and its source is sound."""

import re
import subprocess
from pathlib import Path

import pytest

from acromeld.review.api import STATIC
from tests.tools import WEB, need, need_web


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


@pytest.fixture(scope="module")
def web() -> Path:
    return need_web()


def run(web: Path, *arguments: str) -> None:
    command = [need("npm"), "run", "--silent", *arguments]
    done = subprocess.run(command, cwd=web, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def test_the_bundle_is_current(web, tmp_path):
    run(web, "build", "--", "--outDir", str(tmp_path), "--emptyOutDir", "--logLevel", "warn")
    built, shipped = files(tmp_path), files(STATIC)
    changed = [name for name in built.keys() & shipped.keys() if built[name] != shipped[name]]
    assert sorted(changed) + sorted(built.keys() ^ shipped.keys()) == [], "run make web and commit the result"


def test_the_logic_of_the_page(web):
    run(web, "test")


def test_the_bundle_asks_for_nothing_outside():
    """Addresses in it are names of standards and pages in messages; the browser tests see every request."""
    page = (STATIC / "index.html").read_text("utf-8")
    assert not re.search(r"https?://", page)
    ours = (STATIC / "assets" / "index.js").read_text("utf-8")
    assert set(re.findall(r"https?://[^/\"'`\s]+", ours)) <= {"http://www.w3.org"}


def test_the_lock_file_names_no_registry():
    assert '"resolved"' not in (WEB / "package-lock.json").read_text("utf-8")
