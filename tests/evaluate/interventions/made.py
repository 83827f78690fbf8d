# SPDX-License-Identifier: Apache-2.0
"""A tiny model that reads opinions, an expert that makes them up, and pages to look at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acromeld.detect.acromeld.contract import Canvases
from acromeld.detect.acromeld.opinions import JUDGEMENTS
from acromeld.detect.ffgbt.detector import Study
from acromeld.evaluate.interventions.prediction import Intervened
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.model.contract import ModelContract
from acromeld.pdf.page import Page, Primitives, Raster
from acromeld.structure.descriptor import SIZE
from tests.detect.acromeld.pages import page
from tests.model.made import TINY, distinct_model

FEATURES = 6

JUDGED = ModelContract.model_validate(
    TINY.model_dump()
    | {
        "canvases": Canvases(portrait=(192, 160), landscape=(160, 192), square=(192, 192)),
        "descriptor": SIZE + JUDGEMENTS + FEATURES,
    }
)
"""Small canvases, and derived tokens that carry opinions."""

PLAIN = JUDGED.model_copy(
    update={
        "derived_kinds": False,
        "max_evidence": 0,
        "opinions": False,
        "head_start": False,
        "descriptor": SIZE,
    }
)
"""The paper's token kinds alone."""

POINT = OperatingPoint(text=0.01, choice=0.01, signature=0.01, nms=0.95, link=0.01)
"""Random weights are sure of nothing, and at this link threshold everything nearby is linked."""


@dataclass(frozen=True)
class MadeUpExpert:
    """Three candidates wherever it looks, with features of a seed of its own."""

    seed: int = 0

    def study(self, page: Page, primitives: Primitives, *, inferred: bool) -> Study:
        rng = np.random.default_rng(self.seed)
        box = np.array([[95.0, 85.0, 400.0, 100.0], [100, 300, 112, 312], [50, 500, 300, 530]])
        return Study(
            kind=np.array([0, 1, 2], dtype=np.int8),
            box=box,
            features=rng.normal(size=(3, FEATURES)).astype(np.float32),
            probability=np.array([[0.1, 0.8, 0.05, 0.05], [0.2, 0.1, 0.6, 0.1], [0.7, 0.1, 0.1, 0.1]]),
            quality=np.array([0.8, 0.7, 0.6]),
        )


def intervened(contract: ModelContract = JUDGED, expert: MadeUpExpert | None = None) -> Intervened:
    known = (expert or MadeUpExpert()) if contract.opinions else None
    return Intervened(distinct_model(contract), known, DetectorRef(name="acromeld", weights="0" * 64), POINT)


def noisy(primitives: Primitives) -> Page:
    """A page whose picture tells cells apart, whatever is drawn on it."""
    pixels = np.random.default_rng(3).integers(0, 256, (800, 600), dtype=np.uint8)
    return page(primitives=primitives, raster=Raster(pixels, 1.0))
