# SPDX-License-Identifier: Apache-2.0
"""From visits to batches."""

from __future__ import annotations

import signal
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from acromeld.corpus.roles import Role
from acromeld.detect.acromeld.inputs import PageInputs, token_boxes
from acromeld.model.batch import Batch, Targets, page_batch
from acromeld.model.boxes import xyxy_to_cxcywh
from acromeld.train.data.augment import Augmentation, photometric
from acromeld.train.data.splice import spliced
from acromeld.train.data.structure import MissingStructure, no_tokens, training_tokens
from acromeld.train.data.transform import as_detected, drawn, on_canvas, raster_shape, resampled

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from acromeld.detect.acromeld.canvas import Placement
    from acromeld.detect.acromeld.contract import Canvases
    from acromeld.train.data.cache import PageCache
    from acromeld.train.data.record import PageRecord
    from acromeld.train.data.sampler import Visit
    from acromeld.train.data.transform import Transform


@dataclass(frozen=True)
class Recipe:
    """How pages are shown: none for an augmentation or missing structure that is switched off."""

    seed: int
    augmentation: Augmentation | None = None
    missing: MissingStructure | None = None
    raster: bool = True


@dataclass(frozen=True)
class Loaded:
    """A batch, the visits it was made of, and the way back from each canvas."""

    batch: Batch
    visits: tuple[Visit, ...]
    places: tuple[Placement, ...]

    def to(self, device: torch.device) -> Loaded:
        """The same batch on another device, the pictures laid out as convolutions like them."""
        moved = [
            replace(page, boxes=page.boxes.to(device), labels=page.labels.to(device))
            for page in self.batch.targets
        ]
        images = self.batch.images.to(device, memory_format=torch.channels_last)
        return replace(self, batch=Batch(images, self.batch.tokens.to(device), tuple(moved)))


class Lessons(Dataset[Loaded]):
    """Micro-batches by position; ``partners`` are the rows of the cache that pages may be spliced with."""

    def __init__(
        self,
        cache: PageCache,
        canvases: Canvases,
        recipe: Recipe,
        batches: Sequence[list[Visit]],
        partners: Sequence[int] = (),
    ) -> None:
        self.cache, self.canvases, self.recipe, self.batches = cache, canvases, recipe, batches
        self._alike: dict[tuple[float, float], list[int]] = {}
        for row in partners:
            page = cache.pages[row]
            if page.role is Role.TRAIN_REAL:
                self._alike.setdefault((page.width, page.height), []).append(row)

    def __len__(self) -> int:
        return len(self.batches)

    def __getitem__(self, position: int) -> Loaded:
        visits = self.batches[position]
        inputs, targets = zip(*(self.lesson(visit) for visit in visits), strict=True)
        batch = page_batch(inputs, tuple(targets))
        return Loaded(batch, tuple(visits), tuple(page.place for page in inputs))

    def lesson(self, visit: Visit) -> tuple[PageInputs, Targets]:
        """One page as this visit shows it; picture and structure draw from streams of their own."""
        page, recipe = self.cache.pages[visit.row], self.recipe
        record = self._record(visit)
        rng = np.random.default_rng([recipe.seed, 1, visit.epoch, visit.number])
        transform = self._transform(record, rng)
        image = self._image(record, transform, rng)
        tokens = record.own
        if recipe.missing is not None:
            own_rng = np.random.default_rng([recipe.seed, 2, visit.epoch, visit.number])
            tokens = training_tokens(record, recipe.missing, own_rng)
            if page.role is Role.TRAIN_SYNTHETIC and not recipe.missing.synthetic:
                tokens = no_tokens(record)
        place = transform.place
        corners = torch.from_numpy(place.to_canvas(record.boxes.astype(np.float64)))
        name = f"{page.document[:12]}, page {page.page + 1}"
        targets = Targets(name, xyxy_to_cxcywh(corners), torch.from_numpy(record.labels))
        return PageInputs(image, tokens, token_boxes(tokens, place), place), targets

    def _record(self, visit: Visit) -> PageRecord:
        """The page of a visit, maybe with the lower part of another real one of its size."""
        record = self.cache.read(visit.row, raster=self.recipe.raster)
        how = self.recipe.augmentation
        if how is None or not how.splice:
            return record
        rng = np.random.default_rng([self.recipe.seed, 3, visit.epoch, visit.number])
        page = self.cache.pages[visit.row]
        others = self._alike.get((page.width, page.height), [])
        if not others or rng.random() >= how.splice:
            return record
        other = self.cache.read(others[int(rng.integers(len(others)))], raster=self.recipe.raster)
        return spliced(record, other, rng)

    def _transform(self, record: PageRecord, rng: np.random.Generator) -> Transform:
        if self.recipe.augmentation is None:
            return as_detected(record, self.canvases)
        shape = raster_shape(record, self.canvases)
        return drawn(record, shape, self.canvases, self.recipe.augmentation.scale, rng)

    def _image(
        self, record: PageRecord, transform: Transform, rng: np.random.Generator
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        if not self.recipe.raster:
            return np.zeros((1, 1, 1), dtype=np.uint8)
        pixels = resampled(record.raster, transform.factor)
        if self.recipe.augmentation is not None:
            pixels = photometric(pixels, self.recipe.augmentation, rng)
        return on_canvas(pixels, transform)


def load(lessons: Lessons, start: int = 0, workers: int = 0) -> Iterable[Loaded]:
    """The micro-batches from a position on, read ahead by so many processes.

    The loader gets a generator of its own: by default it would take its seed from the global one, and a run
    that is resumed makes one loader more than a run that is not.
    """
    positions = range(start, len(lessons))
    return DataLoader(
        lessons,
        batch_size=None,
        sampler=positions,
        num_workers=workers,
        generator=torch.Generator().manual_seed(0),
        prefetch_factor=4 if workers else None,
        worker_init_fn=_leave_stopping_to_the_parent,
    )


def _leave_stopping_to_the_parent(_: int) -> None:
    """Readers ignore what a terminal or scheduler sends to the whole group: the run saves, then ends them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
