# SPDX-License-Identifier: Apache-2.0
"""``acromeld interventions``: what a trained model loses when one part is taken away."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter, validators

from acromeld.cli.console import page_progress, print_json, say_notes, wide_console
from acromeld.cli.evaluation_tables import for_terminal
from acromeld.corpus.index import open_index
from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound, IntegrityError, OutputProblem
from acromeld.evaluate.bootstrap import RESAMPLES, SEED
from acromeld.evaluate.inference import candidate_pages
from acromeld.evaluate.interventions.table import as_markdown, as_record, costs_table, numbers_table
from acromeld.evaluate.interventions.tally import Tally
from acromeld.evaluate.points import read_point
from acromeld.evaluate.report.rendering import csv_text
from acromeld.evaluate.scanned import OnScans
from acromeld.evaluate.truth import role_pages, role_targets, truth_digest
from acromeld.fields import DetectorRef
from acromeld.provenance.candidate import OPERATING_POINT
from acromeld.provenance.digests import sha256_bytes, sha256_file
from acromeld.provenance.implementation import package_implementation
from acromeld.provenance.records import create_bytes, create_json, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from acromeld.corpus.index import PageRow
    from acromeld.detect.ffgbt.detector import FfgbtDetector
    from acromeld.evaluate.interventions.prediction import Intervened
    from acromeld.evaluate.interventions.tally import Cost
    from acromeld.evaluate.pages import PageKey, TargetPage
    from acromeld.model.acromeld import AcroMeld

Count = Annotated[int, Parameter(validator=validators.Number(gte=1))]
Whole = Annotated[int, Parameter(validator=validators.Number(gte=0))]
Flag = Parameter(negative="")

_WIDTH = 190
"""Columns of the table with its intervals, where no terminal sets a limit."""


@dataclass(frozen=True)
class _Truth:
    """Pages by document, their files and targets, and how they were chosen."""

    pages: dict[str, list[PageRow]]
    files: dict[str, str]
    targets: dict[PageKey, TargetPage]
    chosen: dict[str, Any]


def interventions(
    weights: Path,
    /,
    *,
    index: Path,
    role: Role,
    pdf: Path,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    point: Path | None = None,
    expert: Path | None = None,
    sample: Count | None = None,
    seed: int = 0,
    scanned: Annotated[bool, Flag] = False,
    full: Annotated[bool, Flag] = False,
    threads: Count | None = None,
    resamples: Whole = RESAMPLES,
    json: Annotated[bool, Flag] = False,
) -> int:
    """Take one part of a trained model away at a time and score what is left, on the same pages.

    Args:
        weights: A trained model: a weights file that a detector runs (.onnx), such as the one of a frozen
            candidate, or contract and weights of a training run (.pt).
        index: A sealed index.
        role: Whose pages.
        pdf: Folder of the PDFs.
        output: Folder to make, with the table as Markdown and CSV and a JSON record.
        point: Operating point of the model; by default the operating-point.json beside the weights.
        expert: Weights of the FFGBT whose opinions a .pt model reads; by default those that ship. A .onnx
            file brings its own.
        sample: Only so many pages, drawn by hash with the seed.
        seed: Of the sample.
        scanned: Show the model a poor scan of every page: a degraded picture and nothing else.
        full: Keep full precision of a .pt file; otherwise weights are rounded as ``train export`` does it.
        threads: Threads to compute with.
        resamples: Of the bootstrap; 0 leaves it out.
        json: Print the record as JSON.
    """
    if output.exists():
        raise OutputProblem(f"{output} exists already; the table gets a folder of its own.")
    if not pdf.is_dir():
        raise InputNotFound(f"{pdf} is not a folder.")
    place = _point_file(weights, point)
    detector, experts = _load(weights, expert, place, full=full, threads=threads)
    truth = _truth(index, role, sample, seed)
    costs = _intervene(detector, pdf, truth, resamples, scanned=scanned)
    bound = {
        "weights": detector.ref.weights,
        "rounded": not full,
        "page_evidence": detector.contract.page_evidence,
        "evidence_scores": detector.contract.evidence_scores,
        "signing": detector.contract.signing,
        "appraisal": detector.contract.appraisal,
        "expert": experts,
        "operating_point": detector.operating_point.model_dump(mode="json"),
        "point": sha256_file(place),
        "truth": truth.chosen,
        "scanned": scanned,
        "bootstrap": {"resamples": resamples, "seed": SEED},
        "implementation": package_implementation().digest,
    }
    record = as_record(costs, bound)
    _write(output, costs, record)
    if json:
        print_json(record)
    else:
        _print(costs)
        print(f"{output}: interventions.md, interventions.csv, interventions.json.")
    return 0


def _intervene(
    detector: Intervened, folder: Path, truth: _Truth, resamples: int, *, scanned: bool
) -> list[Cost]:
    notes: list[str] = []
    tally = Tally(detector.interventions, truth.targets, detector.operating_point)
    with page_progress("Intervening") as progress:
        shown = OnScans(detector) if scanned else detector
        pages = candidate_pages(shown, folder, truth.files, truth.pages, told=notes.append, progress=progress)
        for page in pages:
            tally.add(page, detector.take())
    say_notes(notes)
    return tally.costs(resamples)


def _print(costs: list[Cost]) -> None:
    console = wide_console()
    if not console.is_terminal:
        console.width = _WIDTH
    console.print(for_terminal(costs_table(costs)))


def _point_file(weights: Path, point: Path | None) -> Path:
    place = point or weights.with_name(OPERATING_POINT)
    if not place.is_file():
        raise InputNotFound(f"{place} does not exist; --point FILE names the operating point of the model.")
    return place


def _load(
    weights: Path, expert: Path | None, point: Path, *, full: bool, threads: int | None
) -> tuple[Intervened, str | None]:
    """The model, and the digest of its expert if it reads one."""
    import torch

    if threads is not None:
        torch.set_num_threads(threads)
    detector, known = (
        _exported(weights, point)
        if weights.suffix == ".onnx"
        else _trained(weights, expert, point, full=full)
    )
    return detector, None if known is None else known.ref.weights


def _exported(weights: Path, point: Path) -> tuple[Intervened, FfgbtDetector | None]:
    """A weights file read back, with the expert and the second look inside it."""
    from acromeld.detect.acromeld.detector import load_looks
    from acromeld.detect.acromeld.weights import read_weights
    from acromeld.detect.ffgbt.detector import FfgbtDetector
    from acromeld.evaluate.interventions.prediction import Intervened
    from acromeld.model.read_back import read_back

    file = read_weights(weights)
    if read_json(point).get("candidate") not in (None, file.digest):
        raise IntegrityError(f"{point} belongs to other weights; --point takes a bare point, too.")
    model = read_back(weights.read_bytes(), weights.name)
    known = None if file.expert is None else FfgbtDetector(file.expert)
    ref = DetectorRef(name="acromeld", weights=file.digest)
    return Intervened(model, known, ref, read_point(point), load_looks(file)), known


def _trained(
    weights: Path, expert: Path | None, point: Path, *, full: bool
) -> tuple[Intervened, FfgbtDetector | None]:
    """The weights of a training run, rounded as they are exported."""
    from acromeld.detect.ffgbt.detector import FfgbtDetector
    from acromeld.detect.ffgbt.weights import weights_file
    from acromeld.evaluate.interventions.prediction import Intervened
    from acromeld.model.export import round_to_half
    from acromeld.model.saved import load_model

    model = load_model(weights)
    if not full:
        round_to_half(model)
    _check_bound(point, model, weights_file(expert) if model.contract.opinions else None)
    known = None
    if model.contract.opinions:
        known = FfgbtDetector() if expert is None else FfgbtDetector.from_file(expert)
    ref = DetectorRef(name="acromeld", weights=sha256_file(weights))
    return Intervened(model, known, ref, read_point(point)), known


def _check_bound(point: Path, model: AcroMeld, expert: bytes | None) -> None:
    """A frozen operating point names the exported file it belongs to, which these weights must give again."""
    from acromeld.model.export import export_onnx

    named = read_json(point).get("candidate")
    if named is not None and named != sha256_bytes(export_onnx(model, expert)):
        raise IntegrityError(
            f"{point} belongs to other weights, precision or exporter; --point takes a bare point, too."
        )


def _truth(index: Path, role: Role, sample: int | None, seed: int) -> _Truth:
    with open_index(index) as opened:
        pages = role_pages(opened, role, sample, seed)
        files = {row.sha256: row.file for row in opened.documents(role)}
        targets, digest = role_targets(opened, pages), opened.digest
    chosen = {
        "index": digest,
        "role": str(role),
        "sample": None if sample is None else {"pages": sample, "seed": seed},
        "pages": len(targets),
        "documents": len(pages),
        "fields": sum(len(target) for target in targets.values()),
        "digest": truth_digest(targets.values()),
    }
    return _Truth(pages, files, targets, chosen)


def _write(folder: Path, costs: list[Cost], record: Mapping[str, Any]) -> None:
    """Table and record; each file is written once."""
    folder.mkdir(parents=True)
    create_bytes(folder / "interventions.md", as_markdown(costs, _about(record)).encode())
    create_bytes(folder / "interventions.csv", csv_text(numbers_table(costs)).encode())
    create_json(folder / "interventions.json", record)


def _about(record: Mapping[str, Any]) -> list[str]:
    truth, point = record["truth"], record["operating_point"]
    drawn = truth["sample"]
    sample = f", a sample with seed {drawn['seed']}" if drawn else ""
    return [
        f"{truth['pages']:,} pages of {truth['documents']:,} documents with {truth['fields']:,} fields, role "
        f"{truth['role']}{sample}, of the index {truth['index']}"
        f"{', each shown as a poor scan' if record['scanned'] else ''}.",
        f"Weights {record['weights']}{' rounded to half precision' if record['rounded'] else ''}, "
        f"expert {record['expert'] or 'none'}.",
        "Operating point: " + ", ".join(f"{name} {value:g}" for name, value in point.items()) + ".",
    ]
