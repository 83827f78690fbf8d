# SPDX-License-Identifier: Apache-2.0
"""The appraisal, as something to train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.detect.acromeld.appraisal.weights import pack
from acromeld.train.appraisal.examples import SCANNED, document_pages
from acromeld.train.appraisal.fitting import FREEDOM, ROUNDS, TREES, fit_all
from acromeld.train.second_look import SecondLook
from acromeld.train.word_evidence import FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.train.appraisal.examples import AppraisedPage


def fit(
    pages: list[AppraisedPage], *, threads: int, log: Callable[[str], None]
) -> tuple[bytes, dict[str, object]]:
    """The weights file and its summary."""
    fitted = fit_all(pages, threads=threads, log=log)
    return pack(fitted.weights), {
        "places": sum(len(page.label) for page in pages),
        "fields": int(sum(page.label.sum() for page in pages)),
        "log_loss": {"network": round(fitted.before, 4), "folds": round(fitted.after, 4)},
    }


APPRAISAL = SecondLook(
    "every place",
    "appraisal.npz",
    document_pages,
    fit,
    {"trees": TREES, "rounds": ROUNDS, "freedom": FREEDOM, "folds": FOLDS, "scanned": SCANNED},
)
