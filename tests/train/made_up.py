# SPDX-License-Identifier: Apache-2.0
"""A tiny contract, a page cache of drawn rectangles, and a plan that passes through it in seconds."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from acromeld.detect.acromeld.canvas import Placement
from acromeld.detect.acromeld.contract import Canvases
from acromeld.fields import OperatingPoint
from acromeld.model.contract import DenseContract, ModelContract
from acromeld.provenance.digests import sha256_file
from acromeld.structure.kinds import TokenKind
from acromeld.structure.tokens import Tokens
from acromeld.train.data.cache import SCHEMA, PageCache, close_cache, input_digest
from acromeld.train.data.record import PageRecord, to_arrays
from acromeld.train.engine.plan import COMPACT, Phase, Rates, TrainingPlan
from tests.model.made import TINY

SMALL = ModelContract.model_validate(
    TINY.model_dump()
    | {
        "name": "small",
        "visual": DenseContract(widths=(4, 8, 8, 8, 8), blocks=(1, 1, 1, 1), neck=8),
        "canvases": Canvases(portrait=(96, 64), landscape=(64, 96), square=(96, 96)),
        "hidden": 16,
        "heads": 2,
        "graph_depth": 1,
        "structure_depth": 1,
        "feedforward": 16,
        "visual_queries": 12,
        "structure_queries": 8,
        "free_queries": 4,
        "neighbours": 4,
        "glimpse_width": 8,
        "opinions": False,
        "head_start": False,
        "descriptor": 32,
        "max_evidence": 16,
        "dropout": 0.1,
    }
)

EVERYTHING = OperatingPoint(text=0.01, choice=0.01, signature=0.01, nms=0.9, link=0.8)
"""Hardly trained weights are sure of nothing."""

RATES = Rates(graph=1e-3, visual=1e-3, backbone=1e-3)


def quick_plan(**changes: Any) -> TrainingPlan:
    """Three phases of one epoch, two pages at a time, four a step."""
    common: dict[str, Any] = {"max_epochs": 1, "rates": RATES, "effective_batch": 4, "per_device": 2}
    phases = (
        Phase(name="visual", trains="visual", **common),
        Phase(name="graph", trains="graph", own_selection=True, **common),
        Phase(name="finale", augment=False, **common),
    )
    values = COMPACT.model_dump() | {
        "name": "quick",
        "contract": "small",
        "phases": phases,
        "precision": "fp32",
        "point": EVERYTHING,
    }
    return TrainingPlan.model_validate(values | changes)


def made_cache(
    folder: Path, documents: int = 6, development: int = 2, contract: ModelContract = SMALL
) -> PageCache:
    """A cache of one-page documents; the first bears a signature, every third lies on its side."""
    (folder / "documents").mkdir(parents=True)
    rows: list[list[Any]] = []
    files: dict[str, str] = {}
    for number in range(documents + development):
        name = hashlib.sha256(str(number).encode()).hexdigest()
        role = "train-real" if number < documents else "development"
        record = made_record(number, contract)
        path = folder / "documents" / f"{name}.npz"
        np.savez(path, **to_arrays(record, 0))
        files[name] = sha256_file(path)
        fields = np.bincount(record.labels, minlength=3).tolist()
        rows.append([name, 0, role, f"group {number}", *record.size, fields, len(record.own)])
    head = {"schema": SCHEMA, "index": "0" * 64, "inputs": input_digest(contract), "pictures_only": False}
    return close_cache(folder, head, rows, files)


def made_record(number: int, contract: ModelContract = SMALL) -> PageRecord:
    """A white page with a few dark boxes that are its fields, and tokens around them."""
    rng = np.random.default_rng(number)
    size = (110.0, 60.0) if number % 3 == 2 else (60.0, 85.0)
    place = Placement.of_page(*size, contract.canvases)
    low = rng.uniform(0.05, 0.7, (4, 2))
    boxes = (np.hstack([low, low + rng.uniform(0.1, 0.25, (4, 2))]) * (size * 2)).astype(np.float32)
    labels = np.array([2 if number == 0 else 0, 1, 0, 1], dtype=np.int64)
    left, top = int(place.fit.left), int(place.fit.top)
    shape = (np.ceil(place.fit.top + size[1] * place.fit.scale - 1e-6) - top,
             np.ceil(place.fit.left + size[0] * place.fit.scale - 1e-6) - left)  # fmt: skip
    raster = np.full((1, int(shape[0]), int(shape[1])), 255, dtype=np.uint8)
    for x0, y0, x1, y1 in (place.fit.to_canvas(boxes.astype(np.float64)) - [left, top, left, top]).astype(
        int
    ):
        raster[0, y0:y1, x0:x1] = 60
    tokens = made_tokens(boxes / np.array(size * 2, dtype=np.float32), contract, rng)
    return PageRecord(raster, (left, top), size, boxes, labels, tokens, tokens)


def made_tokens(boxes: np.ndarray, contract: ModelContract, rng: np.random.Generator) -> Tokens:
    """The page and a rectangle for each box."""
    count = len(boxes) + 1
    kind = np.full(count, TokenKind.RECTANGLE, dtype=np.int8)
    kind[0] = TokenKind.PAGE
    box = np.concatenate([[[0, 0, 1, 1]], boxes]).astype(np.float32)
    descriptor = rng.random((count, contract.descriptor), dtype=np.float32)
    text = np.zeros((count, contract.text_bytes), dtype=np.uint8)
    return Tokens(kind, box, descriptor, text, available=True)
