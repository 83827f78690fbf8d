# SPDX-License-Identifier: Apache-2.0
"""Files appear whole or not at all, and never over something by accident."""

import errno
import os

import pytest

from acromeld.errors import OutputProblem
from acromeld.form import output
from acromeld.form.output import write_atomically


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def no_links(*_):
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("overwrite", [False, True])
def test_writes_a_new_file(tmp_path, overwrite):
    write_atomically(b"new", tmp_path / "out.pdf", overwrite=overwrite)
    assert (tmp_path / "out.pdf").read_bytes() == b"new"
    assert names(tmp_path) == ["out.pdf"]


@pytest.mark.parametrize("links", [True, False])
def test_never_replaces_without_being_told(tmp_path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    (tmp_path / "out.pdf").write_bytes(b"old")
    with pytest.raises(OutputProblem, match="exists already"):
        write_atomically(b"new", tmp_path / "out.pdf", overwrite=False)
    assert (tmp_path / "out.pdf").read_bytes() == b"old"
    assert names(tmp_path) == ["out.pdf"]


def test_replaces_when_told(tmp_path):
    (tmp_path / "out.pdf").write_bytes(b"old")
    write_atomically(b"new", tmp_path / "out.pdf", overwrite=True)
    assert (tmp_path / "out.pdf").read_bytes() == b"new"
    assert names(tmp_path) == ["out.pdf"]


def test_writes_where_the_file_system_has_no_links(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "link", no_links)
    write_atomically(b"new", tmp_path / "out.pdf", overwrite=False)
    assert (tmp_path / "out.pdf").read_bytes() == b"new"
    assert names(tmp_path) == ["out.pdf"]


def test_a_file_that_appears_at_the_last_moment_is_not_replaced(tmp_path, monkeypatch):
    target = tmp_path / "out.pdf"
    write_beside = output._write_beside

    def slow(data, path):
        temporary = write_beside(data, path)
        target.write_bytes(b"somebody else's")
        return temporary

    monkeypatch.setattr(output, "_write_beside", slow)
    with pytest.raises(OutputProblem):
        write_atomically(b"new", target, overwrite=False)
    assert target.read_bytes() == b"somebody else's"
    assert names(tmp_path) == ["out.pdf"]


@pytest.mark.parametrize("linked", [False, True])
def test_a_pipe_is_not_replaced_even_when_told(tmp_path, linked):
    target = tmp_path / "out.pdf"
    os.mkfifo(tmp_path / "pipe" if linked else target)
    if linked:
        target.symlink_to("pipe")
    before = names(tmp_path)
    with pytest.raises(OutputProblem, match="never replaced"):
        write_atomically(b"new", target, overwrite=True)
    assert target.is_fifo()
    assert names(tmp_path) == before


def test_a_full_disk_leaves_nothing_behind(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "out.pdf").write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputProblem, match="No space left"):
        write_atomically(b"new", tmp_path / "out.pdf", overwrite=True)
    assert (tmp_path / "out.pdf").read_bytes() == b"old"
    assert names(tmp_path) == ["out.pdf"]


def test_missing_folder_is_a_sentence(tmp_path):
    with pytest.raises(OutputProblem, match="cannot be written: No such file"):
        write_atomically(b"new", tmp_path / "nowhere" / "out.pdf", overwrite=False)


def test_permissions_are_those_of_any_new_file(tmp_path):
    write_atomically(b"new", tmp_path / "out.pdf", overwrite=False)
    (tmp_path / "usual").write_bytes(b"")
    assert (tmp_path / "out.pdf").stat().st_mode == (tmp_path / "usual").stat().st_mode
