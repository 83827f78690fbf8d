# SPDX-License-Identifier: Apache-2.0
"""``--report``: the accessibility report that commands write beside a form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.form.output import write_atomically
from acromeld.form.report import accessibility_report
from acromeld.form.report_text import report_bytes
from acromeld.pdf.source import load_source

if TYPE_CHECKING:
    from pathlib import Path


def write_report(form: bytes, written: Path, target: Path, *, overwrite: bool) -> None:
    """Check a form that was just written, and write what was found."""
    found = accessibility_report(load_source(form, name=written.name))
    write_atomically(report_bytes(found, target), target, overwrite=overwrite)
