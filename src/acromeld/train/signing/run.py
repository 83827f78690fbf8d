# SPDX-License-Identifier: Apache-2.0
"""The whole training of the second look: sealed index and a network in, weights and records out.

Leaves ``signing.npz``, ``run-identity.json`` and ``training-summary.json``. ``acromeld train finish`` puts
the weights into the file of that network, and ``acromeld freeze`` takes the records.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.detect.acromeld.signing.weights import pack
from acromeld.evaluate.truth import role_pages, role_targets
from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_bytes, sha256_file, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.train.data.experts import experts_digest
from acromeld.train.signing.examples import Job, collect
from acromeld.train.signing.fitting import FOLDS, FREEDOM, ROUNDS, TREES, fit_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WEIGHTS, IDENTITY, SUMMARY = "signing.npz", "run-identity.json", "training-summary.json"


def train(
    index_path: Path,
    pdf: Path,
    out: Path,
    *,
    weights: Path,
    experts: Path,
    workers: int,
    limit: int | None = None,
    progress: Callable[[str, int, int], None],
    log: Callable[[str], None],
) -> str:
    """Train from the train-real documents; the digest of the weights."""
    began = time.perf_counter()
    judged_by, network = experts_digest(experts), sha256_file(weights)
    with open_index(index_path) as index:
        documents = list(index.documents(Role.TRAIN_REAL))[:limit]
        targets = role_targets(index, role_pages(index, Role.TRAIN_REAL))
        digest = index.digest
    pages: dict[str, list[int]] = {}
    for sha256, number in targets:
        pages.setdefault(sha256, []).append(number)
    jobs = [
        Job(row, tuple(targets[row.sha256, number] for number in sorted(pages.get(row.sha256, ()))))
        for row in documents
    ]
    found = collect(
        jobs, pdf, weights, experts,
        workers=workers, progress=lambda done, total: progress("Looking at places to sign", done, total),
    )  # fmt: skip
    fitted = fit_all(found, log=log)
    data = pack(fitted.page, fitted.caption, fitted.trees, fitted.columns, fitted.enough)
    identity = _identity(digest, network, {"experts": judged_by, "limit": limit})
    summary = {
        "trained": "second look at places to sign",
        "network": network,
        "experts": judged_by,
        "documents": len(documents),
        "pages": len(found),
        "candidates": sum(len(page.label) for page in found),
        "signature_fields": fitted.fields,
        "enough": fitted.enough,
        "folds": {"f1": round(fitted.f1, 4), "found": fitted.found, "places": fitted.places},
        "bytes": len(data),
        "minutes": round((time.perf_counter() - began) / 60, 1),
    }
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(data, out / WEIGHTS, overwrite=True)
    for name, record in ((IDENTITY, identity.record()), (SUMMARY, summary)):
        text = json.dumps(record, indent=1, sort_keys=True) + "\n"
        write_atomically(text.encode(), out / name, overwrite=True)
    return sha256_bytes(data)


def _identity(index: str, network: str, configuration: dict[str, object]) -> RunIdentity:
    """A run that starts from the network and adds to it."""
    learned = {"trees": TREES, "rounds": ROUNDS, "freedom": FREEDOM, "folds": FOLDS}
    project = project_implementation()
    return RunIdentity(
        index=index,
        model=sha256_object(learned),
        pretrained=network,
        configuration=sha256_object(configuration),
        implementation=package_implementation().digest,
        project=None if project is None else project.digest,
    )
