# SPDX-License-Identifier: Apache-2.0
"""Killed with SIGKILL at any point and run again: nothing is lost, nothing is done twice."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from acromeld.batch.names import JOURNAL
from tests.batch.batches import ROOT, batch, fill, forms, tree
from tests.pdf import hostile

SCRIPT = """
import os, signal, sys
from pathlib import Path
from acromeld.batch import run
from tests.batch import batches

def dies(place, name, count, after):
    real, calls = getattr(place, name), []
    def deadly(*arguments, **options):
        calls.append(1)
        if len(calls) == count and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **options)
        if len(calls) == count:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    setattr(place, name, deadly)

places = {"plan": run.Journal, "finish": run.Journal, "deliver": run, "write_report": run}
name, count, after = sys.argv[3], int(sys.argv[4]), sys.argv[5] == "after"
dies(places[name], name, count, after)
batches.batch(Path(sys.argv[1]), Path(sys.argv[2]), workers=2)
"""


def killed(source, out, *point):
    """Run a batch in a process of its own until it is killed."""
    command = [sys.executable, "-c", SCRIPT, source, out, *map(str, point)]
    done = subprocess.run(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    assert done.returncode == -signal.SIGKILL


def finished(out):
    """Paths of the files that the journal calls finished."""
    with closing(sqlite3.connect(out / JOURNAL)) as journal:
        rows = journal.execute("SELECT relative FROM files WHERE state != 'planned'")
        return {Path(os.fsdecode(relative)) for (relative,) in rows}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("killed")
    fill(folder / "in", forms())
    ran = batch(folder / "in", folder / "unbroken")
    return folder, sorted(ran.jobs), tree(folder / "unbroken")


POINTS = [
    [("plan", 1, "before"), ("plan", 1, "after")],
    [("deliver", 1, "after"), ("finish", 2, "before")],
    [("finish", 1, "after"), ("deliver", 2, "before")],
    [("finish", 3, "after"), ("write_report", 1, "before")],
]


@pytest.mark.parametrize(
    "points", POINTS, ids=lambda points: " then ".join(" ".join(map(str, p)) for p in points)
)
def test_killed_twice_and_resumed_is_the_unbroken_run(expected, tmp_path, points):
    folder, _, files = expected
    for point in points:
        killed(folder / "in", tmp_path / "out", *point)
    batch(folder / "in", tmp_path / "out")
    assert tree(tmp_path / "out") == files
    assert batch(folder / "in", tmp_path / "out").jobs == []


def test_what_was_journalled_is_not_done_again(expected, tmp_path):
    folder, jobs, _ = expected
    killed(folder / "in", tmp_path / "out", "finish", 3, "after")
    journalled = finished(tmp_path / "out")
    assert len(journalled) == 3
    # Which three depends on the workers; one of them may be a copy of the same name, which is no job.
    left = set(jobs) - {path.name for path in journalled}
    assert sorted(batch(folder / "in", tmp_path / "out").jobs) == sorted(left)


def test_a_document_that_has_its_owner_killed_does_not_harm_the_journal(tmp_path):
    """The worker ends the owner in the middle of a document; the next run does that document, too."""
    source = fill(
        tmp_path / "in", {"murder.pdf": hostile.numbered("m", 1), "b.pdf": hostile.numbered("bb", 2)}
    )
    script = (
        "import sys; from pathlib import Path; from tests.batch import batches;"
        "batches.batch(Path(sys.argv[1]), Path(sys.argv[2]), command=batches.NASTY)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, source, tmp_path / "out"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "out" / JOURNAL).exists()
    ran = batch(source, tmp_path / "out")
    assert ran.jobs == ["murder.pdf"]
    assert set(ran.states().values()) == {"done"}
