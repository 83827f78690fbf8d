# SPDX-License-Identifier: Apache-2.0
"""``acromeld recover``: a flat PDF in, a fillable PDF out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from acromeld.cli.accessibility import write_report
from acromeld.cli.console import field_counts, in_words, page_progress, print_json, say_notes, with_password
from acromeld.cli.targets import check_inputs, check_targets
from acromeld.detect.registry import DEFAULT
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.form.existing import Existing
from acromeld.form.output import write_atomically
from acromeld.pdf.source import load_source
from acromeld.recovery import Recovered
from acromeld.recovery import recover as recover_pdf


def recover(
    pdf: Path,
    /,
    *,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    fields: Path | None = None,
    report: Path | None = None,
    detector: str = DEFAULT,
    existing: Existing = Existing.KEEP,
    ocr: Ocr = Ocr.AUTO,
    signatures: Signatures = Signatures.AUTO,
    password: str | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Find the missing fields of a PDF and write a fillable copy.

    Args:
        pdf: The flat form. It is never changed.
        output: Where to write; default is IN.fillable.pdf beside the original.
        fields: Also write the fields found, as editable JSON.
        report: Also write an accessibility report on the output; .json and .html decide the format, all
            else is text.
        detector: Which detector finds the fields.
        existing: Fields that are there already: keep them, or replace them by what is found.
        ocr: Read the words of scans for labels, where an OCR engine is installed.
        signatures: Places to sign: as found, all signature fields, all text fields, or left for a pen.
        password: For protected files; asked for on a terminal.
        force: Overwrite the output; write signed files and files with usage rights.
        json: Print the outcome as JSON.
    """
    target = output or pdf.with_name(f"{pdf.stem}.fillable.pdf")
    check_inputs([pdf])
    check_targets([pdf], [target, *(path for path in (fields, report) if path is not None)], force=force)

    def work(key: str | None) -> Recovered:
        with page_progress("Finding fields", quiet=json) as progress:
            source = load_source(pdf, password=key)
            return recover_pdf(
                source,
                detector=detector,
                existing=existing,
                force=force,
                ocr=ocr,
                signatures=signatures,
                progress=progress,
            )

    outcome = with_password(work, password)
    if fields is not None:
        write_atomically(outcome.fields.to_json().encode(), fields, overwrite=force)
    write_atomically(outcome.form.data, target, overwrite=force)
    if report is not None:
        write_report(outcome.form.data, target, report, overwrite=force)
    tell(target, outcome, json=json)
    return 0


def tell(target: Path, outcome: Recovered, *, json: bool) -> None:
    """Tell what was done, to a person or a program."""
    counts = field_counts(outcome.fields)
    form = outcome.form
    if json:
        print_json(
            {
                "output": str(target),
                "document": outcome.fields.document.model_dump(),
                "pages": len(outcome.fields.pages),
                "found": counts,
                "written": form.written,
                "dropped": form.dropped,
                "notes": list(dict.fromkeys(outcome.notes)),
            }
        )
        return
    say_notes(outcome.notes)
    pages = len(outcome.fields.pages)
    found = f"{in_words(counts)} found on {pages} {'page' if pages == 1 else 'pages'}"
    print(f"{target}: {found}, {form.written} written.")
