# SPDX-License-Identifier: Apache-2.0
"""``python -m acromeld.peers.commonforms``: set up the reference, predict with it, check it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from acromeld.errors import AcromeldError
from acromeld.peers.commonforms import environment
from acromeld.peers.commonforms.profiles import ModelName, ProfileName
from acromeld.peers.commonforms.run import PageDone
from acromeld.peers.commonforms.run import predict as predict_lines
from acromeld.peers.commonforms.steps import write_atomically
from acromeld.peers.commonforms.verify import table
from acromeld.peers.commonforms.verify import verify as verify_pages

app = App(name="acromeld.peers.commonforms", help="The CommonForms reference, for comparison only.")

Files = Annotated[list[Path], Parameter(negative=())]


@app.command
def setup(*, folder: Path | None = None) -> None:
    """Make the environment of the reference (about 2 GB): toolkit, published weights, ONNX export.

    Args:
        folder: Where to make it; by default a folder in the user's cache.
    """
    made = environment.ensure(folder, say=lambda step: print(f"{step} ...", file=sys.stderr))
    print(made.folder)


@app.command
def predict(
    files: Files,
    /,
    *,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    model: ModelName = "l",
    profile: ProfileName = "plain1216",
    folder: Path | None = None,
    cache: Path | None = None,
    threads: int | None = None,
) -> None:
    """Write raw prediction lines for PDF files.

    Args:
        files: The PDF files.
        output: The file of lines to write.
        model: The large or the small network.
        profile: As trained (plain1216) or as the tool runs it (packaged).
        folder: The environment of the reference.
        cache: Folder of known predictions.
        threads: Threads of the network.
    """
    done: list[PageDone] = []
    lines = predict_lines(files, model, profile, None, cache, done.append, folder=folder, threads=threads)
    write_atomically(output, "".join(f"{line}\n" for line in lines))
    fresh = [page.seconds for page in done if not page.cached]
    pace = f"; {sum(fresh) / len(fresh):.2f} s a page" if fresh else ""
    print(f"{len(done)} pages, {len(done) - len(fresh)} of them known before{pace}.", file=sys.stderr)


@app.command
def verify(
    files: Files,
    /,
    *,
    model: ModelName = "s",
    profile: ProfileName = "plain1216",
    folder: Path | None = None,
    threads: int = 1,
) -> None:
    """Compare our runner with the toolkit's own prediction on the first page of each file.

    Args:
        files: The PDF files.
        model: The large or the small network.
        profile: As trained (plain1216) or as the tool runs it (packaged).
        folder: The environment of the reference.
        threads: Threads of both.
    """
    pages = [(file, 0) for file in files]
    print(table(verify_pages(pages, model, profile, folder=folder, threads=threads)))


def main() -> int:
    """Run a command; a failure is one sentence."""
    try:
        app()
    except AcromeldError as error:
        print(error, file=sys.stderr)
        return int(error.exit_code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
