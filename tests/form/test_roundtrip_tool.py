# SPDX-License-Identifier: Apache-2.0
"""The corpus round trip, on a corpus of three."""

import subprocess
import sys
from pathlib import Path

from acromeld.fields import Field
from acromeld.form.writer import apply_fields
from tests.form.samples import CHOICE, add_widget, edited, fields_for, flat, paged, source

TOOL = Path(__file__).parents[2] / "tools" / "roundtrip.py"


def run(folder):
    command = [sys.executable, str(TOOL), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def form(**page):
    document = source(paged(**page))
    extra = Field(kind=CHOICE, box=(300, 300, 310.123456, 311.98765), group="g")
    return apply_fields(document, fields_for(document, [*fields_for(document).pages[0].fields, extra])).data


def test_good_forms_pass(tmp_path):
    (tmp_path / "a.pdf").write_bytes(form(rotation=90, crop=(5, 6, 600, 700)))
    (tmp_path / "b.pdf").write_bytes(form(unit=3.0))
    (tmp_path / "c.pdf").write_bytes(edited(flat(), lambda pdf: add_widget(pdf, (400, 100, 500, 120))))
    done = run(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "11" in done.stdout


def test_failures_are_listed_and_change_the_exit_code(tmp_path):
    (tmp_path / "good.pdf").write_bytes(form())
    (tmp_path / "bad.pdf").write_bytes(b"not a PDF")
    done = run(tmp_path)
    assert done.returncode == 1
    assert "bad.pdf: bad.pdf is not a PDF" in done.stdout


def test_an_empty_folder_is_no_success(tmp_path):
    assert run(tmp_path).returncode == 1
