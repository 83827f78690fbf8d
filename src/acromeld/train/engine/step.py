# SPDX-License-Identifier: Apache-2.0
"""The loss of one micro-batch, for each part of the model that a phase can train."""

from __future__ import annotations

import dataclasses
from contextlib import nullcontext
from typing import TYPE_CHECKING, TypeVar, cast

import torch
from torch import Tensor

from acromeld.model.visual.dense import DenseDetector
from acromeld.model.visual.interface import DenseNative, VisualOutput
from acromeld.train.dense_loss import dense_loss
from acromeld.train.loss import Loss, total_loss
from acromeld.train.visual_loss import ecdet_loss

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from acromeld.model.acromeld import AcroMeld, Output
    from acromeld.model.batch import Batch
    from acromeld.train.engine.plan import Part, Precision

T = TypeVar("T")


def autocast(precision: Precision, device: torch.device) -> AbstractContextManager[object]:
    """Half-precision arithmetic where the plan wants it and the device has it."""
    if precision == "fp32" or not has_bf16(device):
        return nullcontext()
    return torch.autocast(device.type, dtype=torch.bfloat16)


def has_bf16(device: torch.device) -> bool:
    """Whether a device computes in bf16 and does not merely emulate it."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    return bool(torch.backends.cpu.get_cpu_capability().startswith("AVX512") and _cpu_bf16())


def _cpu_bf16() -> bool:
    return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())


def micro_loss(model: AcroMeld, batch: Batch, part: Part, precision: Precision) -> Loss:
    """Forward pass in the plan's precision, loss in full precision."""
    if part != "visual":
        return total_loss(model_output(model, batch, part, precision), batch)
    with autocast(precision, batch.images.device):
        visual = visual_native(model, batch)
    terms = visual_terms(in_full(visual), batch)
    return Loss(torch.stack(list(terms.values())).sum(), terms)


def model_output(model: AcroMeld, batch: Batch, part: Part, precision: Precision) -> Output:
    """The whole model, in full precision after the raster branch if the plan says so.

    For ``graph`` no gradient enters the raster branch, except into its projection.
    """
    with autocast(precision, batch.images.device):
        if part == "graph":
            visual = frozen_visual(model, batch)
        else:
            visual = model.visual(batch.images, batch.targets if model.training else None)
        if precision == "bf16":
            return in_full(model.refine(visual, batch.tokens))
    return model.refine(in_full(visual), batch.tokens)


def visual_native(model: AcroMeld, batch: Batch) -> VisualOutput:
    """What the raster branch's own criterion needs; the compact one chooses no proposals for it."""
    if isinstance(model.visual, DenseDetector):
        _, features, native = model.visual.cells_of(batch.images)
        return VisualOutput(features[:, :0], native.boxes[:, :0], native.logits[:, :0], native)
    seen: VisualOutput = model.visual(batch.images, batch.targets)
    return seen


def visual_terms(visual: VisualOutput, batch: Batch) -> dict[str, Tensor]:
    """Terms of the criterion that belongs to the raster branch."""
    if isinstance(visual.native, DenseNative):
        return dense_loss(visual.native, batch.targets)
    assert visual.native is not None
    return ecdet_loss(visual.native, batch.targets)


def frozen_visual(model: AcroMeld, batch: Batch) -> VisualOutput:
    """Proposals without a native output; the compact branch's projection is part of the graph and learns."""
    branch = model.visual
    if not isinstance(branch, DenseDetector):
        with torch.no_grad():
            seen: VisualOutput = branch(batch.images)
        return dataclasses.replace(seen, native=None)
    with torch.no_grad():
        levels, features, native = branch.cells_of(batch.images)
        raw, boxes, logits = branch.propose(levels, features, native)
    return VisualOutput(branch.project(raw), boxes, logits, None, levels[0])


def in_full(value: T) -> T:
    """A record of tensors with every floating-point tensor in single precision."""
    if isinstance(value, Tensor):
        return cast("T", value.float() if value.is_floating_point() else value)
    if isinstance(value, tuple):
        return cast("T", tuple(in_full(item) for item in value))
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = dataclasses.fields(value)
        return cast("T", type(value)(**{field.name: in_full(getattr(value, field.name)) for field in fields}))
    return value
