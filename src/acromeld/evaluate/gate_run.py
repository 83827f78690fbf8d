# SPDX-License-Identifier: Apache-2.0
"""The real work inside the gate: the product's own detection, and the native yardstick.

The prediction shards hold the fields as a user would get them: decoded at the candidate's operating point.
They decide. Beside them every candidate is kept (``raw/<document>.jsonl``), for average precision, strata and
whatever is asked later; the report binds their digests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.detect.registry import load_detector
from acromeld.errors import AcromeldError, IntegrityError
from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.candidate_lines import candidate_line, read_candidates
from acromeld.evaluate.pages import PageKey, PredictedPage
from acromeld.evaluate.predictions import read_predictions
from acromeld.evaluate.report_data import check_belongs, evaluate
from acromeld.evaluate.targets import read_targets
from acromeld.form.output import write_atomically
from acromeld.pdf.isolation import IsolatedReader
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.gate import Evaluation
from acromeld.provenance.registration import Counts
from acromeld.recovery import detect_pages

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from acromeld.detect.candidates import Detector, PageCandidates
    from acromeld.fields import DetectorRef, OperatingPoint
    from acromeld.pdf.page import Page, PageNeeds
    from acromeld.pdf.source import Source
    from acromeld.provenance.candidate import Candidate
    from acromeld.provenance.external import ExternalCorpus

RAW = "raw"


def check_raw(out: Path, report: Mapping[str, Any]) -> None:
    """The candidates kept beside the shards must be those the report was made from."""
    for name, digest in report["details"].get("raw", {}).items():
        path = out / RAW / name
        if not path.is_file() or sha256_file(path) != digest:
            raise IntegrityError(f"{path}, which the gate report binds, is missing or was changed.")


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
        self.proposed: list[tuple[Page, PageCandidates]] = []

    @property
    def ref(self) -> DetectorRef:
        """Name and weights."""
        return self._detector.ref

    @property
    def needs(self) -> PageNeeds:
        """What to read of each page."""
        return self._detector.needs

    @property
    def cap(self) -> int:
        """Fields of a page at the most."""
        return self._detector.cap

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        """Candidates of each page."""
        found = self._detector.detect(pages)
        self.proposed += zip(pages, found, strict=True)
        return found


def candidate_detector(candidate: Candidate) -> Detector:
    """The detector a candidate is: with the weights in its folder, or from source if it is made of that."""
    of_source = candidate.weights.suffix == ".py"
    return load_detector(candidate.detector.name, None if of_source else candidate.weights)


class GateWork:
    """Detection and evaluation for `acromeld.provenance.gate.run_gate`; a context manager."""

    def __init__(self, candidate: Candidate, out: Path) -> None:
        self._detector = FrozenDetector(candidate_detector(candidate), candidate)
        self._raw = out / RAW
        self._reader = IsolatedReader()
        self.notes: list[str] = []

    def __enter__(self) -> GateWork:
        self._reader.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._reader.__exit__(*problem)

    def detect(self, source: Source, candidate: Candidate) -> Iterable[str]:
        """Lines of one document; one that cannot be read has none, and a note."""
        self._detector.proposed.clear()
        try:
            found = detect_pages(self._reader.open(source), self._detector, bare=True)
        except AcromeldError as error:
            self.notes.append(str(error))
            return ()
        self._keep(source.sha256, candidate)
        return found.fields.to_lines()

    def _keep(self, sha256: str, candidate: Candidate) -> None:
        pages = (
            PredictedPage(
                sha256,
                page.index,
                page.width,
                page.height,
                found,
                decoded=False,
                detector=candidate.detector,
                cap=self._detector.cap,
            )
            for page, found in self._detector.proposed
        )
        lines = "".join(candidate_line(page) + "\n" for page in pages)
        self._raw.mkdir(parents=True, exist_ok=True)
        write_atomically(lines.encode(), self._raw / f"{sha256}.jsonl", overwrite=True)

    def evaluate(self, shards: Sequence[Path], corpus: ExternalCorpus, candidate: Candidate) -> Evaluation:
        """Native counts of the shards, and the full record of the candidates beside them."""
        targets = read_targets(corpus.folder)
        predicted: dict[PageKey, PredictedPage] = {}
        for shard in shards:
            predicted |= read_predictions(shard)
        check_belongs(predicted, targets)
        pages = compare(predicted, targets.pages)
        found = total(score_page(page, NATIVE, candidate.operating_point) for page in pages).counts()
        raw, digests = self._read_raw(corpus)
        details = {
            "evaluation": evaluate(raw, targets.pages, candidate.operating_point),
            "raw": digests,
            "unreadable": [{"name": name, "reason": reason} for name, reason in targets.unreadable],
        }
        counts = Counts(found.matched, found.predicted - found.matched, found.targets - found.matched)
        return Evaluation(counts, details)

    def _read_raw(self, corpus: ExternalCorpus) -> tuple[dict[PageKey, PredictedPage], dict[str, str]]:
        pages: dict[PageKey, PredictedPage] = {}
        digests: dict[str, str] = {}
        for entry in corpus.entries:
            path = self._raw / f"{entry.sha256}.jsonl"
            if path.exists():
                pages |= read_candidates(path)
                digests[path.name] = sha256_file(path)
        return pages, digests
