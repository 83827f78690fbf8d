# SPDX-License-Identifier: Apache-2.0
"""What is decided before the external corpus is opened: the reference, the rule, and who may be judged."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.provenance.digests import is_digest, sha256_object
from acromeld.provenance.implementation import package_implementation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acromeld.provenance.candidate import Candidate

REGISTRATION_SCHEMA = "acromeld.gate-registration/1"
RULE = "native micro-F1 strictly greater than the reference"


@dataclass(frozen=True)
class Counts:
    """Matches of an evaluation over all classes."""

    tp: int
    fp: int
    fn: int

    def f1(self) -> Fraction | None:
        """Micro-F1 as an exact fraction, ``2 TP / (2 TP + FP + FN)``; none when there is nothing to count."""
        total = 2 * self.tp + self.fp + self.fn
        return Fraction(2 * self.tp, total) if total else None

    def record(self) -> dict[str, int]:
        """The counts as they stand in records."""
        return {"tp": self.tp, "fp": self.fp, "fn": self.fn}


@dataclass(frozen=True)
class Reference:
    """The value to beat, where it comes from, and its counts if known (they must reproduce it)."""

    value: float
    source: str
    counts: Counts | None = None

    def __post_init__(self) -> None:
        if not (math.isfinite(self.value) and 0.0 <= self.value <= 1.0):
            raise IntegrityError(f"The reference must be an F1 between 0 and 1, not {self.value}.")
        if self.counts is not None:
            exact = self.counts.f1()
            if exact is None or abs(float(exact) - self.value) > 1e-12:
                raise IntegrityError(f"The counts of the reference do not give its value {self.value}.")

    def beaten_by(self, counts: Counts) -> bool:
        """The registered decision, in exact arithmetic: against the reference's counts if they are known."""
        reached = counts.f1()
        exact = self.counts.f1() if self.counts else None
        return reached is not None and reached > (Fraction(self.value) if exact is None else exact)

    def record(self) -> dict[str, Any]:
        """The reference as it stands in the registration."""
        counts = self.counts.record() if self.counts else None
        return {"value": self.value, "source": self.source, "counts": counts}


@dataclass(frozen=True)
class GatePlan:
    """Everything a gate run needs to be told.

    Attributes:
        candidate: Folder of the frozen candidate.
        index: The sealed index it was trained on; none to rely on the candidate's list of documents.
        corpus: Folder of the quarantined external corpus.
        corpus_digest: Digest of its manifest, known from elsewhere.
        manifest: The manifest, if it does not lie in the folder.
        reference: The value to beat.
        adapter: The evaluation contract (matching rule, thresholds, caps), as plain data.
        out: Where records and predictions go.
        shards: Number of prediction files.
        accept_implementation: Digest of other code than the candidate was trained with that may run the
            gate, or with which a run that other code began may be resumed. It is recorded either way.
        as_installed: What is judged is the candidate with whatever code is installed; no exception is needed.
    """

    candidate: Path
    index: Path | None
    corpus: Path
    corpus_digest: str
    reference: Reference
    adapter: Mapping[str, Any]
    out: Path
    manifest: Path | None = None
    shards: int = 1
    accept_implementation: str | None = None
    as_installed: bool = False
    implementation: str = field(default_factory=lambda: package_implementation().digest)


def registration(plan: GatePlan, candidate: Candidate) -> dict[str, Any]:
    """The registration record: fixed by the plan and the candidate alone, so a resumed run has the same."""
    _check_implementation(plan, candidate)
    if not is_digest(plan.corpus_digest):
        raise IntegrityError(
            "The digest of the external manifest must be given as 64 hexadecimal characters."
        )
    return {
        "schema": REGISTRATION_SCHEMA,
        "rule": RULE,
        "reference": plan.reference.record(),
        "adapter": dict(plan.adapter),
        "adapter_digest": sha256_object(dict(plan.adapter)),
        "candidate": candidate.digest,
        "completion": candidate.completion,
        "files": dict(candidate.files),
        "index": candidate.identity.index,
        "corpus": plan.corpus_digest,
        "shards": plan.shards,
        "implementation": plan.implementation,
        "trained_with": candidate.identity.implementation,
    }


def _check_implementation(plan: GatePlan, candidate: Candidate) -> None:
    allowed = {candidate.identity.implementation, plan.accept_implementation}
    if plan.implementation not in allowed and not plan.as_installed:
        raise IntegrityError(
            f"This code ({plan.implementation}) is not the code the candidate was trained with "
            f"({candidate.identity.implementation}); run that version, or accept this one by its digest."
        )
