# SPDX-License-Identifier: Apache-2.0
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from acromeld.cli import run as run_command
from tests.form.samples import flat


@dataclass(frozen=True)
class Outcome:
    """What a command said and how it ended."""

    code: int
    out: str
    err: str

    def one_sentence(self) -> str:
        """The only line on standard error, without the name of the program; nothing else was said."""
        assert self.out == ""
        assert "Traceback" not in self.err
        (line,) = self.err.splitlines()
        assert line.startswith("acromeld: ")
        assert line.endswith(".")
        return line.removeprefix("acromeld: ")


@pytest.fixture
def acromeld(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., Outcome]:
    """Run a command in this process, in a folder of its own."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        code = run_command([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Outcome(int(code), said.out, said.err)

    return run


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A flat form of two pages, each with a rule and a check box."""
    path = tmp_path / "form.pdf"
    path.write_bytes(flat(pages=2))
    return path
