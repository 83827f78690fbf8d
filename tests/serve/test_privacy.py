# SPDX-License-Identifier: Apache-2.0
"""Nothing of a document stays: not on disk, not in the log."""

import logging
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.form.samples import flat
from tests.serve.running import in_background, running, until

MULTIPART = {"Content-Type": "multipart/form-data; boundary=b"}


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """The folder for temporary files of this test and of every process it starts."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


def files_below(folder):
    return [path for path in folder.rglob("*") if not path.is_dir()]


def open_files_below(folder):
    """Files without a name are found only by those who have them open."""
    links = (Path("/proc/self/fd") / name for name in os.listdir("/proc/self/fd"))
    return [link for link in links if link.is_symlink() and str(folder) in os.readlink(link)]


def test_a_large_upload_has_no_name_on_disk_and_is_gone_before_the_answer(scratch, gate):
    large = gate.document().ljust(1024**2)
    with running() as up:
        private = Path(up.service.folder.name)
        assert private.parent == scratch
        assert stat.S_IMODE(private.stat().st_mode) == 0o700
        working = in_background(lambda: up.post("/v1/detect", large))
        until(lambda: up.service.pool.busy)
        assert files_below(scratch) == []
        assert len(open_files_below(scratch)) == 1
        gate.open()
        assert working.answer().status_code == 200
        assert open_files_below(scratch) == []
        assert files_below(scratch) == []
    assert list(scratch.iterdir()) == []


def test_nothing_is_left_of_requests_that_fail(scratch):
    large = 1024**2
    with running(upload_bytes=large) as up:
        until(lambda: up.service.pool.ready)
        statuses = [
            up.post("/v1/recover", document).status_code
            for document in (
                b"%CRASH".ljust(large),
                b"%MEMORY".ljust(large),
                b"x" * large,
                b"x" * (large + 1),
            )
        ]
        assert statuses == [502, 422, 422, 413]
        assert open_files_below(scratch) == []
        assert files_below(scratch) == []
    assert list(scratch.iterdir()) == []


def test_a_worker_that_crashes_leaves_no_dump(server):
    assert server.post("/v1/detect", b"%DUMPS").text == "(0, 0)"


def test_the_log_has_neither_names_nor_queries_nor_contents(server, caplog):
    caplog.set_level(logging.DEBUG)
    server.post("/v1/recover", flat(), "Mustermann.pdf", password="geheim")
    server.post("/v1/recover", b"Mustermann", "Mustermann.pdf")
    server.post("/v1/recover", b"%CRASH", "Mustermann.pdf")
    server.client.post("/v1/recover", content=b"--b\r\nMuster[mann", headers=MULTIPART)
    server.client.get("/Mustermann?name=Mustermann")
    ours = [
        record
        for record in caplog.records
        if record.name.startswith(("acromeld", "uvicorn", "python_multipart"))
    ]
    lines = [record.getMessage() for record in ours if record.levelno >= logging.INFO]
    assert len([line for line in lines if "POST /v1/recover" in line]) == 4
    assert not [line for line in lines if "Mustermann" in line or "geheim" in line or "character" in line]


def test_no_library_of_ours_reports_to_its_maker(scratch):
    """Loaded on its own, onnxruntime writes a session file, an identifier and a database for its reports."""
    script = "import acromeld, onnxruntime"
    env = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    home = {"HOME": str(scratch), "XDG_CACHE_HOME": str(scratch)}
    subprocess.run([sys.executable, "-c", script], check=True, env=env | home)
    assert list(scratch.rglob("*")) == []
