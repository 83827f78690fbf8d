# SPDX-License-Identifier: Apache-2.0
"""The gate rehearsal: passes once, refuses twice, refuses after any one bound file is touched."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from acromeld.corpus.index import open_index
from acromeld.errors import AcromeldError, InputNotFound, IntegrityError, OutputProblem, Refused
from acromeld.fields import (
    DetectorRef,
    DocumentFields,
    DocumentRef,
    OperatingPoint,
    PageFields,
    PageRef,
    parse_line,
)
from acromeld.provenance.candidate import Candidate, load_candidate
from acromeld.provenance.external import MANIFEST, ExternalCorpus, ExternalDocument, quarantine
from acromeld.provenance.gate import CLAIM, Evaluation, run_gate
from acromeld.provenance.gate_verify import load_gate_report
from acromeld.provenance.internal_report import record_internal_report
from acromeld.provenance.registration import Counts, Reference
from tests.provenance.conftest import Workshop, make_candidate
from tests.provenance.test_candidate import FILES, flip


def lines_of(
    source: ExternalDocument, detector: DetectorRef, sha256: str = "", point: OperatingPoint | None = None
) -> Iterable[str]:
    page = PageFields(page=PageRef(index=0, width=612, height=792))
    document = DocumentRef(name=source.name, sha256=sha256 or source.sha256)
    fields = DocumentFields(document=document, detector=detector, operating_point=point, pages=(page,))
    return fields.to_lines()


def detect(source: ExternalDocument, candidate: Candidate) -> Iterable[str]:
    return lines_of(source, candidate.detector)


def evaluate(shards: Sequence[Path], corpus: ExternalCorpus, candidate: Candidate) -> Evaluation:
    rows = [parse_line(line) for shard in shards for line in shard.read_text().splitlines()]
    assert {row.document.sha256 for row in rows} == {entry.sha256 for entry in corpus.entries}
    return Evaluation(Counts(tp=80, fp=10, fn=20), {"documents": len(rows)})


def forbidden(*_: object) -> Iterable[str]:
    raise AssertionError("an external document was read")


def test_passes_once_and_the_whole_chain_walks_back(workshop: Workshop) -> None:
    internal = record_internal_report(workshop.plan.candidate, {"f1": 0.8})
    result = run_gate(workshop.plan, detect, evaluate)
    assert result.passed
    assert result.report["f1"] == 160 / 190
    assert result.report["details"] == {"documents": 4}
    assert result.report["internal_report"] == internal
    assert result.report["attempts"] == 1
    assert load_gate_report(workshop.plan.out, workshop.plan.candidate) == result


def test_sums_of_the_run_are_what_sha256sum_checks(workshop: Workshop) -> None:
    run_gate(workshop.plan, detect, evaluate)
    command = ["sha256sum", "--strict", "-c", "SHA256SUMS"]
    checked = subprocess.run(
        command, cwd=workshop.plan.out / "result", check=False, capture_output=True, text=True
    )
    assert checked.returncode == 0, checked.stderr
    assert checked.stdout.count(": OK") == 12


def test_a_second_run_is_refused_wherever_it_writes(workshop: Workshop) -> None:
    run_gate(workshop.plan, detect, evaluate)
    before = {path: path.read_bytes() for path in workshop.plan.out.rglob("*") if path.is_file()}
    for out in (workshop.plan.out, workshop.root / "elsewhere"):
        for resume in (False, True):
            with pytest.raises(Refused):
                run_gate(workshop.planned(out=out), forbidden, evaluate, resume=resume)
    assert {path: path.read_bytes() for path in workshop.plan.out.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("name", FILES)
def test_a_touched_candidate_file_is_named_and_nothing_external_is_read(
    workshop: Workshop, name: str
) -> None:
    flip(workshop.plan.candidate / name)
    with pytest.raises(IntegrityError, match=name.replace(".", r"\.")):
        run_gate(workshop.plan, forbidden, evaluate)
    assert not (workshop.plan.candidate / CLAIM).exists()
    assert not workshop.plan.out.exists()


def test_a_touched_index_is_refused(workshop: Workshop) -> None:
    workshop.plan.index.chmod(0o644)
    with sqlite3.connect(workshop.plan.index) as connection:
        connection.execute("DELETE FROM documents WHERE rowid = 1")
    with pytest.raises(IntegrityError, match="documents"):
        run_gate(workshop.plan, forbidden, evaluate)


def test_the_index_of_another_run_is_refused(workshop: Workshop) -> None:
    candidate = make_candidate(workshop.root / "other", "9" * 64)
    with pytest.raises(IntegrityError, match="not the registered index"):
        run_gate(workshop.planned(candidate=candidate), forbidden, evaluate)


def test_other_code_is_refused_unless_accepted_by_digest(workshop: Workshop) -> None:
    other = "7" * 64
    with pytest.raises(IntegrityError, match="not the code"):
        run_gate(workshop.planned(implementation=other), forbidden, evaluate)
    result = run_gate(workshop.planned(implementation=other, accept_implementation=other), detect, evaluate)
    assert result.passed


def test_a_touched_manifest_is_refused_before_any_document(workshop: Workshop) -> None:
    flip(workshop.plan.corpus / MANIFEST)
    with pytest.raises(IntegrityError, match="not the registered external corpus"):
        run_gate(workshop.plan, forbidden, evaluate)
    assert not (workshop.plan.out / "registration.json").exists()
    assert not (workshop.plan.candidate / CLAIM).exists()


@pytest.mark.parametrize("name", ["e100.pdf", "e101.pdf", "e102.pdf", "e103.pdf"])
def test_a_touched_external_document_is_named(workshop: Workshop, name: str) -> None:
    flip(workshop.plan.corpus / name)
    with pytest.raises(IntegrityError, match=name):
        run_gate(workshop.plan, detect, evaluate)
    assert not (workshop.plan.out / "result").exists()


def test_added_and_missing_external_documents_are_named(workshop: Workshop) -> None:
    (workshop.plan.corpus / "e100.pdf").rename(workshop.plan.corpus / "extra.pdf")
    with pytest.raises(IntegrityError, match=r"e100\.pdf, extra\.pdf"):
        run_gate(workshop.plan, forbidden, evaluate)


def test_an_external_document_of_the_training_index_is_refused(workshop: Workshop) -> None:
    corpus = workshop.root / "leaky"
    shutil.copytree(workshop.plan.corpus, corpus, ignore=shutil.ignore_patterns(MANIFEST))
    for number in range(7):
        shutil.copy(workshop.root / "training" / "t1.pdf", corpus / f"renamed{number}.pdf")
    plan = workshop.planned(corpus=corpus, corpus_digest=quarantine(corpus))
    with pytest.raises(IntegrityError, match=r"1 external .* training index.*renamed0\.pdf.*renamed6\.pdf\."):
        run_gate(plan, forbidden, evaluate)
    assert not (workshop.plan.candidate / CLAIM).exists()


def listing_candidate(workshop: Workshop) -> Path:
    """A candidate that binds the list of its training documents."""
    with open_index(workshop.root / "index.sqlite") as index:
        return make_candidate(workshop.root / "listing", index.digest, documents=index.hashes())


def test_a_list_of_training_documents_stands_for_the_index(workshop: Workshop) -> None:
    plan = workshop.planned(candidate=listing_candidate(workshop), index=None)
    assert run_gate(plan, detect, evaluate).passed


def test_without_index_and_list_nothing_is_read(workshop: Workshop) -> None:
    with pytest.raises(InputNotFound, match=r"no training-documents\.txt"):
        run_gate(workshop.planned(index=None), forbidden, evaluate)


def test_a_listed_training_document_is_refused_without_the_index(workshop: Workshop) -> None:
    corpus = workshop.root / "leaky"
    corpus.mkdir()
    shutil.copy(workshop.root / "training" / "t1.pdf", corpus / "renamed.pdf")
    elsewhere = workshop.root / "list.jsonl"
    plan = workshop.planned(
        candidate=listing_candidate(workshop),
        index=None,
        corpus=corpus,
        manifest=elsewhere,
        corpus_digest=quarantine(corpus, elsewhere),
    )
    assert [path.name for path in corpus.iterdir()] == ["renamed.pdf"], "nothing is written into the corpus"
    with pytest.raises(IntegrityError, match=r"training index.*renamed\.pdf"):
        run_gate(plan, forbidden, evaluate)


def test_a_shortened_list_of_training_documents_is_noticed(workshop: Workshop) -> None:
    candidate = listing_candidate(workshop)
    path = candidate / "training-documents.txt"
    path.chmod(0o644)
    path.write_text(path.read_text()[65:])
    with pytest.raises(IntegrityError, match=r"training-documents\.txt does not match"):
        run_gate(workshop.planned(candidate=candidate, index=None), forbidden, evaluate)


def test_the_reference_is_registered_before_any_document_is_read(workshop: Workshop) -> None:
    def look(source: ExternalDocument, candidate: Candidate) -> Iterable[str]:
        assert '"value":0.75' in (workshop.plan.out / "registration.json").read_text()
        assert (workshop.plan.candidate / CLAIM).exists()
        return detect(source, candidate)

    assert run_gate(workshop.plan, look, evaluate).passed


def test_a_registered_reference_cannot_be_changed(workshop: Workshop) -> None:
    with pytest.raises(RuntimeError):
        run_gate(workshop.plan, dying(1), evaluate)
    lower = workshop.planned(reference=Reference(0.1, "an easier one"))
    with pytest.raises(Refused, match="cannot be changed"):
        run_gate(lower, forbidden, evaluate, resume=True)


@pytest.mark.parametrize(("value", "passed"), [(0.75, True), (160 / 190, False), (0.9, False)])
def test_the_decision_is_strictly_greater(workshop: Workshop, value: float, passed: bool) -> None:
    reference = Reference(value, "x", Counts(80, 10, 20) if value == 160 / 190 else None)
    assert run_gate(workshop.planned(reference=reference), detect, evaluate).passed is passed


def test_the_papers_reference_is_reproduced_by_its_counts() -> None:
    Reference(0.82903655889853, "FFGBT-v8", Counts(96_070, 19_145, 20_478))
    with pytest.raises(IntegrityError, match="do not give"):
        Reference(0.8290, "FFGBT-v8", Counts(96_070, 19_145, 20_478))
    with pytest.raises(IntegrityError, match="between 0 and 1"):
        Reference(float("nan"), "nobody")


def dying(after: int) -> Callable[[ExternalDocument, Candidate], Iterator[str]]:
    seen = []

    def run(source: ExternalDocument, candidate: Candidate) -> Iterator[str]:
        seen.append(source)
        if len(seen) > after:
            raise RuntimeError("power cut")
        yield from detect(source, candidate)

    return run


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_run_that_died_is_refused_unless_resumed_in_its_own_folder(workshop: Workshop, after: int) -> None:
    with pytest.raises(RuntimeError, match="power cut"):
        run_gate(workshop.plan, dying(after), evaluate)
    with pytest.raises(Refused, match="resume"):
        run_gate(workshop.plan, forbidden, evaluate)
    with pytest.raises(Refused, match="another gate run"):
        run_gate(workshop.planned(out=workshop.root / "elsewhere"), forbidden, evaluate, resume=True)
    result = run_gate(workshop.plan, detect, evaluate, resume=True)
    assert (result.passed, result.report["attempts"]) == (True, 2)
    assert load_gate_report(workshop.plan.out, workshop.plan.candidate) == result


def test_a_finished_shard_touched_between_attempts_is_named(workshop: Workshop) -> None:
    with pytest.raises(RuntimeError):
        run_gate(workshop.plan, dying(3), evaluate)
    flip(workshop.plan.out / "predictions-0000.jsonl")
    with pytest.raises(IntegrityError, match=r"predictions-0000\.jsonl"):
        run_gate(workshop.plan, detect, evaluate, resume=True)


def test_a_candidate_exchanged_during_the_run_is_noticed(workshop: Workshop) -> None:
    def meddle(source: ExternalDocument, candidate: Candidate) -> Iterable[str]:
        (candidate.folder / "operating-point.json").chmod(0o644)
        (candidate.folder / "operating-point.json").write_text("{}")
        return detect(source, candidate)

    with pytest.raises(IntegrityError, match=r"operating-point\.json"):
        run_gate(workshop.plan, meddle, evaluate)
    assert not (workshop.plan.out / "result").exists()


def test_lines_of_another_document_detector_or_point_are_refused(workshop: Workshop) -> None:
    wrong = [
        (lambda source, candidate: lines_of(source, candidate.detector, "0" * 64), "another document"),
        (
            lambda source, candidate: lines_of(source, DetectorRef(name="fake", weights="x")),
            "frozen detector",
        ),
        (
            lambda source, candidate: lines_of(source, candidate.detector, "", OperatingPoint()),
            "operating point",
        ),
        (lambda source, candidate: ["{}"], "fields format"),
    ]
    for number, (bad, sentence) in enumerate(wrong):
        folder = make_candidate(workshop.root / f"c{number}", digest_of(workshop), b"%d" % number)
        plan = workshop.planned(candidate=folder, out=workshop.root / f"out{number}")
        with pytest.raises(AcromeldError, match=sentence):
            run_gate(plan, bad, evaluate)


def digest_of(workshop: Workshop) -> str:
    return load_candidate(workshop.plan.candidate).identity.index


RECORDS = [
    "registration.json",
    "external-identity.json",
    "run.json",
    "attempt-001.json",
    "predictions-0000.jsonl",
    "predictions-0001.jsonl.sha256",
    "result/report.json",
    "result/report.json.sha256",
    "result/complete.json",
    "result/SHA256SUMS",
]


@pytest.mark.parametrize("name", RECORDS)
def test_any_touched_record_of_a_finished_run_fails_closed(workshop: Workshop, name: str) -> None:
    run_gate(workshop.plan, detect, evaluate)
    flip(workshop.plan.out / name)
    with pytest.raises(IntegrityError):
        load_gate_report(workshop.plan.out, workshop.plan.candidate)


REPAIRED = "5" * 64


def test_a_dead_run_goes_on_with_repaired_code_only_if_that_is_accepted(workshop: Workshop) -> None:
    with pytest.raises(RuntimeError):
        run_gate(workshop.plan, dying(1), evaluate)
    for plan in (
        workshop.planned(implementation=REPAIRED, as_installed=True),
        workshop.planned(implementation=REPAIRED, as_installed=True, accept_implementation="6" * 64),
    ):
        with pytest.raises(Refused, match=f"--accept-implementation {REPAIRED}"):
            run_gate(plan, forbidden, evaluate, resume=True)
    accepted = workshop.planned(implementation=REPAIRED, accept_implementation=REPAIRED)
    with pytest.raises(Refused, match="claimed"):
        run_gate(accepted, forbidden, evaluate)
    lower = workshop.planned(
        implementation=REPAIRED, accept_implementation=REPAIRED, reference=Reference(0.1, "an easier one")
    )
    with pytest.raises(Refused, match="cannot be changed"):
        run_gate(lower, forbidden, evaluate, resume=True)
    result = run_gate(accepted, detect, evaluate, resume=True)
    assert result.report["implementations"] == [workshop.plan.implementation, REPAIRED]
    second = (workshop.plan.out / "attempt-002.json").read_text()
    assert f'"implementation":"{REPAIRED}"' in second
    assert load_gate_report(workshop.plan.out, workshop.plan.candidate) == result


def test_where_the_candidate_has_no_claim_the_copy_beside_the_report_is_checked(workshop: Workshop) -> None:
    fresh = shutil.copytree(workshop.plan.candidate, workshop.root / "fresh")
    run_gate(workshop.plan, detect, evaluate)
    sent = shutil.copytree(workshop.plan.out, workshop.root / "sent")
    assert load_gate_report(workshop.plan.out, workshop.plan.candidate).claimed_here
    assert not load_gate_report(sent, fresh).claimed_here
    (sent / "result" / CLAIM).unlink()
    with pytest.raises(IntegrityError, match=r"Neither .* holds the claim"):
        load_gate_report(sent, fresh)


def test_a_claim_of_another_run_in_the_candidate_is_not_outvoted_by_the_copy(workshop: Workshop) -> None:
    other = shutil.copytree(workshop.plan.candidate, workshop.root / "other")
    run_gate(workshop.plan, detect, evaluate)
    run_gate(workshop.planned(candidate=other, out=workshop.root / "elsewhere"), detect, evaluate)
    with pytest.raises(IntegrityError, match="another gate run"):
        load_gate_report(workshop.root / "elsewhere", workshop.plan.candidate)


def no_links_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder that cannot be written to, for whoever runs the tests."""
    link = os.link

    def refuses(source: Path, target: Path) -> None:
        if Path(target).parent == folder:
            raise OSError(errno.EROFS, "Read-only file system")
        link(source, target)

    monkeypatch.setattr("acromeld.provenance.records.os.link", refuses)


@pytest.mark.parametrize("which", ["candidate", "out"])
def test_a_folder_that_cannot_be_written_to_is_noticed_before_anything_is_registered(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    folder = getattr(workshop.plan, which)
    with monkeypatch.context() as patch:
        no_links_in(folder, patch)
        with pytest.raises(OutputProblem, match=rf"write to {folder}.*Read-only"):
            run_gate(workshop.plan, forbidden, evaluate)
    assert not list(workshop.plan.out.glob("*"))
    assert not list(workshop.plan.candidate.glob(".*"))
    assert run_gate(workshop.plan, detect, evaluate).passed


@pytest.mark.parametrize("which", ["candidate", "out"])
def test_what_cannot_be_written_is_not_called_claimed_or_registered(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, which: str
) -> None:
    monkeypatch.setattr("acromeld.provenance.gate.check_writable", lambda _: None)
    no_links_in(getattr(workshop.plan, which), monkeypatch)
    with pytest.raises(OutputProblem, match="Read-only"):
        run_gate(workshop.plan, forbidden, evaluate)


def test_what_else_lies_in_the_output_folder_is_not_sealed(workshop: Workshop) -> None:
    workshop.plan.out.mkdir()
    log = workshop.plan.out / "gate.log"
    log.write_text("started")
    result = run_gate(workshop.plan, detect, evaluate)
    log.write_text("finished")
    assert load_gate_report(workshop.plan.out, workshop.plan.candidate) == result
