# SPDX-License-Identifier: Apache-2.0
"""``acromeld evaluate``: score prediction lines of any system against native widgets."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from acromeld.cli.console import page_progress, print_json, say_notes
from acromeld.cli.evaluation_tables import print_results
from acromeld.cli.targets import check_targets
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.evaluate.bootstrap import RESAMPLES
from acromeld.evaluate.coco import export_annotations, export_predictions, import_annotations
from acromeld.evaluate.counts import Counts
from acromeld.evaluate.label_audit import Audited, Grade
from acromeld.evaluate.points import read_point
from acromeld.evaluate.records import Bound, write_evaluation
from acromeld.evaluate.report_data import check_belongs, fixed_point
from acromeld.evaluate.report_data import evaluate as evaluate_pages
from acromeld.evaluate.sharding import check_counts, check_sources
from acromeld.evaluate.sources import Predictions, read_sources
from acromeld.evaluate.targets import Targets, read_targets
from acromeld.evaluate.truth import check_role_files, role_pages, role_targets, truth_digest
from acromeld.fields import OperatingPoint
from acromeld.provenance.candidate import OPERATING_POINT, Candidate, load_candidate
from acromeld.provenance.internal_report import INTERNAL_REPORT, load_internal_report, record_internal_report
from acromeld.provenance.records import create_json

if TYPE_CHECKING:
    from acromeld.evaluate.pages import PageKey, PredictedPage

    Pages = dict[PageKey, PredictedPage]

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Whole = Annotated[int, Parameter(validator=validators.Number(gte=0))]
Flag = Parameter(negative="")


@dataclass(frozen=True)
class Truth:
    """Targets, how they were chosen, and pages that are known but do not count."""

    targets: Targets
    chosen: dict[str, Any]
    aside: frozenset[PageKey] = frozenset()


def evaluate(
    *predictions: Path,
    pdf: Path | None = None,
    index: Path | None = None,
    role: Role | None = None,
    sample: Count | None = None,
    seed: int = 0,
    audit: Path | None = None,
    grade: Annotated[list[Grade] | None, Parameter(consume_multiple=True, negative="")] = None,
    point: Path | None = None,
    candidate: Path | None = None,
    fixed: Annotated[bool, Flag] = False,
    internal_report: Annotated[bool, Flag] = False,
    strict_annotations: Path | None = None,
    coco: Path | None = None,
    resamples: Whole = RESAMPLES,
    label: str | None = None,
    output: Annotated[Path | None, Parameter(name=["--output", "-o"])] = None,
    json: Annotated[bool, Flag] = False,
) -> int:
    """Score predictions: native, strict and COCO, per class, strata, bootstrap, and the fixed-0.3 control.

    Args:
        predictions: Files of prediction or candidate lines, or folders of shards, of one system.
        pdf: Folder whose native widgets are the truth; with an index, the folder to check the files of.
        index: A sealed index whose widgets are the truth.
        role: Which role of the index.
        sample: Only the sampled pages; shards of a sample know theirs.
        seed: Of the sample.
        audit: Only the pages of a label audit, a file that says how good their labels are.
        grade: Only audited pages of these grades.
        point: Operating point made by ``acromeld calibrate``.
        candidate: Frozen candidate; its own operating point is used and its detector must have predicted.
        fixed: Score at thresholds of 0.3, for systems that bring no point of their own.
        internal_report: Write the candidate's internal report, once; of the declared run over the whole role.
        strict_annotations: COCO file with separate truth for the strict and COCO yardsticks.
        coco: Folder to make, with truth and predictions as COCO files for other scorers.
        resamples: Of the bootstrap; 0 leaves it out.
        label: Name of the system in reports; by default the detector's.
        output: Also write a sealed evaluation record for ``acromeld report``.
        json: Print the results as JSON.
    """
    if output is not None:
        check_targets([], [output], force=False)
    frozen = None if candidate is None else load_candidate(candidate)
    if internal_report and (frozen is None or role is not Role.INTERNAL_TEST):
        raise InputNotFound("An internal report needs --candidate, --index and --role internal-test.")
    read = read_sources(predictions)
    if internal_report:
        _check_whole(read, sample)
    audited = _audited(audit, tuple(grade or ()), internal_report=internal_report)
    truth = _truth(read, pdf, index, role, sample, seed, audited)
    pages = _within(read.pages, truth)
    check_belongs(pages, truth.targets)
    at = _point(point, frozen, read, fixed=fixed)
    if frozen is not None:
        _check_sealed_counts(frozen, pages, truth)
    strict = None if strict_annotations is None else import_annotations(strict_annotations)
    results = evaluate_pages(read.pages, truth.targets.pages, at, strict_targets=strict, resamples=resamples)
    if coco is not None:
        _export_coco(coco, pages, truth.targets, at)
    results["throughput"] = _throughput(read)
    if internal_report and frozen is not None:
        shards = {path.name: digest for path, digest in read.files.items()}
        record_internal_report(frozen.folder, {"truth": truth.chosen, **results}, shards)
    if output is not None:
        where = frozen.folder / OPERATING_POINT if frozen else point
        bound = Bound(read.files, truth.chosen, index, where, audit)
        write_evaluation(output, label or _label(read), bound, results)
    if json:
        print_json(results)
    else:
        say_notes(f"{name}: {reason}" for name, reason in truth.targets.unreadable)
        print_results(label or _label(read), results)
    return 0


def _check_whole(read: Predictions, sample: int | None) -> None:
    """The internal report is about every page of the role as it is, and somebody must have said so."""
    if read.run is None:
        raise IntegrityError("An internal report is made from the shards of one declared run.")
    if sample is not None or read.run["sample"] is not None:
        raise IntegrityError("An internal report is about the whole role, not about a sample.")
    if read.scanned:
        raise IntegrityError("An internal report is about the pages as they are, not about poor scans.")


def _audited(path: Path | None, grades: tuple[Grade, ...], *, internal_report: bool) -> Audited | None:
    if path is None:
        if grades:
            raise InputNotFound("Grades are those of an audit: give --audit, too.")
        return None
    if internal_report:
        raise InputNotFound("An internal report is about the whole role: leave --audit away.")
    return Audited(path, grades)


def _truth(
    read: Predictions,
    pdf: Path | None,
    index: Path | None,
    role: Role | None,
    sample: int | None,
    seed: int,
    audited: Audited | None,
) -> Truth:
    if index is None or role is None:
        if index is not None or role is not None:
            raise InputNotFound("A role needs an index and an index a role: give both --index and --role.")
        if pdf is None:
            raise InputNotFound("Where is the truth? Give --pdf FOLDER, or --index INDEX and --role ROLE.")
        if sample is not None:
            raise InputNotFound("A sample is drawn from a role: give --index and --role.")
        if audited is not None:
            raise InputNotFound("An audit is of a role: give --index and --role.")
        targets = read_targets(pdf)
        return Truth(targets, {"index": None, "digest": truth_digest(targets.pages.values())})
    return _role_truth(read, pdf, index, role, sample, seed, audited)


def _role_truth(
    read: Predictions,
    pdf: Path | None,
    index: Path,
    role: Role,
    sample: int | None,
    seed: int,
    audited: Audited | None,
) -> Truth:
    audit: dict[str, Any] | None = None
    if read.run is not None and read.run["sample"] is not None and sample is None:
        sample, seed = read.run["sample"]["pages"], read.run["sample"]["seed"]
    with open_index(index) as opened:
        read.check_about(opened.digest, role)
        pages = role_pages(opened, role, sample, seed)
        if audited is not None:
            pages, audit = audited.keep(pages, opened.digest, role)
        documents = opened.documents(role)
        if pdf is not None:
            with page_progress("Checking files") as progress:
                check_role_files(documents, pdf, pages.keys(), progress)
        found = role_targets(opened, pages)
        aside = frozenset((row.sha256, row.page) for row in opened.pages()) - found.keys()
        digest = opened.digest
    if read.headers and len(found) == (read.run or {}).get("pages", len(found)):
        check_sources(read.headers, pages.keys())
    names = {row.sha256: row.file for row in documents}
    chosen = {
        "index": digest,
        "role": str(role),
        "sample": None if sample is None else {"pages": sample, "seed": seed},
        "digest": truth_digest(found.values()),
        **({} if audit is None else {"audit": audit}),
    }
    return Truth(Targets(found, names), chosen, aside)


def _within(pages: Pages, truth: Truth) -> Pages:
    """Lines of pages outside the role or sample are left out; foreign lines stay, to be refused."""
    return {key: page for key, page in pages.items() if key not in truth.aside}


def _point(
    path: Path | None, frozen: Candidate | None, read: Predictions, *, fixed: bool
) -> OperatingPoint | None:
    if (path is not None) + (frozen is not None) + fixed > 1:
        raise InputNotFound("Give one operating point: --point, --candidate (which has its own) or --fixed.")
    if fixed:
        return fixed_point(OperatingPoint())
    if frozen is None:
        return None if path is None else read_point(path)
    wanted = f"{frozen.detector.name} {frozen.detector.weights or ''}".strip()
    if read.detectors != {wanted}:
        raise IntegrityError(f"The predictions are not by the frozen detector {wanted}.")
    return frozen.operating_point


def _check_sealed_counts(frozen: Candidate, pages: Pages, truth: Truth) -> None:
    """Analysis after the internal report starts from its counts, or stops."""
    if not (frozen.folder / INTERNAL_REPORT).exists():
        return
    sealed = load_internal_report(frozen.folder)["results"]
    if sealed.get("truth", {}).get("digest") != truth.chosen["digest"]:
        return
    micro = sealed["points"]["selected"]["native"]["micro"]
    counts = Counts(micro["tp"], micro["tp"] + micro["fp"], micro["tp"] + micro["fn"])
    check_counts(pages, truth.targets.pages, frozen.operating_point, counts)


def _export_coco(folder: Path, pages: Pages, targets: Targets, point: OperatingPoint | None) -> None:
    if folder.exists():
        raise OutputProblem(f"{folder} exists already; COCO files get a folder of their own.")
    truth = list(targets.pages.values())
    create_json(folder / "annotations.json", export_annotations(truth))
    create_json(folder / "predictions.json", export_predictions(pages, truth, point))


def _throughput(read: Predictions) -> dict[str, Any] | None:
    """Pages a second over all ranks as if they ran one after another, and the largest process."""
    if not read.headers:
        return None
    seconds = sum(header.seconds for header in read.headers)
    pages = sum(header.pages for header in read.headers)
    return {
        "pages": pages,
        "seconds": seconds,
        "pages_per_second": pages / seconds if seconds else None,
        "peak_memory_bytes": max(header.peak_memory_bytes for header in read.headers),
    }


def _label(read: Predictions) -> str:
    return " ".join(sorted(name.split(" ")[0] for name in read.detectors)) or "unnamed"
