# SPDX-License-Identifier: Apache-2.0
"""Development scores by the real decoder and the real adapters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from acromeld.detect.acromeld.detector import as_candidates
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page, summary
from acromeld.evaluate.average_precision import coco_ap
from acromeld.evaluate.pages import PredictedPage, TargetPage
from acromeld.evaluate.sampling import sample_pages
from acromeld.model.boxes import cxcywh_to_xyxy
from acromeld.train.data.loader import Lessons, Loaded, Recipe, load
from acromeld.train.data.sampler import Visit
from acromeld.train.engine.step import autocast, frozen_visual, in_full, model_output

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from acromeld.detect.candidates import PageCandidates
    from acromeld.evaluate.pages import PageKey
    from acromeld.model.acromeld import AcroMeld
    from acromeld.train.data.cache import PageCache
    from acromeld.train.engine.distributed import Group
    from acromeld.train.engine.plan import Part, Precision, TrainingPlan


def development_rows(cache: PageCache, rows: Sequence[int], count: int | None, seed: int) -> list[int]:
    """All rows, or a declared sample of so many pages."""
    if count is None or count >= len(rows):
        return list(rows)
    chosen = set(sample_pages([cache.pages[row].key for row in rows], count, seed))
    return [row for row in rows if cache.pages[row].key in chosen]


def evaluate(
    model: AcroMeld,
    cache: PageCache,
    rows: Sequence[int],
    plan: TrainingPlan,
    part: Part,
    group: Group,
    *,
    device: torch.device,
    workers: int = 0,
    progress: Callable[[int, int], None] = lambda *_: None,
) -> dict[str, Any]:
    """Native and strict counts and COCO AP of the pages at the plan's decoder point."""
    mine = rows[group.rank :: group.ranks]
    batches = [[Visit(row, 0, row)] for row in mine]
    lessons = Lessons(cache, model.contract.canvases, Recipe(plan.seed), batches)
    predicted: dict[PageKey, PredictedPage] = {}
    model.eval()
    for done, loaded in enumerate(load(lessons, workers=workers), 1):
        page = predict(model, loaded.to(device), cache, part, plan.precision)
        predicted[page.key] = page
        progress(done, len(mine))
    everything = {key: page for part_of in group.gather(predicted) for key, page in part_of.items()}
    targets = {target.key: target for target in (target_page(cache, row) for row in rows)}
    return scores_of(everything, targets, plan)


def scores_of(
    predicted: dict[PageKey, PredictedPage], targets: dict[PageKey, TargetPage], plan: TrainingPlan
) -> dict[str, Any]:
    """What a metric line says of an evaluation."""
    pages = compare(predicted, targets)
    point = plan.point
    return {
        "pages": len(pages),
        "native": summary(score_page(page, NATIVE, point) for page in pages),
        "strict": summary(score_page(page, STRICT, point) for page in pages),
        "coco": coco_ap(pages, point),
    }


def predict(
    model: AcroMeld, loaded: Loaded, cache: PageCache, part: Part, precision: Precision
) -> PredictedPage:
    """Candidates of the one page of a batch, in points."""
    (visit,), (place,) = loaded.visits, loaded.places
    page, batch = cache.pages[visit.row], loaded.batch
    with torch.no_grad():
        if part == "visual":
            with autocast(precision, batch.images.device):
                seen = in_full(frozen_visual(model, batch))
            answers = {"probability": seen.logits.sigmoid(), "corners": cxcywh_to_xyxy(seen.boxes)}
            # The decoder's score is the root of probability times quality: this makes it the probability.
            answers["quality"] = answers["probability"].amax(-1)
            answers["link"] = seen.features
        else:
            output = model_output(model, batch, "all", precision)
            final = output.final
            answers = {
                "probability": final.logits.softmax(-1)[..., :-1],
                "corners": cxcywh_to_xyxy(final.boxes),
                "quality": final.quality.sigmoid(),
                "link": output.link,
            }
    arrays = {name: answer[0].float().cpu().numpy() for name, answer in answers.items()}
    found: PageCandidates = as_candidates(arrays, place, model.contract.runtime)
    if part == "visual":
        found = replace(found, link=None)
    return PredictedPage(*page.key, page.width, page.height, found, decoded=False)


def target_page(cache: PageCache, row: int) -> TargetPage:
    """The truth of a cached page."""
    page, record = cache.pages[row], cache.read(row, raster=False)
    return TargetPage(*page.key, page.width, page.height, record.boxes.astype(np.float64), record.labels)
