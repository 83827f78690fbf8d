# SPDX-License-Identifier: Apache-2.0
"""``acromeld train``: make the weights of a detector from a sealed index."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter, validators
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from acromeld.cli.console import plain_console
from acromeld.cli.named import choice, named_or_file

if TYPE_CHECKING:
    from rich.progress import TaskID

    from acromeld.train.answered import Reader
    from acromeld.train.second_look import SecondLook

app = App(name="train", help="Make the weights of a detector from a sealed index.")


@app.command
def ffgbt(
    index: Path,
    /,
    *,
    pdf: Path,
    out: Path,
    workers: int | None = None,
    limit: int | None = None,
    cross: bool = False,
) -> int:
    """Train the boosted-tree detector.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        out: Folder for the weights and the records of the run.
        workers: Processes and threads; default is one per core.
        limit: Use only so many training documents, for a rehearsal.
        cross: Make weights for each fold of the training pages from the other folds instead; AcroMELD learns
            from what these think of the pages they never saw.
    """
    from acromeld.train.ffgbt.run import Settings, cross_fit, train

    bars = _Bars()
    with bars.progress:
        if cross:
            cross_fit(index, pdf, out, workers=workers, progress=bars.step, log=bars.say)
            return 0
        digest = train(
            index, pdf, out, settings=Settings(limit=limit), workers=workers, progress=bars.step, log=bars.say
        )
    print(f"{out / 'ffgbt.npz'}: sha256 {digest}")
    return 0


@app.command
def cache(
    *,
    index: Path,
    corpus: Path,
    out: Path,
    roles: str = "train-real,train-synthetic,development",
    contract: str = "compact",
    experts: Path | None = None,
    pictures_only: Annotated[bool, Parameter(negative="")] = False,
    workers: int = 1,
    limit: int | None = None,
) -> int:
    """Read every page once and keep what training needs of it; a stopped build goes on where it was.

    Args:
        index: The sealed index.
        corpus: Folder with the documents of the index.
        out: Folder of the cache.
        roles: Roles to read, separated by commas.
        contract: Name of the model contract, or a JSON file; it decides canvases and tokens.
        experts: Folder of ``train ffgbt``, run with and without ``--cross``, if the contract has opinions.
        pictures_only: Leave structure out: enough to train the raster branch alone, and much faster.
        workers: Processes.
        limit: So many documents of each role at the most, for a rehearsal.
    """
    from acromeld.corpus.roles import Role
    from acromeld.model.contract import CONTRACTS, ModelContract
    from acromeld.train.data.cache import build_cache

    bars = _Bars()
    wanted = [choice(role.strip(), {role.value: role for role in Role}) for role in roles.split(",")]
    with bars.progress:
        made = build_cache(
            index, corpus, out,
            roles=wanted, contract=named_or_file(contract, CONTRACTS, ModelContract), experts=experts,
            pictures_only=pictures_only, workers=workers, limit=limit,
            progress=lambda done, total: bars.step("Reading pages", done, total),
        )  # fmt: skip
    print(f"{out}: {len(made):,} pages, digest {made.digest}")
    return 0


@app.command(name="acromeld")
def network(
    *,
    cache: Path,
    out: Path,
    plan: str = "compact",
    contract: str | None = None,
    epochs: str | None = None,
    minutes: float | None = None,
    threads: int | None = None,
    workers: int = 0,
    development_pages: int | None = None,
    pretrained: Path | None = None,
    checkpoint_minutes: float = 10.0,
    accept_implementation: str | None = None,
    batch_trial: Annotated[bool, Parameter(negative="")] = False,
    tensorboard: Path | None = None,
    skip_cache_check: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Train the network; the same command goes on with a run that was stopped or killed.

    Args:
        cache: Folder made by ``train cache``.
        out: Folder of the run: checkpoints, metrics, plots.
        plan: Name of a training plan, or a JSON file (``train plan`` prints one to begin with).
        contract: Name of the model contract, or a JSON file; the plan's own unless given.
        epochs: Other lengths of phases, such as ``visual=6,graph=8``; 0 leaves a phase out.
        minutes: Stop after so long; the same command goes on later.
        threads: Threads to compute with; default is OMP_NUM_THREADS, or one for each core.
        workers: Processes that read pages ahead.
        development_pages: Evaluate on a declared sample of so many pages.
        pretrained: Start from these weights: a published ECDet-L checkpoint, weights of another run, or an
            exported network (.onnx).
        checkpoint_minutes: Time between checkpoints within an epoch.
        accept_implementation: Go on with code of this digest, though the run was started with another.
        batch_trial: Choose the pages a device takes at a time by trying the worst page, and record it.
        tensorboard: Folder for TensorBoard, which must be installed.
        skip_cache_check: Do not recompute the digests of the cache's files.
    """
    from acromeld.cli.train_network import train_network

    return train_network(
        cache, out, plan=plan, contract=contract, epochs=epochs, minutes=minutes, threads=threads,
        workers=workers, development_pages=development_pages, pretrained=pretrained,
        checkpoint_minutes=checkpoint_minutes, accept_implementation=accept_implementation,
        batch_trial=batch_trial, tensorboard=tensorboard, verify=not skip_cache_check,
    )  # fmt: skip


@app.command
def export(
    run: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    cache: Path | None = None,
    experts: Path | None = None,
    full: Annotated[bool, Parameter(negative="")] = False,
    least_hope: tuple[float, float] | None = None,
) -> int:
    """Write the selected weights of a run as the file the detector acromeld runs.

    Args:
        run: Folder of ``train acromeld``.
        out: The ONNX file to make.
        cache: The page cache of the run; needed for a model that reads opinions.
        experts: The folder of FFGBT weights that cache was made with; its ffgbt.npz goes into the file.
        full: Keep full precision; otherwise weights are rounded to half precision before anything is scored.
        least_hope: Logits from which on proposals of the picture and seeds of the structure enter the graph.
    """
    from acromeld.train.engine.summary import export_run

    digest = export_run(run, out, cache=cache, experts=experts, half=not full, least_hope=least_hope)
    print(f"{out}: sha256 {digest}")
    return 0


@app.command
def average(
    *networks: Path,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
) -> int:
    """Write the mean of exported networks, each of which was trained on from the one before.

    Args:
        networks: Files of ``train export`` or of releases; contract and FFGBT are those of the last one.
        out: The ONNX file to make, without second looks.
    """
    from acromeld.errors import InputNotFound
    from acromeld.form.output import write_atomically
    from acromeld.model.averaging import averaged
    from acromeld.provenance.digests import sha256_bytes

    if len(networks) < 2:
        raise InputNotFound("A mean needs two networks or more.")
    try:
        files = {str(path): path.read_bytes() for path in networks}
    except OSError as error:
        raise InputNotFound(f"{error.filename} cannot be read: {error.strerror}.") from None
    data = averaged(files)
    write_atomically(data, out, overwrite=False)
    print(f"{out}: sha256 {sha256_bytes(data)}")
    return 0


@app.command
def signing(
    index: Path,
    /,
    *,
    pdf: Path,
    weights: Path,
    experts: Path,
    out: Path,
    halves: tuple[Path, Path] | None = None,
    workers: int = 1,
    limit: int | None = None,
) -> int:
    """Train the second look at places to sign; ``train finish`` puts it into a weights file.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        weights: The exported network whose answers it looks at.
        experts: Folder of ``train ffgbt``, run with and without ``--cross``, that the network learned from.
        out: Folder for the weights and a summary of the run.
        halves: The networks of either half of the training pages, if it is their mean: each is asked about
            the pages of the other.
        workers: Processes.
        limit: Use only so many training documents, for a rehearsal.
    """
    from acromeld.train.answered import Reader
    from acromeld.train.signing.run import SIGNING

    return _second_look(SIGNING, index, Reader(pdf, weights, experts, halves), out, workers, limit)


@app.command
def appraisal(
    index: Path,
    /,
    *,
    pdf: Path,
    weights: Path,
    experts: Path,
    out: Path,
    halves: tuple[Path, Path] | None = None,
    workers: int = 1,
    limit: int | None = None,
) -> int:
    """Train the second look at every place; ``train finish`` puts it into a weights file.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        weights: The exported network whose answers it looks at.
        experts: Folder of ``train ffgbt``, run with and without ``--cross``, that the network learned from.
        out: Folder for the weights and a summary of the run.
        halves: The networks of either half of the training pages, if it is their mean: each is asked about
            the pages of the other.
        workers: Processes and threads.
        limit: Use only so many training documents, for a rehearsal.
    """
    from acromeld.train.answered import Reader
    from acromeld.train.appraisal.run import APPRAISAL

    return _second_look(APPRAISAL, index, Reader(pdf, weights, experts, halves), out, workers, limit)


def _second_look(
    look: SecondLook, index: Path, reader: Reader, out: Path, workers: int, limit: int | None
) -> int:
    bars = _Bars()
    with bars.progress:
        digest = look.train(
            index, out, reader, workers=workers, limit=limit, progress=bars.step, log=bars.say
        )
    print(f"{out / look.file}: sha256 {digest}")
    return 0


@app.command
def finish(
    weights: Path,
    /,
    *,
    out: Annotated[Path, Parameter(name=["--out", "-o"])],
    signing: Path | None = None,
    enough: Annotated[float, Parameter(validator=validators.Number(gt=0, lt=1))] | None = None,
    appraisal: Path | None = None,
    page_evidence: Annotated[float, Parameter(validator=validators.Number(gte=0, lte=8))] | None = None,
    evidence_scores: Annotated[int, Parameter(validator=validators.Number(gte=1, lte=64))] | None = None,
) -> int:
    """Write an exported network again with what may be chosen after training; the rest stays as it is.

    Args:
        weights: A file of ``train export`` or of this command.
        out: The ONNX file to make.
        signing: A second look at places to sign, made by ``train signing``.
        enough: Probability from which on it takes a place for a signature field; by default what its folds
            chose. A network that knows its training pages by heart makes folds believe that little is enough.
        appraisal: A second look at every place, made by ``train appraisal``.
        page_evidence: How much the best scores of a page count for all its scores, an exponent.
        evidence_scores: How many of the best scores those are.
    """
    from acromeld.detect.acromeld.signing.weights import with_enough
    from acromeld.errors import InputNotFound
    from acromeld.form.output import write_atomically
    from acromeld.model.onnx_file import finished
    from acromeld.provenance.digests import sha256_bytes

    choices = {"page_evidence": page_evidence, "evidence_scores": evidence_scores}
    chosen = {name: value for name, value in choices.items() if value is not None}
    given = {"signing": signing, "appraisal": appraisal}
    try:
        network = weights.read_bytes()
        looks = {name: path.read_bytes() for name, path in given.items() if path is not None}
    except OSError as error:
        raise InputNotFound(f"{error.filename} cannot be read: {error.strerror}.") from None
    if enough is not None:
        if signing is None:
            raise InputNotFound("--enough is about the second look that --signing names.")
        looks["signing"] = with_enough(looks["signing"], enough, signing.name)
    data = finished(network, weights.name, looks, **chosen)
    write_atomically(data, out, overwrite=False)
    print(f"{out}: sha256 {sha256_bytes(data)}")
    return 0


@app.command
def plan(name: str = "compact", /) -> int:
    """Print a training plan as JSON, to read or to edit and hand to ``train acromeld --plan``.

    Args:
        name: Name of the plan.
    """
    from acromeld.train.engine.plan import PLANS

    print(choice(name, PLANS).model_dump_json(indent=2))
    return 0


@app.command
def groups(index: Path, /, *, pdf: Path, out: Path, workers: int = 1, limit: int | None = None) -> int:
    """Train the finder of radio groups.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        out: Folder for the weights and a summary of the run.
        halves: The networks of either half of the training pages, if it is their mean: each is asked about
            the pages of the other.
        workers: Processes and threads.
        limit: Use only so many training documents, for a rehearsal.
    """
    from acromeld.train.groups.run import train

    bars = _Bars()
    with bars.progress:
        digest = train(index, pdf, out, workers=workers, limit=limit, progress=bars.step)
    print(f"{out / 'groups.npz'}: sha256 {digest}")
    return 0


@app.command
def labels(
    index: Path, /, *, pdf: Path, out: Path, threads: int | None = None, limit: int | None = None
) -> int:
    """Train the scorers of labels and kinds of text from what authors wrote into their forms.

    Args:
        index: The sealed index.
        pdf: Folder with the documents of the index.
        out: Folder for the weights and the records of the run.
        threads: For fitting; default is one per core.
        limit: Use only so many training documents, for a rehearsal.
    """
    from acromeld.train.labels.run import Settings, train

    bars = _Bars()
    with bars.progress:
        digest = train(
            index, pdf, out, settings=Settings(limit=limit), threads=threads, progress=bars.step, log=bars.say
        )
    print(f"{out / 'describe.npz'}: sha256 {digest}")
    return 0


class _Bars:
    """One bar per stage on a terminal, plain lines in a log file."""

    def __init__(self) -> None:
        self.console = plain_console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self.progress = Progress(*columns, console=self.console, disable=not self.console.is_terminal)
        self.tasks: dict[str, TaskID] = {}

    def step(self, stage: str, done: int, total: int) -> None:
        """Advance a stage, and say so every tenth of the way where there is no terminal."""
        if stage not in self.tasks:
            self.tasks[stage] = self.progress.add_task(stage, total=total)
        self.progress.update(self.tasks[stage], completed=done)
        if self.progress.disable and done % max(total // 10, 1) == 0:
            self.say(f"{stage}: {done} of {total}")

    def say(self, sentence: str) -> None:
        """A line above the bars."""
        if self.progress.disable:
            print(sentence, file=sys.stderr, flush=True)
        else:
            self.console.print(sentence, highlight=False)
