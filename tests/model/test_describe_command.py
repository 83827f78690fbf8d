# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import subprocess
import sys

import pytest

from acromeld.cli import run
from acromeld.errors import ExitCode
from acromeld.model.contract import CONTRACTS


def test_the_table_of_the_paper(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "describe", "paper"]) == ExitCode.OK
    said = capsys.readouterr().out
    counts = ("22,463,664", "10,383,275", "1,789,184", "4,221,984", "235,649", "281,668", "39,375,424")
    assert all(count in said for count in (*counts, "23,852"))
    assert f"sha256 {CONTRACTS['paper'].digest()}" in said


def test_programs_get_the_same_numbers_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "describe", "compact", "--json"]) == ExitCode.OK
    told = json.loads(capsys.readouterr().out)
    assert told["contract"] == "compact"
    assert told["sha256"] == CONTRACTS["compact"].digest()
    assert told["total"] == sum(told["parameters"].values()) > 0


def test_an_unknown_contract_is_a_mistake_in_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["model", "describe", "enormous"]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert said.out == ""
    assert "enormous" in said.err
    assert said.err.count("\n") == 1


def test_without_torch_one_sentence_says_what_to_install() -> None:
    script = (
        "import sys\n"
        "sys.modules['torch'] = None\n"
        "from acromeld.cli import run\n"
        "sys.exit(run(['model', 'describe', 'paper']))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == ExitCode.FAILURE
    assert done.stderr == (
        "acromeld: This command needs torch, which is not installed: pip install acromeld[train].\n"
    )
