# SPDX-License-Identifier: Apache-2.0
"""What may be written where is decided before any work, and never by force alone."""

import os
import stat
from pathlib import Path

import pytest

from acromeld.cli import apply as apply_command
from acromeld.cli import detect as detect_command
from acromeld.cli import recover as recover_command
from acromeld.errors import ExitCode

WRITERS = {
    "recover": ["recover", "form.pdf", "-o", "out"],
    "recover's fields": ["recover", "form.pdf", "-o", "new.pdf", "--fields", "out"],
    "recover's report": ["recover", "form.pdf", "-o", "new.pdf", "--report", "out"],
    "detect": ["detect", "form.pdf", "-o", "out"],
    "detect's picture": ["detect", "form.pdf", "-o", "new.jsonl", "--draw", "out"],
    "apply": ["apply", "form.pdf", "fields.json", "-o", "out"],
}


@pytest.fixture
def no_work(form, tmp_path, monkeypatch):
    """A fields file, and commands that fail as soon as they begin to work."""

    def fail(*_arguments: object, **_options: object) -> None:
        raise AssertionError("the work began")

    (tmp_path / "fields.json").write_text("{}")
    monkeypatch.setattr(recover_command, "recover_pdf", fail)
    monkeypatch.setattr(apply_command, "apply_to_pdf", fail)
    monkeypatch.setattr(apply_command, "parse_document", fail)
    monkeypatch.setattr(detect_command, "detect_pages", fail)


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("linked", [False, True], ids=["pipe", "link to a pipe"])
@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS.keys())
def test_devices_and_pipes_are_not_replaced_even_by_force(acromeld, tmp_path, arguments, linked):
    """A pipe stands for them all; nobody tests this on a device."""
    os.mkfifo(tmp_path / ("pipe" if linked else "out"))
    if linked:
        (tmp_path / "out").symlink_to("pipe")
    for force in ([], ["--force"]):
        done = acromeld(*arguments, *force)
        assert done.code == ExitCode.OUTPUT
        assert done.one_sentence() == "out is a device or a pipe, not a file, and is never replaced."
    assert stat.S_ISFIFO((tmp_path / "out").stat().st_mode)
    assert (tmp_path / "out").is_symlink() == linked


@pytest.mark.parametrize(
    ("arguments", "out"),
    [
        (["recover", "form.pdf", "-o", "out"], "out"),
        (["detect", "form.pdf", "-o", "out"], "out"),
        (["detect", "form.pdf", "--draw", "out.png"], "out.png"),
        (["detect", "form.pdf", "--draw", "out.png"], "out-2.png"),
    ],
)
@pytest.mark.usefixtures("form")
def test_force_replaces_a_link_and_not_what_it_leads_to(acromeld, tmp_path, arguments, out):
    (tmp_path / "elsewhere").write_text("precious")
    (tmp_path / out).symlink_to("elsewhere")
    assert acromeld(*arguments).code == ExitCode.OUTPUT
    assert (tmp_path / out).is_symlink()
    assert acromeld(*arguments, "--force").code == ExitCode.OK
    assert not (tmp_path / out).is_symlink()
    assert (tmp_path / "elsewhere").read_bytes() == b"precious"


@pytest.mark.usefixtures("no_work")
def test_a_link_that_leads_nowhere_is_something_that_is_there(acromeld, form, tmp_path):
    (tmp_path / "out").symlink_to("nowhere")
    done = acromeld("recover", form, "-o", "out")
    assert done.code == ExitCode.OUTPUT
    assert done.one_sentence() == "out exists already; --force overwrites it."


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS.keys())
def test_a_folder_that_cannot_be_written_is_noticed_before_the_work(acromeld, monkeypatch, arguments):
    # Who runs the tests may be one whom no folder stops.
    monkeypatch.setattr(os, "access", lambda _path, mode: not mode & os.W_OK)
    done = acromeld(*arguments)
    assert done.code == ExitCode.OUTPUT
    assert done.one_sentence() == "The folder . may not be written to."


@pytest.mark.parametrize(
    "arguments",
    [
        ["recover", "nofolder/form.pdf"],
        ["recover", "nofolder/form.pdf", "-o", "nowhere/out.pdf"],
        ["detect", "nofolder/form.pdf", "-o", "nowhere/out.jsonl"],
        ["detect", "nofolder/form.pdf", "-o", "form.pdf"],
        ["apply", "nofolder/form.pdf", "fields.json", "-o", "nowhere/out.pdf"],
        ["apply", "form.pdf", "nofolder/form.pdf", "-o", "nowhere/out.pdf"],
    ],
    ids=" ".join,
)
@pytest.mark.usefixtures("no_work")
def test_a_missing_input_is_what_is_told(acromeld, arguments):
    done = acromeld(*arguments)
    assert done.code == ExitCode.NOT_FOUND
    assert done.one_sentence() == f"{Path('nofolder/form.pdf')} does not exist."


@pytest.mark.parametrize("arguments", [["detect"], ["detect", "form.pdf", "second.pdf", "--draw", "p.png"]])
def test_a_command_line_that_makes_no_sense(acromeld, form, tmp_path, arguments):
    (tmp_path / "second.pdf").write_bytes(form.read_bytes())
    done = acromeld(*arguments)
    assert done.code == ExitCode.USAGE
    done.one_sentence()
