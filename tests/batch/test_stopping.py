# SPDX-License-Identifier: Apache-2.0
"""A disk that takes nothing more stops the batch; no document is blamed, and the same command goes on."""

import errno
import os
import sqlite3

import pytest

from acromeld.batch.journal import Journal
from acromeld.batch.names import JOURNAL, REPORT
from acromeld.errors import ExitCode, OutputProblem
from tests.batch.batches import fill, instant, summary, tree

FILES = {f"{name}.pdf": b"%PDF " + name.encode() for name in "abcd"}


@pytest.fixture
def folder(tmp_path):
    fill(tmp_path / "in", FILES | {"sub/a.pdf": FILES["a.pdf"], "bad.pdf": b"bad"})
    return tmp_path


def after(count, error, real):
    """A function that works so many times and then fails for good."""
    calls = []

    def failing(*arguments, **options):
        calls.append(1)
        if len(calls) > count:
            raise error
        return real(*arguments, **options)

    return failing


def goes_on(folder) -> None:
    """The same command does the rest, and the outcome is that of a run without trouble."""
    instant(folder / "in", folder / "other")
    ran = instant(folder / "in", folder / "out")
    assert {name for name, state in ran.states().items() if state == "failed"} == {"bad.pdf"}
    assert tree(folder / "out") == tree(folder / "other")


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS], ids=errno.errorcode.get)
@pytest.mark.parametrize("writes", [0, 1, 4, 9])
def test_a_full_disk_stops_the_batch_with_one_sentence(folder, monkeypatch, number, writes):
    full = OSError(number, os.strerror(number))
    monkeypatch.setattr("acromeld.form.output.os.fsync", after(writes * 2, full, os.fsync))
    with pytest.raises(OutputProblem, match=r"^The batch has stopped: .*same command goes on\.$") as stop:
        instant(folder / "in", folder / "out")
    assert os.strerror(number) in str(stop.value)
    assert stop.value.exit_code == ExitCode.OUTPUT
    monkeypatch.undo()
    states = {entry.relative: entry.state for entry in Journal(folder / "out" / JOURNAL).entries()}
    assert [name for name, state in states.items() if state == "failed"] in ([], ["bad.pdf"])
    goes_on(folder)


def test_a_full_disk_is_noticed_at_folders_and_report_too(folder, monkeypatch):
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    mkdir = os.mkdir
    for taboo in ("sub", REPORT):

        def guarded(path, *rest, taboo=taboo):
            if os.path.basename(path) == taboo:
                raise full
            mkdir(path, *rest)

        monkeypatch.setattr(os, "mkdir", guarded)
        with pytest.raises(OutputProblem, match="The batch has stopped"):
            instant(folder / "in", folder / "out")
        monkeypatch.undo()
    goes_on(folder)


@pytest.mark.parametrize(
    ("name", "count"),
    [("begin", 0), ("plan", 0), ("finish", 0), ("finish", 2), ("entries", 0), ("entries", 4)],
)
def test_a_journal_that_cannot_be_written_stops_the_batch(folder, monkeypatch, name, count):
    full = sqlite3.OperationalError("database or disk is full")
    monkeypatch.setattr(Journal, name, after(count, full, getattr(Journal, name)))
    with pytest.raises(OutputProblem, match=r"journal in .*database or disk is full") as stop:
        instant(folder / "in", folder / "out")
    assert stop.value.exit_code == ExitCode.OUTPUT
    monkeypatch.undo()
    goes_on(folder)


def test_a_journal_that_cannot_be_opened_is_not_called_something_else(folder):
    (folder / "out" / JOURNAL).mkdir(parents=True)
    with pytest.raises(OutputProblem, match="unable to open database file"):
        instant(folder / "in", folder / "out")


def test_trouble_with_one_name_is_the_trouble_of_one_file(folder):
    fill(folder / "out", {"sub": b"a file where a folder has to be"})
    ran = instant(folder / "in", folder / "out")
    assert [name for name, state in ran.states().items() if state == "failed"] == ["bad.pdf", "sub/a.pdf"]
    assert "in the way" in ran.reason("sub/a.pdf")
    assert summary(folder / "out")["totals"]["done"] == 4
