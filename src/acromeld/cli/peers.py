# SPDX-License-Identifier: Apache-2.0
"""``acromeld peers``: other people's detectors on the same pages, for comparison."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators

from acromeld.cli.console import page_progress
from acromeld.cli.detect import find_pdfs
from acromeld.cli.targets import check_targets
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound
from acromeld.evaluate.truth import role_pages
from acromeld.form.output import write_atomically
from acromeld.peers.commonforms import environment
from acromeld.peers.commonforms.profiles import ModelName, ProfileName
from acromeld.peers.commonforms.run import PageDone
from acromeld.peers.commonforms.run import predict as predict_lines
from acromeld.peers.commonforms.verify import table
from acromeld.peers.commonforms.verify import verify as verify_pages

if TYPE_CHECKING:
    from collections.abc import Iterator

app = App(name="peers", help="Other people's detectors, run for comparison only.")
commonforms = App(name="commonforms", help="FFDNet-L and FFDNet-S in an environment of their own.")
app.command(commonforms)

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]


@commonforms.command
def setup(*, folder: Path | None = None) -> int:
    """Make the environment of the reference: toolkit, published weights, ONNX export (about 1.5 GB).

    Args:
        folder: Where to make it; by default a folder in the user's cache.
    """
    made = environment.ensure(folder, say=lambda step: print(f"{step} ...", file=sys.stderr))
    print(made.folder)
    return 0


@commonforms.command
def predict(
    *paths: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    index: Path | None = None,
    role: Role | None = None,
    sample: Count | None = None,
    seed: int = 0,
    model: ModelName = "l",
    profile: ProfileName = "plain1216",
    folder: Path | None = None,
    cache: Path | None = None,
    threads: Count | None = None,
) -> int:
    """Write raw prediction lines of CommonForms, of files or of the (sampled) pages of a role.

    Args:
        paths: PDF files and folders; with an index, the one folder its files lie in.
        output: The file of lines to write.
        index: A sealed index.
        role: Whose pages.
        sample: Only so many pages, the same ones as ``acromeld predict`` with this seed.
        seed: Of the sample.
        model: The large or the small network.
        profile: As trained (plain1216) or as the tool runs it (packaged).
        folder: The environment of the reference.
        cache: Folder of known predictions.
        threads: Threads of the network.
    """
    check_targets(paths, [output], force=False)
    files, pages = _pages(paths, index, role, sample, seed)
    done: list[PageDone] = []
    total = None if pages is None else sum(map(len, pages.values()))

    def lines() -> Iterator[str]:
        with page_progress(f"CommonForms {model} {profile}") as progress:

            def told(page: PageDone) -> None:
                done.append(page)
                progress(len(done), total or len(done))

            found = predict_lines(files, model, profile, pages, cache, told, folder=folder, threads=threads)
            yield from (f"{line}\n" for line in found)

    write_atomically("".join(lines()).encode(), output, overwrite=False)
    fresh = [page.seconds for page in done if not page.cached]
    pace = f"; {sum(fresh) / len(fresh):.2f} s a page" if fresh else ""
    print(f"{output}: {len(done):,} pages, {len(done) - len(fresh):,} of them known before{pace}.")
    return 0


@commonforms.command
def verify(
    *files: Path,
    model: ModelName = "s",
    profile: ProfileName = "plain1216",
    folder: Path | None = None,
    threads: Count = 1,
) -> int:
    """Compare our runner with the toolkit's own prediction on the first page of each file.

    Args:
        files: PDF files.
        model: The large or the small network.
        profile: As trained (plain1216) or as the tool runs it (packaged).
        folder: The environment of the reference.
        threads: Threads of both.
    """
    pages = [(file, 0) for file in find_pdfs(files)]
    print(table(verify_pages(pages, model, profile, folder=folder, threads=threads)))
    return 0


def _pages(
    paths: tuple[Path, ...], index: Path | None, role: Role | None, sample: int | None, seed: int
) -> tuple[list[Path], dict[str, list[int]] | None]:
    if index is None and role is None and sample is None:
        return find_pdfs(paths), None
    if index is None or role is None:
        raise InputNotFound("Pages of a role need both --index and --role.")
    if len(paths) != 1 or not paths[0].is_dir():
        raise InputNotFound("With an index, name the one folder its PDFs lie in.")
    with open_index(index) as opened:
        rows = role_pages(opened, role, sample, seed)
        files = {row.sha256: paths[0] / row.file for row in opened.documents(role)}
    pages = {sha256: [row.page for row in found] for sha256, found in rows.items()}
    return [files[sha256] for sha256 in pages], pages
