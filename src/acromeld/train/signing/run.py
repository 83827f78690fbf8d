# SPDX-License-Identifier: Apache-2.0
"""The second look at places to sign, as something to train."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acromeld.detect.acromeld.signing.weights import pack
from acromeld.train.second_look import SecondLook
from acromeld.train.signing.examples import document_pages
from acromeld.train.signing.fitting import FREEDOM, ROUNDS, TREES, fit_all
from acromeld.train.word_evidence import FOLDS

if TYPE_CHECKING:
    from collections.abc import Callable

    from acromeld.train.signing.examples import SigningPage


def fit(
    pages: list[SigningPage], *, threads: int, log: Callable[[str], None]
) -> tuple[bytes, dict[str, object]]:
    """The weights file and its summary; there is too little to learn from for more than one thread."""
    del threads
    fitted = fit_all(pages, log=log)
    data = pack(fitted.heard, fitted.trees, fitted.columns, fitted.enough)
    return data, {
        "candidates": sum(len(page.label) for page in pages),
        "signature_fields": fitted.fields,
        "enough": fitted.enough,
        "folds": {"f1": round(fitted.f1, 4), "found": fitted.found, "places": fitted.places},
    }


SIGNING = SecondLook(
    "places to sign",
    "signing.npz",
    document_pages,
    fit,
    {"trees": TREES, "rounds": ROUNDS, "freedom": FREEDOM, "folds": FOLDS},
)
