# SPDX-License-Identifier: Apache-2.0
import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from tests.tools import missing, need, need_pdfjs
from tests.verapdf import JudgeMissing, Verdict, judge

Pixels = npt.NDArray[np.uint8]


@pytest.fixture(scope="session")
def pdfjs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], list[list[dict[str, object]]]]:
    """What pdf.js reports of each page's annotations."""
    folder = need_pdfjs()
    scratch = tmp_path_factory.mktemp("pdfjs") / "form.pdf"

    def read(data: bytes) -> list[list[dict[str, object]]]:
        scratch.write_bytes(data)
        command = [need("node"), str(folder / "annotations.mjs"), str(scratch)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return read


@pytest.fixture
def poppler(tmp_path: Path) -> Callable[[bytes], Pixels]:
    """The first page as poppler shows it: grey, one pixel a PDF unit."""

    def render(data: bytes) -> Pixels:
        (tmp_path / "in.pdf").write_bytes(data)
        command = [need("pdftoppm"), "-r", "72", "-gray", "-cropbox", "-singlefile", "in.pdf", "out"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
        return np.asarray(Image.open(tmp_path / "out.pgm"))

    return render


@pytest.fixture(scope="session")
def verapdf(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, bytes]], list[Verdict]]:
    """What veraPDF says of named documents; both profiles, in one run because Java starts slowly."""
    classes = tmp_path_factory.mktemp("verapdf")

    def verdicts(documents: dict[str, bytes]) -> list[Verdict]:
        folder = tmp_path_factory.mktemp("judged")
        for name, data in documents.items():
            (folder / f"{name}.pdf").write_bytes(data)
        try:
            return judge(sorted(folder.iterdir()), classes)
        except JudgeMissing as reason:
            missing(str(reason))
            raise

    return verdicts


@pytest.fixture
def qpdf_check(tmp_path: Path) -> Callable[[bytes], str]:
    """What ``qpdf --check`` complains about; empty for a clean file."""

    def check(data: bytes) -> str:
        (tmp_path / "check.pdf").write_bytes(data)
        command = [need("qpdf"), "--check", str(tmp_path / "check.pdf")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stderr if done.returncode == 0 else f"exit {done.returncode}: {done.stderr}"

    return check
