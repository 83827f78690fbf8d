# SPDX-License-Identifier: Apache-2.0
"""Can the compact model learn a few pages by heart? From random weights, on CPU, by the real reading path.

    python tools/overfit.py FILE.pdf ... [--pages 10] [--minutes 60] [--threads 1] [--out weights.pt]

Pages are read as a detector reads them, targets are their native widgets, and every so many steps the real
decoder and both evaluation adapters say how far it is. It ends at native F1 0.99 and strict F1 0.97, or when
the time is over; that is processor time, so that a busy machine changes nothing. A loss with a mistake in it
does not get there.
"""

from __future__ import annotations

import argparse
import math
import random
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch

from acromeld.detect.acromeld.inputs import read_inputs
from acromeld.detect.candidates import PageCandidates
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.evaluate.adapters import NATIVE, STRICT, compare, score_page, total
from acromeld.evaluate.pages import PredictedPage, TargetPage
from acromeld.fields import KINDS, OperatingPoint
from acromeld.geometry import as_boxes
from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import Batch, Targets, page_batch
from acromeld.model.boxes import cxcywh_to_xyxy, xyxy_to_cxcywh
from acromeld.model.contract import COMPACT
from acromeld.model.heads import scores
from acromeld.model.saved import save_model
from acromeld.pdf.document import Document, open_document
from acromeld.train.loss import total_loss

if TYPE_CHECKING:
    from acromeld.detect.acromeld.canvas import Placement

READING = COMPACT.runtime
EXPERT = FfgbtDetector() if READING.opinions else None
SETTLED = 0.2
GOAL = {"native": 0.99, "strict": 0.97}
POINT = OperatingPoint(text=0.4, choice=0.4, signature=0.4, nms=0.7, link=0.8)


@dataclass(frozen=True)
class Lesson:
    """One page as a batch of its own, the way back to points, and what is true of it."""

    batch: Batch
    place: Placement
    truth: TargetPage


def main() -> None:
    as_written = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=as_written)
    parser.add_argument("files", type=Path, nargs="+")
    parser.add_argument("--pages", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=60, help="of processor time")
    parser.add_argument("--every", type=int, default=50, help="steps between evaluations")
    parser.add_argument("--rate", type=float, default=1e-3, help="highest learning rate")
    parser.add_argument("--seed", type=int, default=0)
    # More threads than idle cores wait for each other at every layer and are many times slower than one.
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where the weights go")
    given = parser.parse_args()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    lessons = read_lessons(given.files, given.pages)
    fields = sum(len(lesson.truth) for lesson in lessons)
    print(f"{len(lessons)} pages, {fields} fields", flush=True)
    model = AcroMeld(COMPACT.model_copy(update={"dropout": 0.0}))
    model.to(memory_format=torch.channels_last)
    learn(model, lessons, given.minutes * 60, given.rate, given.every, given.seed)
    if given.out:
        save_model(model, given.out)


def read_lessons(files: list[Path], most: int) -> list[Lesson]:
    lessons: list[Lesson] = []
    for file in files:
        with open_document(file) as document:
            wanted = range(min(len(document), most - len(lessons)))
            lessons += [read_lesson(document, index) for index in wanted]
    return lessons


def read_lesson(document: Document, index: int) -> Lesson:
    inputs = read_inputs(document.read_page(index, READING.needs), READING, expert=EXPERT)
    place = inputs.place
    widgets = document.widgets(index).widgets
    box = as_boxes([widget.box for widget in widgets])
    kind = np.array([KINDS.index(widget.kind) for widget in widgets], dtype=np.int64)
    corners = torch.from_numpy(place.to_canvas(box))
    name = f"{document.source.name}, page {index + 1}"
    targets = Targets(name, xyxy_to_cxcywh(corners), torch.from_numpy(kind))
    truth = TargetPage(document.source.sha256, index, *place.page, box, kind)
    return Lesson(page_batch([inputs], (targets,)), place, truth)


def learn(model: AcroMeld, lessons: list[Lesson], seconds: float, rate: float, every: int, seed: int) -> None:
    """One page a step until the time is over; the rate warms up and then falls with the time left."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=1e-4)
    order, began, step = random.Random(seed), time.process_time(), 0
    while (spent := (time.process_time() - began) / seconds) < 1:
        for lesson in order.sample(lessons, len(lessons)):
            warm = min(1.0, (step + 1) / 100)
            for group in optimizer.param_groups:
                group["lr"] = rate * warm * (0.02 + 0.98 * (1 + math.cos(math.pi * min(spent, 1.0))) / 2)
            terms = train_step(model, lesson, optimizer, settled=spent > SETTLED)
            step += 1
            if step % every == 0 and report(model, lessons, step, time.process_time() - began, terms):
                return
    report(model, lessons, step, time.process_time() - began, terms)


def train_step(
    model: AcroMeld, lesson: Lesson, optimizer: torch.optim.Optimizer, *, settled: bool
) -> dict[str, float]:
    """One page; once settled, normalised as in use, because a batch of one has statistics of its own."""
    model.train()
    if settled:
        for module in model.modules():
            if isinstance(module, torch.nn.BatchNorm2d):
                module.eval()
    batch = lesson.batch
    loss = total_loss(model(batch.images, batch.tokens, batch.targets), batch)
    optimizer.zero_grad()
    loss.total.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.floats()


def report(model: AcroMeld, lessons: list[Lesson], step: int, spent: float, terms: dict[str, float]) -> bool:
    """Print how far it is; whether that is far enough."""
    found = {lesson.truth.key: predict(model, lesson) for lesson in lessons}
    pages = compare(found, {lesson.truth.key: lesson.truth for lesson in lessons})
    results = {
        adapter.name: total(score_page(page, adapter, POINT) for page in pages).counts()
        for adapter in (NATIVE, STRICT)
    }
    said = "  ".join(f"{name} F1 {counts.f1 or 0:.4f}" for name, counts in results.items())
    parts = "  ".join(f"{name} {value:.3f}" for name, value in terms.items())
    print(
        f"step {step}  {spent:.0f} s  {said}  predicted {results['native'].predicted}  |  {parts}", flush=True
    )
    return all((results[name].f1 or 0) >= goal for name, goal in GOAL.items())


def predict(model: AcroMeld, lesson: Lesson) -> PredictedPage:
    """All candidates of a page in points, for the decoder to choose from."""
    with torch.no_grad():
        output = model.eval()(lesson.batch.images, lesson.batch.tokens)
    score, kind = scores(output.final)
    candidates = PageCandidates(
        box=lesson.place.to_page(cxcywh_to_xyxy(output.final.boxes)[0].numpy()),
        kind=kind[0].numpy(),
        score=score[0].double().numpy(),
        origin=READING.origins,
        quality=output.final.quality.sigmoid()[0].double().numpy(),
        link=output.link[0].double().numpy(),
    )
    truth = lesson.truth
    return PredictedPage(truth.document, truth.index, truth.width, truth.height, candidates, decoded=False)


if __name__ == "__main__":
    main()
