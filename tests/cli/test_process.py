# SPDX-License-Identifier: Apache-2.0
"""The real program in a process of its own: pipes, locales, memory."""

import json
import os
import resource
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from acromeld.errors import ExitCode
from tests.form.samples import flat
from tests.pdf import hostile

PROGRAM = [sys.executable, "-c", "from acromeld.cli import main; main()"]


def program(*arguments, cwd, env=None, **options):
    settings = {"capture_output": True, "check": False, "cwd": cwd, "env": os.environ | (env or {})}
    return subprocess.run([*PROGRAM, *map(str, arguments)], **(settings | options))


def test_a_pipe_gets_lines_and_nothing_else(form, tmp_path):
    done = program("detect", "form.pdf", cwd=tmp_path)
    assert done.returncode == ExitCode.OK
    assert done.stderr == b""
    assert [json.loads(line)["page"]["index"] for line in done.stdout.splitlines()] == [0, 1]


def test_a_failure_is_a_sentence_and_an_exit_code(tmp_path):
    (tmp_path / "bad.pdf").write_bytes(b"hello")
    done = program("recover", "bad.pdf", cwd=tmp_path)
    assert done.returncode == ExitCode.NOT_A_PDF
    assert done.stdout == b""
    assert done.stderr == b"acromeld: bad.pdf is not a PDF, or is damaged beyond repair.\n"
    assert list(tmp_path.iterdir()) == [tmp_path / "bad.pdf"]


def test_repaired_files_do_not_chatter(tmp_path):
    """The warnings of qpdf are not for the user; what matters comes as a note."""
    (tmp_path / "odd.pdf").write_bytes(hostile.stray_number_in_the_page_tree())
    (tmp_path / "missing.pdf").write_bytes(hostile.missing_page())
    (tmp_path / "cut.pdf").write_bytes(flat()[:-150])
    for name in ("odd.pdf", "missing.pdf", "cut.pdf"):
        done = program("recover", name, "--force", cwd=tmp_path)
        assert done.returncode == ExitCode.OK
        assert all(line.startswith(b"note: ") for line in done.stderr.splitlines())


def test_a_password_that_nobody_asked_for_is_no_news(form, tmp_path):
    for command in (["recover", "form.pdf"], ["inspect", "form.pdf"], ["detect", "form.pdf"]):
        done = program(*command, "--password", "secret", cwd=tmp_path)
        assert (done.returncode, done.stderr) == (ExitCode.OK, b"")


def test_the_reader_of_a_pipe_may_go_away(form, tmp_path):
    ours, theirs = os.pipe()
    os.close(ours)
    with os.fdopen(theirs, "wb") as closed:
        done = program(
            "detect", "form.pdf", cwd=tmp_path, capture_output=False, stdout=closed, stderr=subprocess.PIPE
        )
    assert done.stderr == b""
    assert done.returncode == ExitCode.OK


def test_lines_are_utf_8_whatever_the_locale(tmp_path):
    (tmp_path / "Übung申.pdf").write_bytes(flat())
    done = program("detect", "Übung申.pdf", cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert json.loads(done.stdout.decode("utf-8"))["document"]["name"] == "Übung申.pdf"


def test_a_file_name_that_is_not_text(tmp_path):
    name = os.fsdecode(b"f\xffrm.pdf")
    Path(tmp_path, name).write_bytes(flat())
    done = program("detect", ".", cwd=tmp_path)
    assert done.returncode == ExitCode.OK
    assert json.loads(done.stdout.decode("utf-8"))["document"]["name"] == "f?rm.pdf"
    done = program("recover", name, cwd=tmp_path)
    assert done.returncode == ExitCode.OK
    assert Path(tmp_path, os.fsdecode(b"f\xffrm.fillable.pdf")).exists()


def test_a_bomb_is_not_inflated_outside_the_reader(tmp_path):
    """The whole program gets less memory than the second page would take."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (480 * 2**20, 480 * 2**20))

    (tmp_path / "bomb.pdf").write_bytes(hostile.content_bomb(400))
    given = ("recover", "bomb.pdf", "--json", "--detector", "ffgbt")
    done = program(*given, cwd=tmp_path, preexec_fn=limited)
    assert done.returncode == ExitCode.OK, done.stderr
    told = json.loads(done.stdout)
    assert len(told["notes"]) == 1
    assert told["notes"][0].startswith("Page 2 could not be read")
    assert (tmp_path / "bomb.fillable.pdf").exists()


def test_ctrl_c_ends_with_a_sentence_and_leaves_nothing(form, tmp_path):
    def interruptible() -> None:
        # A test run started in the background hands down that Ctrl-C is to be ignored.
        signal.signal(signal.SIGINT, signal.SIG_DFL)

    os.mkfifo(tmp_path / "slow.pdf")
    running = subprocess.Popen(
        [*PROGRAM, "detect", "form.pdf", "slow.pdf", "-o", "out"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        preexec_fn=interruptible,
    )
    with os.fdopen(_when_read(tmp_path / "slow.pdf", running), "wb"):
        running.send_signal(signal.SIGINT)
        _, said = running.communicate()
    assert running.returncode == 130
    assert said == b"acromeld: stopped.\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["form.pdf", "slow.pdf"]


def _when_read(pipe: Path, running: subprocess.Popen[bytes]) -> int:
    """The writing end of a pipe, as soon as the program has opened the other one; it must not end before."""
    while running.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            with suppress(subprocess.TimeoutExpired):
                running.wait(0.02)
    assert running.stderr is not None
    raise AssertionError(f"The program ended before: {running.stderr.read().decode()}")
