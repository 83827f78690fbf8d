# SPDX-License-Identifier: Apache-2.0
"""A trained model as an ONNX graph that answers exactly what the decoder asks.

The graph reads one page: its canvas and its tokens, both of any size. Its inputs and outputs, and how the
file says what it is, are those of `acromeld.detect.acromeld.weights`. Query order is that of the model
(`SOURCES`), so the origin of an answer is its position.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from acromeld.detect.acromeld.weights import INPUTS, OUTPUTS
from acromeld.model.batch import TokenBatch
from acromeld.model.boxes import cxcywh_to_xyxy
from acromeld.model.onnx_file import signed, store_halves

if TYPE_CHECKING:
    from collections.abc import Sequence

    from acromeld.model.acromeld import AcroMeld, Output
    from acromeld.model.contract import ModelContract

OPSET = 18

_TRACED_CANVAS = (192, 160)
_TRACED_TOKENS = 7
"""Unequal sides, and a number of tokens nothing else in the graph has."""


class ForDecoding(nn.Module):
    """The model with the decoder's answers and nothing else."""

    def __init__(self, model: AcroMeld) -> None:
        super().__init__()
        self.model = model

    def forward(self, image: Tensor, *tokens: Tensor) -> tuple[Tensor, ...]:
        """Answers of Q queries for one page, as `OUTPUTS` says."""
        output = self.model.refine(self.model.visual(image), TokenBatch(*tokens), hopeful=True)
        return decoder_answers(output, self.model.contract.queries)


def decoder_answers(output: Output, queries: int) -> tuple[Tensor, ...]:
    """What the decoder asks of a batch, as `OUTPUTS` says; queries that were not asked answer with zeros."""
    final = output.final
    probability = final.logits.softmax(-1)[..., :-1]
    answers = (probability, cxcywh_to_xyxy(final.boxes), final.quality.sigmoid(), output.link)
    if output.asked is None:
        return answers
    return tuple(_spread(answer, output.asked, queries) for answer in answers)


def _spread(answer: Tensor, rows: Tensor, queries: int) -> Tensor:
    """Rows of one page ``(1, n, ...)`` at their places among ``queries``."""
    whole = answer.new_zeros((1, queries, *answer.shape[2:]))
    return whole.index_copy(1, rows, answer)


def export_onnx(model: AcroMeld, expert: bytes | None = None) -> bytes:
    """The weights file of a model; the model is left in the mode it was in.

    ``expert`` is the weights file of the FFGBT the model reads opinions of, if it reads any and not those
    that ship.
    """
    return signed(exported_graph(model), model.contract, expert)


def exported_graph(model: AcroMeld) -> bytes:
    """The graph of a model; the model is left in the mode it was in.

    Only the last layer's answers are in it: heads of earlier layers remain where their boxes are needed.
    Tensors whose values are all half-precision numbers (see `round_to_half`) are stored as such.
    """
    training = model.training
    try:
        with tempfile.TemporaryDirectory() as folder, torch.no_grad(), warnings.catch_warnings():
            # Tracing warns about every shape it reads as a number; the parity tests judge those.
            warnings.simplefilter("ignore")
            path = Path(folder, "model.onnx")
            _trace(ForDecoding(model).eval(), model.contract, path)
            return store_halves(path.read_bytes())
    finally:
        model.train(training)


def round_to_half(model: AcroMeld) -> None:
    """Round the weights to half precision, in place; what is then evaluated is what the small file holds.

    Vectors (biases, norms and their statistics) stay as they are: they weigh nothing.
    """
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.copy_(parameter.half().float())


def _trace(module: ForDecoding, contract: ModelContract, path: Path) -> None:
    torch.onnx.export(
        module,
        (torch.rand(1, contract.channels, *_TRACED_CANVAS), *_some_tokens(contract, _TRACED_TOKENS)),
        path,
        input_names=list(INPUTS),
        output_names=list(OUTPUTS),
        opset_version=OPSET,
        # Otherwise norms are folded into convolutions, whose weights then are no longer the trained ones and
        # cannot be stored in half precision without a loss; onnxruntime folds them when it loads the graph.
        training=torch.onnx.TrainingMode.PRESERVE,
        dynamo=False,
        dynamic_axes=_dynamic_axes(INPUTS[1:]),
    )


def _dynamic_axes(tokens: Sequence[str]) -> dict[str, dict[int, str]]:
    """Canvas sides and number of tokens; everything else is fixed by the contract."""
    return {"image": {2: "height", 3: "width"}, **{name: {1: "tokens"} for name in tokens}}


def _some_tokens(contract: ModelContract, count: int) -> tuple[Tensor, ...]:
    """Tokens to trace with, in the order of `TokenBatch`: a page token and others."""
    low = torch.rand(1, count, 2) * 0.8
    return (
        torch.arange(count)[None] % contract.token_kinds,
        torch.cat([low, low + 0.1], dim=-1),
        torch.rand(1, count, contract.descriptor),
        torch.randint(0, 256, (1, count, contract.text_bytes)).to(torch.uint8),
        torch.ones(1, count, dtype=torch.bool),
    )
