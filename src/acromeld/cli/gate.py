# SPDX-License-Identifier: Apache-2.0
"""``acromeld gate``: the one external evaluation a frozen candidate gets."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators

from acromeld.cli.console import page_progress, print_json, say_notes
from acromeld.detect.acromeld.weights import shipped_candidate
from acromeld.errors import InputNotFound
from acromeld.evaluate.adapters import NATIVE
from acromeld.evaluate.gate_kept import check_raw
from acromeld.evaluate.gate_run import GateWork
from acromeld.provenance.candidate import load_candidate
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.external import MANIFEST
from acromeld.provenance.external import quarantine as list_corpus
from acromeld.provenance.gate import GateResult, run_gate
from acromeld.provenance.gate_entry import RUN
from acromeld.provenance.gate_verify import load_gate_report
from acromeld.provenance.registration import GatePlan, Reference

app = App(name="gate", help="The external gate: one candidate, one quarantined corpus, one evaluation.")

Flag = Parameter(negative="")


@app.default
def gate(
    *,
    corpus: Path,
    reference: float,
    candidate: Path | None = None,
    index: Path | None = None,
    out: Path = Path("gate"),
    corpus_digest: str | None = None,
    reference_source: str = "given on the command line",
    shards: Annotated[int, Parameter(validator=validators.Number(gte=1))] = 16,
    resume: Annotated[bool, Flag] = False,
    accept_implementation: str | None = None,
    json: Annotated[bool, Flag] = False,
) -> int:
    """Evaluate a frozen candidate on a quarantined corpus, once; a second run is refused.

    Args:
        corpus: Folder listed by ``acromeld gate quarantine``; without a list it is listed now, in OUT.
        reference: Native micro-F1 that must be exceeded.
        candidate: Folder made by ``acromeld freeze``; by default the model that ships, judged with the code
            that is installed.
        index: The sealed index of its run; by default the candidate's own list of training documents.
        out: Where records and predictions go.
        corpus_digest: Digest of the corpus manifest as known from elsewhere; by default that of the manifest.
        reference_source: Where the reference value comes from, for the record.
        shards: Number of prediction files; a run that died goes on after those that were finished.
        resume: Go on with a run that died before its report.
        accept_implementation: Digest of this code, when it is not the code the candidate was frozen with, or
            not the code that began the run to be resumed.
        json: Print the report as JSON.
    """
    as_installed = candidate is None
    candidate = candidate or shipped_candidate()
    frozen = load_candidate(candidate)
    manifest = _manifest(corpus, out)
    plan = GatePlan(
        candidate=candidate,
        index=index,
        corpus=corpus,
        manifest=manifest,
        corpus_digest=corpus_digest or sha256_file(manifest),
        reference=Reference(reference, reference_source),
        adapter=asdict(NATIVE),
        out=out,
        shards=shards,
        accept_implementation=accept_implementation,
        as_installed=as_installed,
    )
    work = GateWork(frozen, out)
    with work, page_progress("External documents", quiet=json) as progress:
        result = run_gate(plan, work.detect, work.evaluate, resume=resume, progress=progress)
    check_raw(out, load_gate_report(out, candidate).report)
    say_notes(row["reason"] for row in result.report["details"]["undetected"])
    _tell(result, json=json)
    return 0


@app.command
def quarantine(folder: Path, /) -> int:
    """List every PDF of an external corpus in its manifest, once, and print the digest to register.

    Args:
        folder: The external corpus.
    """
    if not folder.is_dir():
        raise InputNotFound(f"{folder} is not a folder.")
    print(list_corpus(folder))
    return 0


@app.command
def verify(
    *, candidate: Path | None = None, out: Path = Path("gate"), json: Annotated[bool, Flag] = False
) -> int:
    """Walk a finished gate run back by its digests and print its verdict; here or where it was sent to.

    Args:
        candidate: The frozen candidate; by default the one that ships.
        out: Output folder of its gate run.
        json: Print the report as JSON.
    """
    candidate = candidate or shipped_candidate()
    result = load_gate_report(out, candidate)
    check_raw(out, result.report)
    if not result.claimed_here:
        say_notes([f"{candidate} has no claim, so the copy beside the report was checked."])
    _tell(result, json=json)
    return 0


def _manifest(corpus: Path, out: Path) -> Path:
    """The list of the external corpus: in its folder, or made now beside the records of the run.

    A list of ours is made afresh until somebody has claimed a candidate with it: the folder may have been put
    in order since.
    """
    if not corpus.is_dir():
        raise InputNotFound(f"{corpus} is not a folder.")
    own, ours = corpus / MANIFEST, out / MANIFEST
    if own.is_file():
        return own
    if not (out / RUN).exists():
        ours.unlink(missing_ok=True)
    if not ours.is_file():
        list_corpus(corpus, ours)
    return ours


def _tell(result: GateResult, *, json: bool) -> None:
    if json:
        print_json(result.report)
        return
    report, counts = result.report, result.report["counts"]
    f1 = "undefined" if report["f1"] is None else f"{report['f1']:.6f}"
    print(
        f"{'Passed' if result.passed else 'Not passed'}: native micro-F1 {f1} (TP {counts['tp']:,}, "
        f"FP {counts['fp']:,}, FN {counts['fn']:,}) against {report['reference']['value']}; "
        f"report {result.digest}."
    )
