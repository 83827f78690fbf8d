# SPDX-License-Identifier: Apache-2.0
"""``acromeld apply``: write a (possibly edited) fields file into a copy of its PDF."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from acromeld.cli.accessibility import write_report
from acromeld.cli.console import print_json, say_notes, with_password
from acromeld.cli.targets import check_inputs, check_targets
from acromeld.errors import InputNotFound
from acromeld.fields import parse_document
from acromeld.form.existing import Existing
from acromeld.form.output import write_atomically
from acromeld.recovery import apply as apply_to_pdf


def apply(
    pdf: Path,
    fields: Path,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    report: Path | None = None,
    existing: Existing = Existing.KEEP,
    password: str | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Write the fields of a fields file into a copy of the PDF.

    Args:
        pdf: The original. It is never changed.
        fields: A fields.json, or the lines of ``acromeld detect`` for this PDF.
        output: Where to write.
        report: Also write an accessibility report on the output; .json and .html decide the format, all
            else is text.
        existing: Fields that are there already: keep them, or replace them.
        password: For protected files; asked for on a terminal.
        force: Overwrite the output; write signed files; use fields made for another file.
        json: Print the outcome as JSON.
    """
    check_inputs([pdf, fields])
    check_targets([pdf, fields], [output] if report is None else [output, report], force=force)
    document = parse_document(read_text(fields), str(fields))
    form = with_password(
        lambda key: apply_to_pdf(pdf, document, existing=existing, force=force, password=key), password
    )
    write_atomically(form.data, output, overwrite=force)
    if report is not None:
        write_report(form.data, output, report, overwrite=force)
    if json:
        outcome = {"output": str(output), "written": form.written, "dropped": form.dropped}
        print_json({**outcome, "notes": list(form.notes)})
    else:
        say_notes(form.notes)
        print(f"{output}: {form.written} {'field' if form.written == 1 else 'fields'} written.")
    return 0


def read_text(path: Path) -> bytes:
    """The bytes of a text file the user named."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
