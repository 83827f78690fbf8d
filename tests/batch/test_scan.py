# SPDX-License-Identifier: Apache-2.0
"""Only what lies below the folder is read, and outputs never land among the originals."""

import errno
import hashlib
import os

import pytest

from acromeld.batch.intake import open_regular, read_exactly
from acromeld.batch.scan import check_folders, scan
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from tests.batch.batches import fill, instant, summary


def found(source, out=None):
    here, there = check_folders(source, out or source.parent / "out")
    return {file.relative: file for file in scan(here, there)}


def test_all_pdfs_below_the_folder_in_a_stable_order(tmp_path):
    fill(tmp_path / "in", {"b.pdf": b"1", "a/c.PDF": b"2", "a/d.txt": b"3", ".hidden/e.Pdf": b"4"})
    files = found(tmp_path / "in")
    assert list(files) == [".hidden/e.Pdf", "a/c.PDF", "b.pdf"]
    assert files["b.pdf"].sha256 == hashlib.sha256(b"1").hexdigest()


def test_links_do_not_lead_out(tmp_path):
    fill(tmp_path, {"secret.pdf": b"s", "elsewhere/x.pdf": b"x", "in/a.pdf": b"a"})
    source = tmp_path / "in"
    (source / "out.pdf").symlink_to(tmp_path / "secret.pdf")
    (source / "up.pdf").symlink_to("../secret.pdf")
    (source / "inside.pdf").symlink_to("a.pdf")
    (source / "nowhere.pdf").symlink_to("gone.pdf")
    (source / "circle.pdf").symlink_to("circle.pdf")
    (source / "folder").symlink_to(tmp_path / "elsewhere")
    (source / "round").symlink_to(source)
    files = found(source)
    assert set(files) == {"a.pdf", "out.pdf", "up.pdf", "inside.pdf", "nowhere.pdf", "circle.pdf"}
    assert {name for name, file in files.items() if not file.problem} == {"a.pdf", "inside.pdf"}
    assert files["inside.pdf"].sha256 == files["a.pdf"].sha256
    assert "outside the folder" in files["up.pdf"].problem
    assert "nowhere" in files["circle.pdf"].problem


def closed_to_us(monkeypatch, *folders):
    """As if these folders had no permission to be read, which does not count for the superuser."""
    scandir = os.scandir

    def guarded(folder):
        if folder in folders:
            raise PermissionError(errno.EACCES, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr("acromeld.batch.scan.os.scandir", guarded)


def test_a_folder_that_cannot_be_read_costs_only_its_files(tmp_path, monkeypatch):
    source = fill(tmp_path / "in", {"a.pdf": b"a", "sub/closed/b.pdf": b"b", "sub/c.pdf": b"c"})
    closed_to_us(monkeypatch, source / "sub" / "closed")
    files = found(source)
    assert list(files) == ["a.pdf", "sub/c.pdf", "sub/closed/"]
    assert [name for name, file in files.items() if file.folder] == ["sub/closed/"]
    assert files["sub/closed/"].problem == "sub/closed/ cannot be read: Permission denied."


def test_without_the_folder_itself_there_is_nothing_to_do(tmp_path, monkeypatch):
    source = fill(tmp_path / "in", {"a.pdf": b"a"})
    closed_to_us(monkeypatch, source)
    with pytest.raises(InputNotFound, match="in cannot be read: Permission denied"):
        found(source)


def test_the_report_names_a_folder_that_could_not_be_read_until_it_can(tmp_path, monkeypatch):
    source = fill(tmp_path / "in", {"a.pdf": b"%PDF a", "sub/b.pdf": b"%PDF b", "sub.pdf": b"%PDF c"})
    instant(source, tmp_path / "out")
    closed_to_us(monkeypatch, source / "sub")
    for _ in range(2):
        ran = instant(source, tmp_path / "out")
        assert ran.jobs == []
        assert ran.states() == {"a.pdf": "done", "sub.pdf": "done", "sub/": "failed"}
        rows = {row["input"]: row for row in summary(tmp_path / "out")["files"]}
        assert rows["sub/"]["reason"] == "sub/ cannot be read: Permission denied."
        assert rows["sub/"]["output"] is None
    assert (tmp_path / "out" / "sub" / "b.pdf").exists()
    monkeypatch.undo()
    ran = instant(source, tmp_path / "out")
    assert ran.jobs == []
    assert ran.states() == {"a.pdf": "done", "sub.pdf": "done", "sub/b.pdf": "done"}


def test_pipes_and_folders_are_no_documents(tmp_path):
    (tmp_path / "in" / "folder.pdf").mkdir(parents=True)
    os.mkfifo(tmp_path / "in" / "pipe.pdf")
    files = found(tmp_path / "in")
    assert list(files) == ["pipe.pdf"]
    assert "not a regular file" in files["pipe.pdf"].problem


def test_a_file_swapped_for_a_link_is_not_followed(tmp_path):
    fill(tmp_path, {"secret.pdf": b"s"})
    (tmp_path / "a.pdf").symlink_to(tmp_path / "secret.pdf")
    with pytest.raises(InputNotFound):
        open_regular(tmp_path / "a.pdf")


def test_a_file_with_other_content_than_planned_is_refused(tmp_path):
    fill(tmp_path, {"a.pdf": b"new"})
    with pytest.raises(IntegrityError, match="changed while"):
        read_exactly(tmp_path / "a.pdf", hashlib.sha256(b"old").hexdigest())


def test_outputs_below_the_originals_are_not_taken_for_originals(tmp_path):
    fill(tmp_path / "in", {"a.pdf": b"1", "out/a.pdf": b"2", "out2/b.pdf": b"3"})
    assert list(found(tmp_path / "in", tmp_path / "in" / "out")) == ["a.pdf", "out2/b.pdf"]


@pytest.mark.parametrize("out", [".", "..", "../link"], ids=["the same", "above", "the same by a link"])
def test_originals_below_the_outputs_are_refused(tmp_path, out):
    source = fill(tmp_path / "all" / "in", {"a.pdf": b"1"})
    (tmp_path / "all" / "link").symlink_to(source)
    with pytest.raises(OutputProblem, match="among the originals"):
        check_folders(source, source / out)


def test_folders_that_are_not_there_or_not_folders(tmp_path):
    fill(tmp_path, {"file": b""})
    with pytest.raises(InputNotFound, match="does not exist"):
        check_folders(tmp_path / "no", tmp_path / "out")
    with pytest.raises(InputNotFound, match="not a folder"):
        check_folders(tmp_path / "file", tmp_path / "out")
    (tmp_path / "in").mkdir()
    with pytest.raises(OutputProblem, match="not a folder"):
        check_folders(tmp_path / "in", tmp_path / "file")
