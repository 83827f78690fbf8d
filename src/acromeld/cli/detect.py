# SPDX-License-Identifier: Apache-2.0
"""``acromeld detect``: one JSON line per page, for one file or for folders of them."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

from cyclopts import Parameter

from acromeld.cli.console import page_progress, say_notes, with_password
from acromeld.cli.draw import draw_document, picture_path
from acromeld.cli.targets import check_inputs, check_targets
from acromeld.detect.registry import DEFAULT, load_detector
from acromeld.errors import AcromeldError, BadUsage, ExitCode, InputNotFound, OutputProblem
from acromeld.form.describe.ocr import Ocr
from acromeld.form.describe.signing import Signatures
from acromeld.pdf.isolation import IsolatedDocument, IsolatedReader
from acromeld.recovery import detect_pages

if TYPE_CHECKING:
    from collections.abc import Iterator


def detect(
    *paths: Path,
    raw: Annotated[bool, Parameter(negative="")] = False,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    detector: str = DEFAULT,
    draw: Path | None = None,
    ocr: Ocr = Ocr.AUTO,
    signatures: Signatures = Signatures.AUTO,
    password: str | None = None,
    force: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Find fields and write them as JSON, one line per page.

    Args:
        paths: PDF files, or folders that are searched for them.
        raw: Every candidate above 0.01 for evaluation, class thresholds not applied.
        output: Where to write; default is standard output.
        detector: Which detector finds the fields.
        draw: Also draw the fields over the pages, as PNG. If the PDF has fields already, false alarms are
            red and missed ones orange. For one PDF at a time.
        ocr: Read the words of scans for labels, where an OCR engine is installed.
        signatures: Places to sign: as found, all signature fields, all text fields, or left for a pen.
        password: For protected files; asked for on a terminal.
        force: Overwrite the output.
    """
    files = find_pdfs(paths)
    several = len(files) > 1
    if draw is not None and several:
        raise BadUsage("--draw takes one PDF at a time.")
    if not several:
        check_inputs(files)
    check_targets(files, [path for path in (output, draw) if path is not None], force=force)
    finder = load_detector(detector)
    failed: list[AcromeldError] = []
    with (
        _lines_to(output) as out,
        IsolatedReader() as reader,
        page_progress("Finding fields") as progress,
    ):
        for number, file in enumerate(files, 1):
            try:
                document = _open(reader, file, password)
                if draw is not None:
                    for index in range(len(document.facts)):
                        check_targets([file], [picture_path(draw, index)], force=force)
                found = detect_pages(document, finder, raw=raw, ocr=ocr, signatures=signatures)
                if draw is not None:
                    draw_document(document, found.fields, draw, overwrite=force)
            except AcromeldError as error:
                failed.append(error)
                print(f"acromeld: {_about(file, str(error)) if several else error}", file=sys.stderr)
            else:
                say_notes(_about(file, note) if several else note for note in found.notes)
                out.writelines(f"{line}\n" for line in found.fields.to_lines())
            progress(number, len(files))
    if failed:
        return ExitCode.PARTIAL if several else failed[0].exit_code
    return ExitCode.OK


def find_pdfs(paths: tuple[Path, ...]) -> list[Path]:
    """The files named, and the PDFs below the folders named, in a stable order and each once.

    A file that is reached twice, by its name and by its folder or by a link, would otherwise have all its
    pages twice, which no fields file may.
    """
    if not paths:
        raise BadUsage("Name at least one PDF file or folder.")
    files: list[Path] = []
    for path in paths:
        if path.is_dir():
            found = sorted(
                file for file in path.rglob("*") if file.suffix.lower() == ".pdf" and file.is_file()
            )
            if not found:
                raise InputNotFound(f"There is no PDF in {path}.")
            files += found
        else:
            files.append(path)
    once: dict[str, Path] = {}
    for file in files:
        once.setdefault(os.path.realpath(file), file)
    return list(once.values())


def _about(file: Path, sentence: str) -> str:
    """The sentence with the file it is about in front, unless it begins with it."""
    return sentence if sentence.startswith(str(file)) else f"{file}: {sentence}"


def _open(reader: IsolatedReader, file: Path, password: str | None) -> IsolatedDocument:
    return with_password(lambda key: reader.open(file, password=key), password)


@contextmanager
def _lines_to(output: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears when all lines are written, and only if there are any."""
    if output is None:
        yield sys.stdout
        return
    partial = output.with_name(f".{output.name[:40]}.{secrets.token_hex(6)}.part")
    try:
        with partial.open("x", encoding="utf-8", newline="\n") as file:
            yield file
            something = file.tell() > 0
        if something:
            partial.replace(output)
    except OSError as error:
        raise OutputProblem(f"{output} cannot be written: {error.strerror or error}.") from None
    finally:
        partial.unlink(missing_ok=True)
