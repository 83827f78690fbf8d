# SPDX-License-Identifier: Apache-2.0
"""Made-up corpora: pages of targets and plausible predictions of them."""

from __future__ import annotations

import hashlib

import numpy as np

from acromeld.detect.candidates import PageCandidates
from acromeld.evaluate.pages import PageKey, PredictedPage, TargetPage

WIDTH, HEIGHT = 612.0, 792.0


def digest(number: int) -> str:
    return hashlib.sha256(str(number).encode()).hexdigest()


def target_page(
    boxes: list[list[float]], kinds: list[int], document: str = digest(0), index: int = 0
) -> TargetPage:
    box = np.array(boxes, dtype=np.float64).reshape(-1, 4)
    return TargetPage(document, index, WIDTH, HEIGHT, box, np.array(kinds, dtype=np.int64))


def predicted_page(
    boxes: list[list[float]],
    kinds: list[int],
    scores: list[float],
    document: str = digest(0),
    index: int = 0,
    *,
    decoded: bool = True,
) -> PredictedPage:
    candidates = PageCandidates(
        np.array(boxes, dtype=np.float64).reshape(-1, 4),
        np.array(kinds, dtype=np.int64),
        np.array(scores, dtype=np.float64),
        tuple(("visual", "structure", "free")[number % 3] for number in range(len(kinds))),
    )
    return PredictedPage(document, index, WIDTH, HEIGHT, candidates, decoded=decoded)


def corpus(
    seed: int,
    documents: int = 6,
    pages: int = 3,
    fields: int = 40,
    copies: float = 2.0,
    *,
    links: bool = False,
    decoded: bool = True,
) -> tuple[dict[PageKey, PredictedPage], dict[PageKey, TargetPage]]:
    """A grid of fields per page, and jittered, sometimes misclassified copies of them plus clutter."""
    rng = np.random.default_rng(seed)
    predicted: dict[PageKey, PredictedPage] = {}
    targets: dict[PageKey, TargetPage] = {}
    for number in range(documents * pages):
        document, index = digest(number // pages), number % pages
        target = _targets(rng, fields, document, index)
        targets[target.key] = target
        found = _predictions(rng, target, copies, links)
        predicted[target.key] = PredictedPage(document, index, WIDTH, HEIGHT, found, decoded=decoded)
    return predicted, targets


def _targets(rng: np.random.Generator, most: int, document: str, index: int) -> TargetPage:
    count = int(rng.integers(0, most + 1))
    cells = rng.choice(8 * 30, size=count, replace=False)
    x, y = 20 + (cells % 8) * 70.0, 20 + (cells // 8) * 24.0
    kind = rng.choice(3, size=count, p=[0.7, 0.25, 0.05]).astype(np.int64)
    width = np.where(kind == 1, 12.0, rng.uniform(30, 66, count))
    box = np.column_stack([x, y, x + width, y + np.where(kind == 1, 12.0, 16.0)])
    return TargetPage(document, index, WIDTH, HEIGHT, box, kind)


def _predictions(rng: np.random.Generator, target: TargetPage, copies: float, links: bool) -> PageCandidates:
    owner = np.repeat(np.arange(len(target)), rng.poisson(copies, len(target)))
    clutter = int(rng.poisson(6))
    jitter = rng.normal(0, 1.0, (len(owner), 4)) * rng.choice([0.3, 3.0], (len(owner), 1))
    box = np.concatenate([target.box[owner] + jitter, _clutter(rng, clutter)])
    box[:, 2:] = np.maximum(box[:, 2:], box[:, :2] + 1.0)
    kind = np.concatenate([target.kind[owner], rng.integers(0, 3, clutter)])
    kind = np.where(rng.random(len(kind)) < 0.15, rng.integers(0, 3, len(kind)), kind).astype(np.int64)
    score = np.concatenate([rng.beta(4, 2, len(owner)), rng.beta(1, 5, clutter)])
    link = None
    if links:
        base = rng.normal(size=(len(target) + clutter, 8))
        which = np.concatenate([owner, len(target) + np.arange(clutter)])
        link = base[which] + 0.5 * rng.normal(size=(len(which), 8))
        link /= np.linalg.norm(link, axis=1, keepdims=True)
    origin = tuple(rng.choice(["visual", "structure", "free"], len(kind)).tolist())
    return PageCandidates(box, kind, score, origin, link=link)


def _clutter(rng: np.random.Generator, count: int) -> np.ndarray:
    corner = rng.uniform([0, 0], [WIDTH - 80, HEIGHT - 40], (count, 2))
    return np.column_stack([corner, corner + rng.uniform(5, 60, (count, 2))])
