# SPDX-License-Identifier: Apache-2.0
"""The external gate: one candidate, one quarantined corpus, one evaluation, one verdict.

The order is the protocol (paper, "Five internal roles and an external gate"):

1. The candidate's chain, the sealed index (or the candidate's list of its documents), the running code and
   the folders to write to are checked; the external *manifest* is opened, and a document that is in the
   training index stops everything here, before anything was registered.
2. ``registration.json`` fixes the reference value, the rule and the adapter; ``external-identity.json`` binds
   registration and corpus.
3. ``gate-claim.json`` is created in the candidate's own folder, so that a second run is refused whatever
   output folder it names. Only now are external documents read.
4. Predictions go to create-only shards, each with its sidecar.
5. Everything is validated once more and evaluated; report, sidecar, completion marker, a copy of the claim
   and ``SHA256SUMS`` appear together, by one rename.

A run that dies between 3 and 5 has shown nobody a result. It may be resumed, on request, in the same output
folder and with the same registration, as often as needed until there is a report; each attempt leaves a
record, the report counts them and names their code. Finished shards are verified and kept.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from acromeld.corpus.index import open_index
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.fields import parse_line
from acromeld.provenance.candidate import DOCUMENTS, Candidate, load_candidate
from acromeld.provenance.digests import SUMS_NAME, check_sidecar, sha256_file, sidecar, sums_text
from acromeld.provenance.external import (
    ExternalCorpus,
    ExternalDocument,
    open_external,
    refuse_training_documents,
)
from acromeld.provenance.gate_entry import (
    CLAIM,
    IDENTITY,
    REGISTRATION,
    RESULT,
    RUN,
    attempts,
    check_writable,
    claim,
    ensure_identity,
    ensure_registration,
    implementations,
    record_attempt,
    refuse_second_run,
)
from acromeld.provenance.internal_report import INTERNAL_REPORT, load_internal_report
from acromeld.provenance.records import (
    create_bytes,
    create_copy,
    create_json,
    create_lines,
    create_sealed_json,
    sync_folder,
)
from acromeld.provenance.registration import Counts, GatePlan, registration

if TYPE_CHECKING:
    from pathlib import Path

REPORT = "report.json"
MARKER = "complete.json"

REPORT_SCHEMA = "acromeld.gate-report/1"
MARKER_SCHEMA = "acromeld.gate-complete/1"


@dataclass(frozen=True)
class Evaluation:
    """What the injected evaluator returns: native counts over all classes, and whatever else to report."""

    counts: Counts
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GateResult:
    """The verdict and the record behind it.

    Attributes:
        passed: The verdict.
        report: The record.
        digest: Of the record.
        folder: Output folder of the run.
        claimed_here: Whether the candidate's folder holds the claim; where it does not, because the run took
            place on another machine, the copy beside the report was checked.
    """

    passed: bool
    report: dict[str, Any]
    digest: str
    folder: Path
    claimed_here: bool = True


Detect = Callable[[ExternalDocument, Candidate], Iterable[str]]
"""Raw prediction lines of one document, made with the candidate's weights and operating point."""

Evaluate = Callable[[Sequence["Path"], ExternalCorpus, Candidate], Evaluation]
"""Scores the prediction shards against the external documents at the candidate's operating point."""


def run_gate(
    plan: GatePlan,
    detect: Detect,
    evaluate: Evaluate,
    *,
    resume: bool = False,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    progress: Callable[[int, int], None] | None = None,
) -> GateResult:
    """Evaluate a frozen candidate on the external corpus, exactly once.

    Args:
        plan: Who is judged, on what, against which value.
        detect: Finds the fields of one document.
        evaluate: Scores all predictions.
        resume: Continue a run that died before its report.
        now: Clock for the attempt records.
        progress: Called with documents done and documents in all.

    Raises:
        Refused: The candidate had its evaluation, or an unfinished one was not asked to be resumed.
        IntegrityError: Something bound by digest does not match; the sentence names it.
    """
    candidate = load_candidate(plan.candidate)
    training = _training_hashes(plan, candidate)
    record = registration(plan, candidate)
    refuse_second_run(plan, resume=resume)
    check_writable(plan)
    corpus = open_external(plan.corpus, plan.corpus_digest, plan.manifest)
    refuse_training_documents(corpus, training)
    registered = ensure_registration(plan, record, resume=resume)
    identity = ensure_identity(plan, registered, corpus)
    claim(plan, identity, resume=resume)
    record_attempt(plan, identity, now())
    shards = _predict(plan, candidate, corpus, detect, progress)
    _validate_again(plan, candidate, corpus, shards)
    return _conclude(plan, candidate, identity, shards, evaluate(list(shards), corpus, candidate), now())


def _training_hashes(plan: GatePlan, candidate: Candidate) -> frozenset[str]:
    """What the candidate may have learned from: the index says it, or the list the candidate binds."""
    listed = candidate.documents()
    if plan.index is None:
        if listed is None:
            raise InputNotFound(f"{plan.candidate} has no {DOCUMENTS}; name the sealed index of its run.")
        return listed
    with open_index(plan.index, digest=candidate.identity.index) as index:
        return index.hashes() | (listed or frozenset())


def _predict(
    plan: GatePlan,
    candidate: Candidate,
    corpus: ExternalCorpus,
    detect: Detect,
    progress: Callable[[int, int], None] | None,
) -> dict[Path, str]:
    """Predictions of every document, document ``i`` in shard ``i mod shards``; shard to digest."""
    documents, done = corpus.documents, 0
    shards: dict[Path, str] = {}
    for rank in range(plan.shards):
        mine = documents[rank :: plan.shards]
        path = plan.out / f"predictions-{rank:04d}.jsonl"

        def lines(mine: Sequence[ExternalDocument] = mine, before: int = done) -> Iterator[str]:
            for number, document in enumerate(mine, before + 1):
                yield from _document_lines(document, candidate, detect)
                if progress:
                    progress(number, len(documents))

        shards[path] = _shard(path, lines)
        done += len(mine)
    return shards


def _shard(path: Path, lines: Callable[[], Iterator[str]]) -> str:
    """Write a shard and its sidecar; one that an earlier attempt finished is verified and kept.

    A shard without its sidecar cannot be verified, so it is made again.
    """
    if not sidecar(path).exists():
        path.unlink(missing_ok=True)
        digest = create_lines(path, lines())
        create_bytes(sidecar(path), digest.encode("ascii") + b"\n")
    return check_sidecar(path)


def _document_lines(document: ExternalDocument, candidate: Candidate, detect: Detect) -> Iterator[str]:
    """The lines of one document, refused unless they say they are about it and by this candidate."""
    document.check()
    for line in detect(document, candidate):
        row = parse_line(line, f"a prediction for {document.name}")
        if row.document.sha256 != document.sha256:
            raise IntegrityError(f"The detector gave a line of another document for {document.name}.")
        if row.detector != candidate.detector:
            raise IntegrityError(
                f"The line for {document.name} is not by the frozen detector {candidate.detector}."
            )
        if row.operating_point not in (None, candidate.operating_point):
            raise IntegrityError(f"The line for {document.name} was made at another operating point.")
        yield line.rstrip("\n")


def _validate_again(
    plan: GatePlan, candidate: Candidate, corpus: ExternalCorpus, shards: Mapping[Path, str]
) -> None:
    """Hours may have passed since the first look: nothing may have moved under the predictions."""
    if load_candidate(plan.candidate) != candidate:
        raise IntegrityError(f"The candidate in {plan.candidate} was exchanged while the gate ran.")
    for path, digest in shards.items():
        if sha256_file(path) != digest:
            raise IntegrityError(f"{path} was changed while the gate ran.")
    for document in corpus.documents:
        document.check()


def _conclude(
    plan: GatePlan,
    candidate: Candidate,
    identity: str,
    shards: Mapping[Path, str],
    evaluation: Evaluation,
    finished: datetime,
) -> GateResult:
    exact, passed = evaluation.counts.f1(), plan.reference.beaten_by(evaluation.counts)
    report = {
        "schema": REPORT_SCHEMA,
        "identity": identity,
        "candidate": candidate.digest,
        "completion": candidate.completion,
        "files": dict(candidate.files),
        "internal_report": _internal_digest(plan.candidate),
        "detector": candidate.detector.model_dump(mode="json"),
        "shards": {path.name: digest for path, digest in shards.items()},
        "attempts": len(attempts(plan.out)),
        "implementations": implementations(plan.out),
        "counts": evaluation.counts.record(),
        "f1": None if exact is None else float(exact),
        "reference": plan.reference.record(),
        "passed": passed,
        "details": dict(evaluation.details),
        "finished": finished.isoformat(),
    }
    digest = _publish(plan, report, identity, shards)
    return GateResult(passed, report, digest, plan.out)


def _internal_digest(folder: Path) -> str | None:
    """Digest of the post-freeze internal report, checked to be by the same candidate; none without one."""
    if not (folder / INTERNAL_REPORT).exists():
        return None
    load_internal_report(folder)
    return sha256_file(folder / INTERNAL_REPORT)


def _publish(plan: GatePlan, report: dict[str, Any], identity: str, shards: Iterable[Path]) -> str:
    """Stage report, sidecar, marker, claim and sums in one folder and rename it: all appear, or none."""
    staged = plan.out / f".{RESULT}.{secrets.token_hex(6)}.part"
    try:
        digest = create_sealed_json(staged / REPORT, report)
        create_json(staged / MARKER, {"schema": MARKER_SCHEMA, "identity": identity, "report": digest})
        create_copy(plan.candidate / CLAIM, staged / CLAIM)
        names = [path.name for path in staged.iterdir()] + [f"../{name}" for name in _records(plan, shards)]
        create_bytes(staged / SUMS_NAME, sums_text(staged, names).encode())
        staged.rename(plan.out / RESULT)
    except OSError as error:
        raise OutputProblem(f"The gate report cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    sync_folder(plan.out)
    return digest


def _records(plan: GatePlan, shards: Iterable[Path]) -> list[str]:
    """The records of the run in its output folder; whatever else lies there, a log perhaps, is not sealed."""
    files = [plan.out / name for name in (REGISTRATION, IDENTITY, RUN)] + attempts(plan.out)
    files += [file for shard in shards for file in (shard, sidecar(shard))]
    if plan.manifest is not None and plan.manifest.parent == plan.out:
        files.append(plan.manifest)
    return [file.name for file in files]
