# SPDX-License-Identifier: Apache-2.0
"""The whole training of the second look at places to sign: sealed index and a network in, weights out."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from acromeld.detect.acromeld.signing.weights import pack
from acromeld.provenance.digests import sha256_file
from acromeld.train.answered import Reader, collect, training_jobs
from acromeld.train.data.experts import experts_digest
from acromeld.train.look_records import look_identity, write_look
from acromeld.train.signing.examples import document_pages
from acromeld.train.signing.fitting import FREEDOM, ROUNDS, TREES, fit_all
from acromeld.train.word_evidence import FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

WEIGHTS = "signing.npz"


def train(
    index: Path,
    out: Path,
    reader: Reader,
    *,
    workers: int,
    limit: int | None = None,
    progress: Callable[[str, int, int], None],
    log: Callable[[str], None],
) -> str:
    """Train from the train-real documents; the digest of the weights."""
    began = time.perf_counter()
    judged_by, network = experts_digest(reader.experts), sha256_file(reader.weights)
    jobs, digest = training_jobs(index, limit)
    found = collect(
        partial(document_pages, reader=reader),
        jobs,
        workers=workers,
        progress=lambda done, total: progress("Looking at places to sign", done, total),
    )
    fitted = fit_all(found, log=log)
    data = pack(fitted.page, fitted.caption, fitted.trees, fitted.columns, fitted.enough)
    learned = {"trees": TREES, "rounds": ROUNDS, "freedom": FREEDOM, "folds": FOLDS}
    identity = look_identity(digest, network, learned, {"experts": judged_by, "limit": limit})
    summary = {
        "trained": "second look at places to sign",
        "network": network,
        "experts": judged_by,
        "documents": len(jobs),
        "pages": len(found),
        "candidates": sum(len(page.label) for page in found),
        "signature_fields": fitted.fields,
        "enough": fitted.enough,
        "folds": {"f1": round(fitted.f1, 4), "found": fitted.found, "places": fitted.places},
        "bytes": len(data),
        "minutes": round((time.perf_counter() - began) / 60, 1),
    }
    return write_look(out, WEIGHTS, data, identity, summary)
