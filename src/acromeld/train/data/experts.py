# SPDX-License-Identifier: Apache-2.0
"""Whose opinion of a page the network learns from: an FFGBT that never saw the page.

At use FFGBT judges forms it has not seen. If the network learned from its opinion of forms it was trained on,
it would learn to believe it blindly. So ``acromeld train ffgbt --cross`` makes weights for each fold of
provenance groups from the other folds, and every training page is judged by those of its own fold.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from acromeld.corpus.roles import Role
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.errors import InputNotFound
from acromeld.provenance.digests import sha256_file, sha256_object
from acromeld.train.ffgbt.collect import FOLDS, Form

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.corpus.index import DocumentRow

WHOLE = "ffgbt.npz"
"""The weights of all folds, which judge pages FFGBT never learned from: those of other roles, and users'."""


def expert_for(document: DocumentRow, folder: Path) -> Path:
    """The weights that judge a document: of its fold if FFGBT was trained on it, else those of all folds."""
    if document.role is not Role.TRAIN_REAL:
        return folder / WHOLE
    fold = Form(folder, document.sha256, document.final_group).fold
    return folder / f"without-{fold}.npz"


def experts_digest(folder: Path) -> str:
    """Digest of all weights of a cross-fitted FFGBT."""
    names = [WHOLE, *(f"without-{fold}.npz" for fold in range(FOLDS))]
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise InputNotFound(f"{folder} has no {missing[0]}: run train ffgbt, with and without --cross.")
    return sha256_object({name: sha256_file(folder / name) for name in names})


@cache
def load_expert(weights: Path) -> FfgbtDetector:
    """The detector, once per process."""
    return FfgbtDetector.from_file(weights)
