# SPDX-License-Identifier: Apache-2.0
"""Everything the yardsticks say about one set of predictions, as one JSON-ready record.

The fixed-0.3 control, which changes only the class thresholds, always stands beside the selected point, so
that a reader sees what calibration did and what the detector did.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from acromeld.detect.decoding import raw_point
from acromeld.errors import BadFields, InputNotFound
from acromeld.evaluate import strata
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page, summary
from acromeld.evaluate.average_precision import coco_ap, overlap_ap
from acromeld.evaluate.bootstrap import RESAMPLES, SEED, cluster_bootstrap
from acromeld.evaluate.candidate_lines import holds_candidates, read_candidates
from acromeld.evaluate.coco import import_annotations
from acromeld.evaluate.curves import native_ranking, precision_recall, reliability
from acromeld.evaluate.predictions import read_predictions
from acromeld.evaluate.targets import read_targets
from acromeld.fields import OperatingPoint

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from acromeld.evaluate.adapters import Comparison, PageOutcome
    from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage
    from acromeld.evaluate.targets import Targets, VectorFact

SCHEMA = "acromeld.evaluation/1"
FIXED = 0.3
SIZE_TOLERANCE = 1.0
"""Points by which a line's page size may differ from the PDF's before the coordinates are not believed."""


def read_pages(path: str | os.PathLike[str]) -> dict[PageKey, PredictedPage]:
    """Prediction lines or candidate lines, whichever the file holds."""
    return read_candidates(path) if holds_candidates(path) else read_predictions(path)


def fixed_point(point: OperatingPoint) -> OperatingPoint:
    """The control: the same suppression, class thresholds (0.3, 0.3, 0.3)."""
    return point.model_copy(update={"text": FIXED, "choice": FIXED, "signature": FIXED})


def evaluate(
    predicted: Mapping[PageKey, PredictedPage],
    targets: Mapping[PageKey, TargetPage],
    point: OperatingPoint | None = None,
    *,
    strict_targets: Mapping[PageKey, TargetPage] | None = None,
    resamples: int = RESAMPLES,
    worst: int = 20,
) -> dict[str, Any]:
    """Score predictions against targets.

    Args:
        predicted: Pages without a line count as pages without predictions.
        targets: Every page that counts.
        point: The selected operating point. Without one, everything above the floor is scored as "given".
        strict_targets: Separate annotations for the strict and COCO adapters.
        resamples: Of the bootstrap; 0 leaves it out.
        worst: How many of the worst pages to list.
    """
    pages = compare(predicted, targets)
    strict_pages = pages if strict_targets is None else compare(predicted, strict_targets)
    main = point or raw_point(OperatingPoint())
    points = {"selected" if point else "given": main, "fixed": fixed_point(main)}
    native = {name: [score_page(page, NATIVE, at) for page in pages] for name, at in points.items()}
    shown = next(iter(points))
    ranking = native_ranking(pages, main)
    return {
        "schema": SCHEMA,
        "detectors": _detectors(predicted),
        "coverage": _coverage(predicted, targets),
        "points": {
            name: _point_record(pages, strict_pages, native[name], at, resamples)
            for name, at in points.items()
        },
        "coco": coco_ap(strict_pages, main),
        "overlap_ap": overlap_ap(pages, main),
        "strata": {
            **strata.page_strata(pages, native[shown]),
            "origin": strata.origins(pages, native[shown]),
            "suppression": strata.suppression(pages, main),
        },
        "precision_recall": precision_recall(ranking),
        "reliability": reliability(ranking),
        "worst_pages": worst_pages(pages, native[shown], worst),
    }


def _point_record(
    pages: Sequence[Comparison],
    strict_pages: Sequence[Comparison],
    native: Sequence[PageOutcome],
    point: OperatingPoint,
    resamples: int,
) -> dict[str, Any]:
    record: dict[str, Any] = {
        "operating_point": point.model_dump(mode="json"),
        "native": summary(native),
        "strict": summary(score_page(page, STRICT, point) for page in strict_pages),
    }
    if resamples:
        intervals = cluster_bootstrap(document_counts(pages, native), resamples=resamples)
        record["bootstrap"] = {
            "resamples": resamples,
            "seed": SEED,
            **{name: None if interval is None else asdict(interval) for name, interval in intervals.items()},
        }
    return record


def document_counts(
    pages: Sequence[Comparison], outcomes: Sequence[PageOutcome]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Matched, predicted, targets of each document ``(documents, 3)``, in order of first appearance."""
    rows: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.int64]]] = {}
    for page, outcome in zip(pages, outcomes, strict=True):
        zero = np.zeros(3, dtype=np.int64)
        rows[page.targets.document] = rows.get(page.targets.document, zero) + outcome.table.sum(axis=0)
    return np.array(list(rows.values()), dtype=np.int64).reshape(-1, 3)


def worst_pages(
    pages: Sequence[Comparison], outcomes: Sequence[PageOutcome], most: int
) -> list[dict[str, Any]]:
    """The pages with the most mistakes, by document hash and page index."""
    scored = [(page.targets, outcome.counts()) for page, outcome in zip(pages, outcomes, strict=True)]
    mistaken = [(counts.mistakes, page.document, page.index, counts) for page, counts in scored]
    ranked = sorted(mistaken, key=lambda row: (-row[0], row[1], row[2]))
    return [
        {"document": document, "page": index, **counts.as_dict()}
        for mistakes, document, index, counts in ranked[:most]
        if mistakes
    ]


def _detectors(predicted: Mapping[PageKey, PredictedPage]) -> list[dict[str, Any]]:
    found = {page.detector for page in predicted.values() if page.detector is not None}
    return [
        ref.model_dump(mode="json", exclude_none=True)
        for ref in sorted(found, key=lambda ref: (ref.name, ref.weights or ""))
    ]


def _coverage(
    predicted: Mapping[PageKey, PredictedPage], targets: Mapping[PageKey, TargetPage]
) -> dict[str, int]:
    return {
        "documents": len({document for document, _ in targets}),
        "pages": len(targets),
        "targets": sum(len(page) for page in targets.values()),
        "pages_without_line": len(targets.keys() - predicted.keys()),
    }


def evaluate_file(
    predictions: str | os.PathLike[str],
    pdf_folder: str | os.PathLike[str],
    *,
    point: OperatingPoint | None = None,
    only_predicted: bool = False,
    strict_annotations: str | os.PathLike[str] | None = None,
    vector: VectorFact | None = None,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Score a file of lines against the native widgets of the PDFs in a folder.

    Every page of every PDF counts, whether it has a line or not, unless ``only_predicted`` restricts the
    truth to documents that have at least one.
    """
    predicted = read_pages(predictions)
    documents = {document for document, _ in predicted}
    targets = read_targets(pdf_folder, only=documents if only_predicted else None, vector=vector)
    check_belongs(predicted, targets)
    strict = None if strict_annotations is None else import_annotations(strict_annotations)
    record = evaluate(predicted, targets.pages, point, strict_targets=strict, resamples=resamples)
    record["rejected_widgets"] = dict(sorted(targets.rejected.items()))
    record["unreadable"] = [{"name": name, "reason": reason} for name, reason in targets.unreadable]
    return record


def check_belongs(predicted: Mapping[PageKey, PredictedPage], targets: Targets) -> None:
    """Refuse lines of documents that are not there, of pages they do not have, or in other coordinates."""
    for page in predicted.values():
        if page.document not in targets.names:
            raise InputNotFound(f"No PDF in the folder has the content hash {page.document} of a line.")
        target = targets.pages.get(page.key)
        if target is None:
            name = targets.names[page.document]
            raise BadFields(f"{name} has no page {page.index + 1}, but a line predicts fields on it.")
        off = max(abs(page.width - target.width), abs(page.height - target.height))
        if off > SIZE_TOLERANCE:
            raise BadFields(
                f"Page {page.index + 1} of {targets.names[page.document]} is {target.width:g} x"
                f" {target.height:g} points, but its line says {page.width:g} x {page.height:g}."
            )
