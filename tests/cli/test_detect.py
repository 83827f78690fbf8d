# SPDX-License-Identifier: Apache-2.0
"""``acromeld detect`` with more than one path."""

from pathlib import Path

import pytest

from acromeld.cli.detect import find_pdfs
from acromeld.errors import ExitCode
from acromeld.fields import parse_document
from tests.pdf import hostile


def test_a_file_that_is_named_twice_is_read_once(acromeld, form, tmp_path):
    (tmp_path / "link.pdf").symlink_to("form.pdf")
    for paths in (["form.pdf", "form.pdf"], ["form.pdf", "."], [".", form], ["link.pdf", "./form.pdf"]):
        done = acromeld("detect", *paths, "--detector", "rules")
        assert done.code == ExitCode.OK
        assert len(parse_document(done.out).pages) == 2


def test_other_files_stay_in_their_order(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        Path(name).write_bytes(name.encode())
    assert [path.name for path in find_pdfs((Path("c.pdf"), Path(), Path("b.pdf")))] == [
        "c.pdf",
        "a.pdf",
        "b.pdf",
    ]


@pytest.fixture
def folder(tmp_path):
    """Two folders with a file of the same name: a page that cannot be read, and no PDF at all."""
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / "in" / "form.pdf").write_bytes(hostile.many_paths())
    (tmp_path / "in" / "deep" / "form.pdf").write_bytes(b"hello")
    return tmp_path / "in"


def test_notes_and_errors_say_which_file_they_are_about(acromeld, folder):
    done = acromeld("detect", "in", "in/missing.pdf", "--detector", "rules")
    assert done.code == ExitCode.PARTIAL
    assert done.err.splitlines() == [
        "acromeld: in/deep/form.pdf: form.pdf is not a PDF, or is damaged beyond repair.",
        "note: in/form.pdf: Page 1 has more than 40,000 words or shapes; the rest was ignored.",
        "acromeld: in/missing.pdf does not exist.",
    ]


def test_of_one_file_it_is_clear_what_they_are_about(acromeld, folder):
    (folder / "deep" / "form.pdf").unlink()
    done = acromeld("detect", "in", "--detector", "rules")
    assert done.err == "note: Page 1 has more than 40,000 words or shapes; the rest was ignored.\n"
