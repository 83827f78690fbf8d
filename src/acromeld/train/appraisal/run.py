# SPDX-License-Identifier: Apache-2.0
"""The whole training of the appraisal: sealed index and a network in, weights and records out."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from acromeld.detect.acromeld.appraisal.weights import pack
from acromeld.errors import Refused
from acromeld.provenance.digests import sha256_file
from acromeld.train.answered import collect, training_jobs
from acromeld.train.appraisal.examples import SCANNED, document_pages
from acromeld.train.appraisal.fitting import FREEDOM, ROUNDS, TREES, fit_all
from acromeld.train.data.experts import experts_digest
from acromeld.train.look_records import look_identity, write_look
from acromeld.train.word_evidence import FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from acromeld.train.answered import Reader

WEIGHTS = "appraisal.npz"


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
    if not reader.network().contract.opinions:
        raise Refused("An appraisal hears the opinions of FFGBT, and this network reads none.")
    judged_by, network = experts_digest(reader.experts), sha256_file(reader.weights)
    jobs, digest = training_jobs(index, limit)
    found = collect(
        partial(document_pages, reader=reader),
        jobs,
        workers=workers,
        progress=lambda done, total: progress("Looking at places", done, total),
    )
    fitted = fit_all(found, threads=workers, log=log)
    data = pack(fitted.weights)
    learned = {"trees": TREES, "rounds": ROUNDS, "freedom": FREEDOM, "folds": FOLDS, "scanned": SCANNED}
    identity = look_identity(digest, network, learned, {"experts": judged_by, "limit": limit})
    summary = {
        "trained": "appraisal of places",
        "network": network,
        "experts": judged_by,
        "documents": len(jobs),
        "pages": len(found),
        "places": sum(len(page.label) for page in found),
        "fields": int(sum(page.label.sum() for page in found)),
        "log_loss": {"network": round(fitted.before, 4), "folds": round(fitted.after, 4)},
        "bytes": len(data),
        "minutes": round((time.perf_counter() - began) / 60, 1),
    }
    return write_look(out, WEIGHTS, data, identity, summary)
