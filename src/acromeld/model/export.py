# SPDX-License-Identifier: Apache-2.0
"""A trained model as an ONNX graph that answers exactly what the decoder asks.

The graph reads one page: its canvas and its tokens, both of any size. Query order is that of the model (see
`acromeld.detect.acromeld.contract.SOURCES`), so the origin of an answer is its position.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.model.batch import TokenBatch
from acromeld.model.boxes import cxcywh_to_xyxy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.acromeld import AcroMeld
    from acromeld.model.contract import ModelContract

OPSET = 18

INPUTS = ("image", "kind", "box", "descriptor", "text", "available", "mask")
"""The canvas ``(1, C, H, W)`` float in 0..1, then the fields of `TokenBatch` in its order, one page each."""

OUTPUTS = ("probability", "corners", "quality", "link")
"""See `ForDecoding.forward`."""

_TRACED_CANVAS = (192, 160)
_TRACED_TOKENS = 7
"""Unequal sides, and a number of tokens nothing else in the graph has."""


class ForDecoding(nn.Module):
    """The model with the decoder's answers and nothing else."""

    def __init__(self, model: AcroMeld) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Tensor, *tokens: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Answers of Q queries for one page.

        Returns:
            ``(1, Q, 3)`` class probabilities without "no object", ``(1, Q, 4)`` ``xyxy`` boxes normalised to
            the canvas, ``(1, Q)`` quality in 0..1 and ``(1, Q, 32)`` unit link vectors.
        """
        output = self.model(image, TokenBatch(*tokens))
        final = output.final
        probability = final.logits.softmax(-1)[..., :-1]
        return probability, cxcywh_to_xyxy(final.boxes), final.quality.sigmoid(), output.link


def export_onnx(model: AcroMeld) -> bytes:
    """The graph with its weights; the model is left in the mode it was in.

    Only the last layer's answers are in it: heads of earlier layers remain where their boxes are needed.
    """
    training = model.training
    try:
        with tempfile.TemporaryDirectory() as folder, torch.no_grad(), warnings.catch_warnings():
            # Tracing warns about every shape it reads as a number; the parity tests judge those.
            warnings.simplefilter("ignore")
            path = Path(folder, "model.onnx")
            _trace(ForDecoding(model).eval(), model.contract, path)
            return path.read_bytes()
    finally:
        model.train(training)


def _trace(module: ForDecoding, contract: ModelContract, path: Path) -> None:
    torch.onnx.export(
        module,
        (torch.rand(1, contract.channels, *_TRACED_CANVAS), *_some_tokens(contract, _TRACED_TOKENS)),
        path,
        input_names=list(INPUTS),
        output_names=list(OUTPUTS),
        opset_version=OPSET,
        dynamo=False,
        dynamic_axes=_dynamic_axes(INPUTS[1:]),
    )


def _dynamic_axes(tokens: Sequence[str]) -> dict[str, dict[int, str]]:
    """Canvas sides and number of tokens; everything else is fixed by the contract."""
    return {"image": {2: "height", 3: "width"}, **{name: {1: "tokens"} for name in tokens}}


def _some_tokens(contract: ModelContract, count: int) -> tuple[Tensor, ...]:
    """Tokens to trace with, in the order of `TokenBatch`: a page token and others."""
    low = torch.rand(1, count, 2) * 0.8
    yes = torch.ones(1, count, dtype=torch.bool)
    return (
        torch.arange(count)[None] % contract.token_kinds,
        torch.cat([low, low + 0.1], dim=-1),
        torch.rand(1, count, contract.descriptor),
        torch.randint(0, 256, (1, count, contract.text_bytes)).to(torch.uint8),
        yes,
        yes.clone(),
    )
