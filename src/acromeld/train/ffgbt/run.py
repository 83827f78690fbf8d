# SPDX-License-Identifier: Apache-2.0
"""The whole training of FFGBT: sealed index in, weights and records out.

Leaves ``ffgbt.npz``, ``run-identity.json`` and ``training-summary.json`` in the output folder, which
``acromeld freeze`` turns into a candidate. Examples are kept beside them, so that a run that was stopped
while fitting does not read the corpus again. `cross_fit` then leaves ``without-FOLD.npz`` for each fold of
provenance groups: weights that never saw it, for whoever trains on FFGBT's opinion of the training pages.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.detect.ffgbt.candidates import page_candidates
from acromeld.detect.ffgbt.context import context
from acromeld.detect.ffgbt.features import describe
from acromeld.detect.ffgbt.labels import SHAPE
from acromeld.detect.ffgbt.weights import pack
from acromeld.errors import InputNotFound
from acromeld.form.output import write_atomically
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, Primitives
from acromeld.provenance.digests import sha256_bytes, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.train.ffgbt import boosting
from acromeld.train.ffgbt.collect import FOLDS, SCAN_SHARE, Form, collect, count_words, fold_tables
from acromeld.train.ffgbt.examples import Examples
from acromeld.train.ffgbt.fitting import Fitted, Rounds, fit_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    from acromeld.corpus.index import SealedIndex

    Progress = Callable[[str, int, int], None]
    Log = Callable[[str], None]


SPLITS = ((0,), (1, 2), (3, 4))
"""Folds that are left out together when cross-fitting: three fits instead of five."""


@dataclass(frozen=True)
class Settings:
    """What a run depends on besides data and code; its digest is part of the run identity."""

    folds: int = FOLDS
    scan_share: float = SCAN_SHARE
    limit: int | None = None
    """Training documents at the most; for rehearsals."""


def train(
    index_path: Path,
    pdf_folder: Path,
    out: Path,
    *,
    settings: Settings | None = None,
    workers: int | None = None,
    progress: Progress,
    log: Log,
) -> str:
    """Train from the sealed index; the digest of the weights."""
    settings = settings or Settings()
    workers = workers or os.cpu_count() or 1
    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    with open_index(index_path) as index:
        forms = training_forms(index, pdf_folder)[: settings.limit]
        identity = run_identity(index, settings)
    tables, examples = _examples(forms, out, identity, workers, progress)
    fitted = fit_all(examples, threads=workers, log=log)
    data = packed(fitted, tables[-1])
    summary = {
        "documents": len(forms),
        "pages": int(examples.page.max()) + 1,
        "examples": len(examples),
        "fields": np.bincount(examples.label, minlength=4)[1:].tolist(),
        "rounds": asdict(fitted.rounds),
        "bytes": len(data),
        "minutes": round((time.perf_counter() - started) / 60, 1),
        "cpu_minutes": round(sum(os.times()[:4]) / 60, 1),
    }
    write_atomically(data, out / "ffgbt.npz", overwrite=True)
    write_atomically(_json(identity.record()), out / "run-identity.json", overwrite=True)
    write_atomically(_json(summary), out / "training-summary.json", overwrite=True)
    return sha256_bytes(data)


def cross_fit(
    index_path: Path, pdf_folder: Path, out: Path, *, workers: int | None = None, progress: Progress, log: Log
) -> None:
    """Weights for the pages of each fold from models of other folds; files that are there are left alone.

    They take as many rounds as the weights of all folds, so that both are equally sure of themselves.
    """
    workers = workers or os.cpu_count() or 1
    summary = out / "training-summary.json"
    if not summary.is_file():
        raise InputNotFound(f"{summary} is missing: train the weights of all folds first.")
    rounds = Rounds(**json.loads(summary.read_text(encoding="utf-8"))["rounds"])
    with open_index(index_path) as index:
        forms, identity = training_forms(index, pdf_folder), run_identity(index, Settings())
    tables, examples = _examples(forms, out, identity, workers, progress)
    for folds in SPLITS:
        if all((out / f"without-{fold}.npz").is_file() for fold in folds):
            continue
        log(f"without folds {folds}")
        fitted = fit_all(examples.without(folds), rounds=rounds, threads=workers, log=log)
        for fold in folds:
            data = pack(
                features=feature_names(), table=tables[fold], models=fitted.models, snap=fitted.layers
            )
            write_atomically(data, out / f"without-{fold}.npz", overwrite=True)


def training_forms(index: SealedIndex, pdf_folder: Path) -> list[Form]:
    """The train-real documents, which must all be in the folder."""
    forms = [
        Form(pdf_folder / f"{row.sha256}.pdf", row.sha256, row.final_group)
        for row in index.documents(Role.TRAIN_REAL)
    ]
    missing = [form.path.name for form in forms if not form.path.is_file()]
    if missing:
        raise InputNotFound(f"{len(missing)} training documents are not in {pdf_folder}, {missing[0]} first.")
    return forms


def run_identity(index: SealedIndex, settings: Settings) -> RunIdentity:
    """Data, features, parameters and code of this run."""
    contract = {"features": feature_names(), "first": boosting.FIRST_LOOK, "second": boosting.CLASSIFY}
    project = project_implementation()
    return RunIdentity(
        index=index.digest,
        model=sha256_object(contract),
        configuration=sha256_object(asdict(settings)),
        implementation=package_implementation().digest,
        project=project.digest if project else None,
    )


def packed(fitted: Fitted, table: npt.NDArray[np.float32]) -> bytes:
    """The weights file."""
    return pack(features=feature_names(), table=table, models=fitted.models, snap=fitted.layers)


def feature_names() -> tuple[str, ...]:
    """All columns in order, read off an empty page."""
    page, nothing = Page(0, PageFrame((0.0, 0.0, 612.0, 792.0))), Primitives()
    found = page_candidates(nothing, page.width, page.height)
    columns = describe(page, nothing, found, np.zeros(SHAPE, dtype=np.float32))
    return tuple(columns | context(found.box, found.kind, np.zeros((0, 4))))


def _examples(
    forms: list[Form], out: Path, identity: RunIdentity, workers: int, progress: Progress
) -> tuple[npt.NDArray[np.float32], Examples]:
    """Word tables and examples, taken from the last run if its identity is the same."""
    kept = out / f"examples-{identity.digest[:16]}.npz"
    if kept.is_file():
        with np.load(kept, allow_pickle=False) as arrays:
            columns = {name: arrays[name] for name in arrays.files}
        return columns.pop("tables"), Examples(**columns)
    counts = count_words(forms, workers, lambda done, total: progress("Counting words", done, total))
    tables = fold_tables(counts)
    examples = collect(
        forms,
        tables,
        held_out=False,
        workers=workers,
        progress=lambda done, total: progress("Describing candidates", done, total),
    )
    np.savez(kept, tables=tables, **vars(examples))
    return tables, examples


def _json(record: object) -> bytes:
    return (json.dumps(record, indent=1, sort_keys=True) + "\n").encode()
