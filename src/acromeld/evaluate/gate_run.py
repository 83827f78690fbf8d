# SPDX-License-Identifier: Apache-2.0
"""The real work inside the gate: the product's own detection, and the native yardstick.

The prediction shards hold the fields as a user would get them: decoded at the candidate's operating point.
They decide. Beside them every candidate is kept, for average precision, strata and whatever is asked later,
and what there is to know of each document besides (`acromeld.evaluate.gate_kept`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from acromeld.detect.registry import load_detector
from acromeld.errors import IntegrityError
from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.candidate_lines import candidate_line, parse_candidates
from acromeld.evaluate.gate_kept import FACTS_SCHEMA, RAW, Kept
from acromeld.evaluate.pages import PageKey, PredictedPage
from acromeld.evaluate.predictions import parse_page, read_predictions
from acromeld.evaluate.report_data import check_belongs, evaluate
from acromeld.evaluate.targets import Failures, Targets, targets_of
from acromeld.form.output import write_atomically
from acromeld.pdf.isolation import IsolatedReader
from acromeld.provenance.gate import Evaluation
from acromeld.provenance.printable import printable
from acromeld.provenance.records import json_bytes
from acromeld.provenance.registration import Counts
from acromeld.recovery import detect_pages
from acromeld.structure.availability import structure_available

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, DocumentFields, OperatingPoint
    from acromeld.pdf.page import Page, PageNeeds
    from acromeld.provenance.candidate import Candidate
    from acromeld.provenance.external import ExternalCorpus, ExternalDocument


@dataclass(frozen=True)
class Proposal:
    """What is kept of a page: its place and size, whether it has structure, and every candidate.

    Never the page itself: the pictures of a long document would not fit into memory.
    """

    index: int
    width: float
    height: float
    structure: bool
    found: PageCandidates


class FrozenDetector:
    """A detector at the operating point of a candidate, which remembers what it proposed."""

    def __init__(self, detector: Detector, candidate: Candidate) -> None:
        if detector.ref != candidate.detector:
            raise IntegrityError(
                f"The installed detector {detector.ref.name} ({detector.ref.weights}) is not the frozen one "
                f"({candidate.detector.weights})."
            )
        self._detector = detector
        self.operating_point: OperatingPoint = candidate.operating_point
        self.proposed: list[Proposal] = []

    @property
    def ref(self) -> DetectorRef:
        """Name and weights."""
        return self._detector.ref

    @property
    def needs(self) -> PageNeeds:
        """What to read of each page: also its primitives, which say whether it has structure."""
        return replace(self._detector.needs, primitives=True)

    @property
    def cap(self) -> int:
        """Fields of a page at the most."""
        return self._detector.cap

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page."""
        found = self._detector.detect(pages)
        self.proposed += [
            Proposal(page.index, page.width, page.height, structure_available(page), candidates)
            for page, candidates in zip(pages, found, strict=True)
        ]
        return found


def candidate_detector(candidate: Candidate) -> Detector:
    """The detector a candidate is: with the weights in its folder, or from source if it is made of that."""
    of_source = candidate.weights.suffix == ".py"
    return load_detector(candidate.detector.name, None if of_source else candidate.weights)


@dataclass(frozen=True)
class Work:
    """What detection says about a document; nothing, for one that cannot be read.

    Attributes:
        lines: Prediction lines, for the shard.
        candidates: Candidate lines, to be kept.
        structure: Whether each page, by its index, has structure.
        skipped: Pages that could not be read, with the reasons.
    """

    lines: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    structure: Mapping[str, bool] = field(default_factory=dict)
    skipped: Sequence[Mapping[str, Any]] = ()


class GateWork:
    """Detection and evaluation for `acromeld.provenance.gate.run_gate`; a context manager."""

    def __init__(self, candidate: Candidate, out: Path) -> None:
        self._detector = FrozenDetector(candidate_detector(candidate), candidate)
        self._raw = out / RAW
        self._reader = IsolatedReader()
        self._failures = Failures()

    def __enter__(self) -> GateWork:
        self._reader.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._reader.__exit__(*problem)

    def detect(self, document: ExternalDocument, candidate: Candidate) -> Iterable[str]:
        """Lines of one document; one that cannot be read has none, and a record of the reason."""
        self._detector.proposed.clear()
        work, problem = Work(), None
        try:
            work = self._work(document, candidate)
            self._failures.end()
        except Exception as error:  # Files of strangers: whatever it is, it costs this document.
            problem = self._failures.reason(error)
        self._keep(document, work, problem)
        return work.lines

    def _work(self, document: ExternalDocument, candidate: Candidate) -> Work:
        """Detection, and a look at every line: one that cannot be read back must not wait for the end."""
        fields = detect_pages(self._reader.open(document.load()), self._detector, bare=True).fields
        proposed = self._detector.proposed
        lines = tuple(fields.to_lines())
        candidates = tuple(candidate_line(self._page(document.sha256, row, candidate)) for row in proposed)
        for line in lines:
            parse_page(line)
        for line in candidates:
            parse_candidates(line)
        structure = {str(row.index): row.structure for row in proposed}
        return Work(lines, candidates, structure, skipped_pages(fields))

    def _keep(self, document: ExternalDocument, work: Work, problem: str | None) -> None:
        """Write candidates and facts, in place of those of an attempt that died before its shard."""
        facts = {
            "schema": FACTS_SCHEMA,
            "name": document.name,
            "problem": problem,
            "structure": work.structure,
            "skipped": work.skipped,
        }
        lines = "".join(line + "\n" for line in work.candidates).encode()
        self._raw.mkdir(parents=True, exist_ok=True)
        write_atomically(lines, self._raw / f"{document.sha256}.jsonl", overwrite=True)
        write_atomically(json_bytes(facts), self._raw / f"{document.sha256}.json", overwrite=True)

    def _page(self, sha256: str, proposal: Proposal, candidate: Candidate) -> PredictedPage:
        return PredictedPage(
            sha256,
            proposal.index,
            proposal.width,
            proposal.height,
            proposal.found,
            decoded=False,
            detector=candidate.detector,
            cap=self._detector.cap,
        )

    def evaluate(self, shards: Sequence[Path], corpus: ExternalCorpus, candidate: Candidate) -> Evaluation:
        """Native counts of the shards, and the full record of the candidates beside them.

        The truth is that of the listed documents. One whose fields cannot be read has no truth, so that
        nothing can be said about its predictions; they are left out.
        """
        kept = Kept(self._raw, corpus)
        targets = targets_of(((file.name, file.load) for file in corpus.documents), vector=kept.structure)
        predicted: dict[PageKey, PredictedPage] = {}
        for shard in shards:
            predicted |= _readable(read_predictions(shard), targets)
        check_belongs(predicted, targets)
        pages = compare(predicted, targets.pages)
        found = total(score_page(page, NATIVE, candidate.operating_point) for page in pages).counts()
        details = {
            "evaluation": evaluate(
                _readable(kept.pages(), targets), targets.pages, candidate.operating_point
            ),
            "raw": kept.digests(),
            "unreadable": [{"name": name, "reason": why} for name, why in targets.unreadable],
            "undetected": kept.undetected(),
            "skipped_pages": kept.skipped(),
            "rejected_widgets": dict(sorted(targets.rejected.items())),
        }
        counts = Counts(found.matched, found.predicted - found.matched, found.targets - found.matched)
        return Evaluation(counts, details)


def skipped_pages(fields: DocumentFields) -> list[dict[str, Any]]:
    """Pages of which nothing could be read, each with the sentences that say why."""
    return [
        {"page": page.page.index, "notes": [printable(note) for note in page.notes]}
        for page in fields.pages
        if page.skipped
    ]


def _readable(pages: Mapping[PageKey, PredictedPage], targets: Targets) -> dict[PageKey, PredictedPage]:
    return {key: page for key, page in pages.items() if page.document in targets.names}
