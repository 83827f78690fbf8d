# SPDX-License-Identifier: Apache-2.0
"""The whole training of the label and kind scorers: sealed index in, weights and records out.

Leaves ``describe.npz``, ``run-identity.json`` and ``training-summary.json`` in the output folder. The file
goes into the package by copying it to ``acromeld/form/describe``.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from acromeld.corpus.index import open_index
from acromeld.errors import AcromeldError
from acromeld.form.describe.label_weights import FILE, pack
from acromeld.form.output import write_atomically
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.provenance.digests import sha256_bytes, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.train.ffgbt.run import training_forms
from acromeld.train.labels import fitting
from acromeld.train.labels.examples import page_examples, thinned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from acromeld.corpus.index import SealedIndex
    from acromeld.train.ffgbt.collect import Form
    from acromeld.train.labels.examples import PageExamples

    Progress = Callable[[str, int, int], None]
    Log = Callable[[str], None]


@dataclass(frozen=True)
class Settings:
    """What a run depends on besides data and code; its digest is part of the run identity."""

    pages_per_document: int = 3
    """Pages of a document at the most, evenly taken from those with fields."""

    per_document: int = 60
    """Labelled fields of a document at the most: the rest of it is named in the same style."""

    limit: int | None = None
    """Training documents at the most; for rehearsals."""


def train(
    index_path: Path,
    pdf_folder: Path,
    out: Path,
    *,
    settings: Settings | None = None,
    threads: int | None = None,
    progress: Progress,
    log: Log,
) -> str:
    """Train from the train-real documents of a sealed index; the digest of the weights."""
    settings = settings or Settings()
    started = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    with open_index(index_path) as index:
        forms = training_forms(index, pdf_folder)[: settings.limit]
        identity = _identity(index, settings)
    examples = list(_examples(forms, settings.pages_per_document, progress, log))
    pages = thinned(examples, settings.per_document)
    models = fitting.fit_all(pages, threads=threads or os.cpu_count() or 1, log=log)
    data = pack(fitting.as_onnx(models), fitting.feature_names(pages))
    summary = {
        "documents": len(forms),
        "pages": len(pages),
        "texts": sum(len(page.target) for page in pages),
        "labelled_fields": sum(words is not None for page in pages for words in page.truth),
        "text_fields": sum(len(page.kind) for page in pages),
        "bytes": len(data),
        "minutes": round((time.perf_counter() - started) / 60, 1),
        "cpu_minutes": round(sum(os.times()[:4]) / 60, 1),
    }
    write_atomically(data, out / FILE, overwrite=True)
    write_atomically(_json(identity.record()), out / "run-identity.json", overwrite=True)
    write_atomically(_json(summary), out / "training-summary.json", overwrite=True)
    return sha256_bytes(data)


def _examples(forms: Sequence[Form], most: int, progress: Progress, log: Log) -> Iterator[PageExamples]:
    for number, form in enumerate(forms, 1):
        try:
            yield from document_examples(form, most)
        except AcromeldError as error:
            log(f"{form.path.name} was left out: {error}")
        progress("Reading forms", number, len(forms))


def document_examples(form: Form, most: int) -> Iterator[PageExamples]:
    """The examples of at most so many pages of one document, evenly taken from those with fields."""
    with open_document(form.path) as document:
        widgets = {index: document.widgets(index).widgets for index in range(len(document))}
        filled = [index for index, found in widgets.items() if found]
        step = max(len(filled) / most, 1.0)
        for place in range(min(most, len(filled))):
            index = filled[int(place * step)]
            page = document.read_page(index, PageNeeds())
            found = page_examples(page, widgets[index], form.sha256, form.group)
            if found is not None:
                yield found


def _identity(index: SealedIndex, settings: Settings) -> RunIdentity:
    contract = {
        "single": fitting.SINGLE,
        "pair": fitting.PAIR,
        "kind": fitting.KIND,
        "rounds": fitting.ROUNDS,
    }
    project = project_implementation()
    return RunIdentity(
        index=index.digest,
        model=sha256_object(contract),
        configuration=sha256_object(asdict(settings)),
        implementation=package_implementation().digest,
        project=project.digest if project else None,
    )


def _json(record: object) -> bytes:
    return (json.dumps(record, indent=1, sort_keys=True) + "\n").encode()
