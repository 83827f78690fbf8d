# SPDX-License-Identifier: Apache-2.0
"""Small contracts, random tokens and targets for the model tests; import only where torch is there."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import torch

from acromeld.model.acromeld import AcroMeld
from acromeld.model.batch import Batch, Targets, TokenBatch
from acromeld.model.contract import COMPACT, DenseContract, ModelContract

SMALL_CANVAS = (192, 160)

TINY = ModelContract.model_validate(
    COMPACT.model_dump()
    | {
        "name": "tiny",
        "visual": DenseContract(widths=(4, 8, 8, 16, 16), blocks=(1, 1, 1, 1), neck=16),
        "hidden": 32,
        "heads": 4,
        "graph_depth": 2,
        "feedforward": 48,
        "visual_queries": 24,
        "structure_queries": 20,
        "free_queries": 8,
        "neighbours": 6,
        "glimpse_width": 16,
        "word_buckets": 50,
        "page_evidence": 0.0,
        "evidence_scores": 1,
        "dropout": 0.0,
    }
)


def distinct_model(contract: ModelContract) -> AcroMeld:
    """Random weights that tell things apart.

    With fresh ones, norms without statistics and heads at their priors give all cells and queries the same
    score, learned boxes stand on a regular grid, and rounding would choose among cells and neighbours.
    """
    torch.manual_seed(0)
    model = AcroMeld(contract)
    for norm in model.modules():
        if isinstance(norm, torch.nn.BatchNorm2d):
            norm.momentum = 1.0
    with torch.no_grad():
        model.train()(torch.rand(2, 1, *SMALL_CANVAS), sentinel(2, contract))
        for box in (model.queries.free_box, model.queries.fallback_box):
            box += 0.3 * torch.randn_like(box)
    for head in (*model.heads.classes, *model.heads.quality, *(mlp[-1] for mlp in model.heads.boxes)):
        torch.nn.init.normal_(head.weight, std=0.03)
    return model.eval()


def random_boxes(count: int, generator: torch.Generator, side: float = 0.2) -> torch.Tensor:
    """``(count, 4)`` ``cxcywh`` boxes inside the canvas."""
    size = torch.rand(count, 2, generator=generator) * side + 0.01
    centre = size / 2 + torch.rand(count, 2, generator=generator) * (1 - size)
    return torch.cat([centre, size], dim=-1)


def random_tokens(
    pages: int, length: int, generator: torch.Generator, contract: ModelContract = TINY
) -> TokenBatch:
    low = torch.rand(pages, length, 2, generator=generator) * 0.8
    box = torch.cat([low, low + torch.rand(pages, length, 2, generator=generator) * 0.2], dim=-1)
    kind = torch.randint(1, contract.token_kinds, (pages, length), generator=generator)
    kind[:, 0] = 0
    text = torch.randint(0, 256, (pages, length, contract.text_bytes), generator=generator)
    yes = torch.ones(pages, length, dtype=torch.bool)
    descriptor = torch.rand(pages, length, contract.descriptor, generator=generator)
    return TokenBatch(kind, box, descriptor, text.to(torch.uint8), yes, yes.clone())


def sentinel(pages: int, contract: ModelContract = TINY) -> TokenBatch:
    """What pages without structure look like."""
    return TokenBatch(
        kind=torch.zeros(pages, 1, dtype=torch.int64),
        box=torch.tensor([0.0, 0.0, 1.0, 1.0]).expand(pages, 1, 4),
        descriptor=torch.zeros(pages, 1, contract.descriptor),
        text=torch.zeros(pages, 1, contract.text_bytes, dtype=torch.uint8),
        available=torch.zeros(pages, 1, dtype=torch.bool),
        mask=torch.ones(pages, 1, dtype=torch.bool),
    )


def random_targets(count: int, generator: torch.Generator, name: str = "page", side: float = 0.2) -> Targets:
    return Targets(
        name, random_boxes(count, generator, side), torch.randint(0, 3, (count,), generator=generator)
    )


def random_batch(
    counts: tuple[int, ...], generator: torch.Generator, contract: ModelContract = TINY
) -> Batch:
    images = torch.rand(len(counts), contract.channels, *SMALL_CANVAS, generator=generator)
    tokens = random_tokens(len(counts), 30, generator, contract)
    return Batch(images, tokens, tuple(random_targets(n, generator, f"page {n}") for n in counts))


def published_tensors() -> dict[str, torch.Tensor]:
    """A state dict with the names, shapes and types of the published ECDet-L and random values."""
    generator = torch.Generator().manual_seed(3)
    state = {}
    for line in (Path(__file__).parent / "ecdet_l_tensors.txt").read_text().splitlines()[1:]:
        pattern, shape, kind = line.split()
        size = () if shape == "scalar" else tuple(map(int, shape.split("x")))
        for name in _expand(pattern):
            value = torch.rand(size, generator=generator)
            state[name] = value.to(getattr(torch, kind))
    # The published file carries the two scalars of the bin function under two names each.
    state["decoder.up"] = state["decoder.decoder.up"] = torch.tensor([0.5])
    state["decoder.reg_scale"] = state["decoder.decoder.reg_scale"] = torch.tensor([4])
    return state


def _expand(pattern: str) -> list[str]:
    parts = re.split(r"\{([^}]*)\}", pattern)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]
