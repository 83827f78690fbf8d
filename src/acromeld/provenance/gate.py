# SPDX-License-Identifier: Apache-2.0
"""The external gate: one candidate, one quarantined corpus, one evaluation, one verdict.

The order is the protocol (paper, "Five internal roles and an external gate"):

1. The candidate's chain, the sealed index (or the candidate's list of its documents) and the running code
   validate.
2. ``registration.json`` fixes the reference value, the rule and the adapter.
3. The external *manifest* is opened; a document that is in the training index stops everything here, before
   anything was spent. ``external-identity.json`` binds registration and corpus.
4. ``gate-claim.json`` is created in the candidate's own folder, so that a second run is refused whatever
   output folder it names. Only now are external documents read.
5. Predictions go to create-only shards, each with its sidecar.
6. Everything is validated once more and evaluated; report, sidecar, completion marker and ``SHA256SUMS``
   appear together, by one rename.

A run that dies between 4 and 6 has shown nobody a result. It may be resumed, on request, in the same output
folder and with the same registration, as often as needed until there is a report; each attempt leaves a
record and the report counts them. Finished shards are verified and kept.
"""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from acromeld.corpus.index import open_index
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem, Refused
from acromeld.fields import parse_line
from acromeld.provenance.candidate import DOCUMENTS, Candidate, load_candidate
from acromeld.provenance.digests import SUMS_NAME, check_sidecar, sha256_file, sidecar, sums_text
from acromeld.provenance.external import ExternalCorpus, open_external, refuse_training_documents
from acromeld.provenance.internal_report import INTERNAL_REPORT, load_internal_report
from acromeld.provenance.records import (
    create_bytes,
    create_json,
    create_lines,
    create_sealed_json,
    ensure_bytes,
    json_bytes,
    read_json,
    sync_folder,
)
from acromeld.provenance.registration import Counts, GatePlan, registration

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.pdf.source import Source

CLAIM = "gate-claim.json"
REGISTRATION = "registration.json"
IDENTITY = "external-identity.json"
RUN = "run.json"
RESULT = "result"
REPORT = "report.json"
MARKER = "complete.json"

_CLAIM_SCHEMA = "acromeld.gate-claim/1"
REPORT_SCHEMA = "acromeld.gate-report/1"
MARKER_SCHEMA = "acromeld.gate-complete/1"


@dataclass(frozen=True)
class Evaluation:
    """What the injected evaluator returns: native counts over all classes, and whatever else to report."""

    counts: Counts
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GateResult:
    """The verdict and the record behind it."""

    passed: bool
    report: dict[str, Any]
    digest: str
    folder: Path


Detect = Callable[["Source", Candidate], Iterable[str]]
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
    _refuse_second_run(plan, resume)
    registered = _ensure_registration(plan, record)
    corpus = open_external(plan.corpus, plan.corpus_digest, plan.manifest)
    refuse_training_documents(corpus, training)
    identity = _ensure_identity(plan, registered, corpus)
    _claim(plan, identity, resume)
    _record_attempt(plan, identity, now())
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


def _refuse_second_run(plan: GatePlan, resume: bool) -> None:
    if (plan.out / RESULT).exists():
        raise Refused(f"The gate has been run: {plan.out / RESULT} holds the report of its one evaluation.")
    if (plan.candidate / CLAIM).exists() and not resume:
        raise Refused(
            f"This candidate has been claimed for its one external evaluation ({plan.candidate / CLAIM}); "
            "if that run died before its report, resume it in the same output folder."
        )


def _ensure_registration(plan: GatePlan, record: dict[str, Any]) -> str:
    try:
        return ensure_bytes(plan.out / REGISTRATION, json_bytes(record))
    except OutputProblem:
        raise Refused(
            f"{plan.out / REGISTRATION} registers other values; what was registered cannot be changed."
        ) from None


def _ensure_identity(plan: GatePlan, registered: str, corpus: ExternalCorpus) -> str:
    record = {
        "schema": "acromeld.external-identity/1",
        "registration": registered,
        "corpus": corpus.digest,
        "documents": len(corpus.entries),
    }
    return ensure_bytes(plan.out / IDENTITY, json_bytes(record))


def _claim(plan: GatePlan, identity: str, resume: bool) -> None:
    """Take the candidate's one evaluation, or show that this folder is the one that took it.

    The output folder gets a random run name that the claim binds; a copy of the registration in another
    folder therefore cannot pass for the folder of the run.
    """
    path = plan.candidate / CLAIM
    run_path = plan.out / RUN
    if not run_path.exists():
        create_json(run_path, {"schema": "acromeld.gate-run/1", "run": secrets.token_hex(16)})
    record = {"schema": _CLAIM_SCHEMA, "identity": identity, "run": sha256_file(run_path)}
    if path.exists() and resume:
        if read_json(path, schema=_CLAIM_SCHEMA) != record:
            raise Refused(f"{path} belongs to another gate run; only that run may be resumed.")
        return
    try:
        create_json(path, record)
    except OutputProblem:
        raise Refused(f"This candidate has been claimed for its one external evaluation ({path}).") from None


def _attempts(plan: GatePlan) -> list[str]:
    return sorted(path.name for path in plan.out.glob("attempt-*.json"))


def _record_attempt(plan: GatePlan, identity: str, started: datetime) -> None:
    number = len(_attempts(plan)) + 1
    record = {"schema": "acromeld.gate-attempt/1", "identity": identity, "started": started.isoformat()}
    create_json(plan.out / f"attempt-{number:03d}.json", record)


def _predict(
    plan: GatePlan,
    candidate: Candidate,
    corpus: ExternalCorpus,
    detect: Detect,
    progress: Callable[[int, int], None] | None,
) -> dict[Path, str]:
    """Predictions of every document, document ``i`` in shard ``i mod shards``; shard to digest."""
    total, done = len(corpus.entries), 0
    shards: dict[Path, str] = {}
    for rank in range(plan.shards):
        entries = corpus.entries[rank :: plan.shards]
        path = plan.out / f"predictions-{rank:04d}.jsonl"

        def lines(entries: Sequence[Any] = entries, before: int = done) -> Iterator[str]:
            for number, entry in enumerate(entries, before + 1):
                yield from _document_lines(corpus.read(entry), candidate, detect)
                if progress:
                    progress(number, total)

        shards[path] = _shard(path, lines)
        done += len(entries)
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


def _document_lines(source: Source, candidate: Candidate, detect: Detect) -> Iterator[str]:
    """The lines of one document, refused unless they say they are about it and by this candidate."""
    for line in detect(source, candidate):
        row = parse_line(line, f"a prediction for {source.name}")
        if row.document.sha256 != source.sha256:
            raise IntegrityError(f"The detector gave a line of another document for {source.name}.")
        if row.detector != candidate.detector:
            raise IntegrityError(
                f"The line for {source.name} is not by the frozen detector {candidate.detector}."
            )
        if row.operating_point not in (None, candidate.operating_point):
            raise IntegrityError(f"The line for {source.name} was made at another operating point.")
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
    for entry in corpus.entries:
        corpus.read(entry)


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
        "attempts": len(_attempts(plan)),
        "counts": evaluation.counts.record(),
        "f1": None if exact is None else float(exact),
        "reference": plan.reference.record(),
        "passed": passed,
        "details": dict(evaluation.details),
        "finished": finished.isoformat(),
    }
    digest = _publish(plan, report, identity)
    return GateResult(passed, report, digest, plan.out)


def _internal_digest(folder: Path) -> str | None:
    """Digest of the post-freeze internal report, checked to be by the same candidate; none without one."""
    if not (folder / INTERNAL_REPORT).exists():
        return None
    load_internal_report(folder)
    return sha256_file(folder / INTERNAL_REPORT)


def _publish(plan: GatePlan, report: dict[str, Any], identity: str) -> str:
    """Stage report, sidecar, marker and sums in one folder and rename it: all of them appear, or none."""
    staged = plan.out / f".{RESULT}.{secrets.token_hex(6)}.part"
    try:
        digest = create_sealed_json(staged / REPORT, report)
        create_json(staged / MARKER, {"schema": MARKER_SCHEMA, "identity": identity, "report": digest})
        create_bytes(staged / SUMS_NAME, sums_text(staged, _record_names(staged)).encode())
        staged.rename(plan.out / RESULT)
    except OSError as error:
        raise OutputProblem(f"The gate report cannot be written: {error.strerror or error}.") from None
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    sync_folder(plan.out)
    return digest


def _record_names(staged: Path) -> list[str]:
    """Every record of the run, as seen from the result folder: its own files and those beside it."""
    beside = [f"../{path.name}" for path in staged.parent.iterdir() if path.is_file()]
    return [path.name for path in staged.iterdir()] + [name for name in beside if name[3] != "."]
