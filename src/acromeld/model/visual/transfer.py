# SPDX-License-Identifier: Apache-2.0
"""Start the visual branch from a published ECDet-L checkpoint.

Names and shapes must be exactly those of the published model; a file that lacks a tensor, has a foreign one
or one of another shape is refused with their names. Two kinds of tensors depend on the number of classes:
every row of a three-class score head starts as the mean of the checkpoint's class rows, and the denoising
class embedding, whose rows mean classes we do not have, stays random.
"""

from __future__ import annotations

import json
import pickle
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from acromeld.errors import InputNotFound, IntegrityError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acromeld.model.visual.ecdet import EcdetL

DENOISING = "decoder.denoising_class_embed.weight"
SCORE_HEADS = ("decoder.enc_score_head.", "decoder.dec_score_head.")
IGNORED = frozenset({"decoder.anchors", "decoder.valid_mask"})
"""Tables for one image size; ours are computed for the canvas at hand."""

_DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64}


@dataclass(frozen=True)
class TransferReport:
    """How much of the visual branch the checkpoint filled, counted in parameters."""

    total: int
    transferred: int
    averaged: tuple[str, ...]
    random: tuple[str, ...]

    @property
    def share(self) -> float:
        """Percentage of the visual parameters that came from the checkpoint; 99.9969 in the paper."""
        return 100.0 * self.transferred / self.total


def transfer(model: EcdetL, state: Mapping[str, Tensor]) -> TransferReport:
    """Copy a published state dict into the model; `IntegrityError` names what does not fit."""
    own = model.state_dict()
    given = {name: tensor for name, tensor in state.items() if name not in IGNORED}
    _check(own, given)
    averaged = tuple(name for name in own if name.startswith(SCORE_HEADS))
    loaded = {name: tensor for name, tensor in given.items() if name != DENOISING}
    for name in averaged:
        loaded[name] = given[name].float().mean(0, keepdim=True).expand_as(own[name])
    with torch.no_grad():
        for name, tensor in loaded.items():
            own[name].copy_(tensor)
    total = sum(parameter.numel() for parameter in model.parameters())
    return TransferReport(total, total - own[DENOISING].numel(), averaged, (DENOISING,))


def _check(own: Mapping[str, Tensor], given: Mapping[str, Tensor]) -> None:
    """Refuse missing, foreign and misshapen tensors, and values that are not finite."""
    problems = {
        "missing": sorted(own.keys() - given.keys()),
        "unexpected": sorted(given.keys() - own.keys()),
        "of another shape": [n for n in own if n in given and not _fits(n, own[n], given[n])],
        "not finite": [n for n in own if n in given and not given[n].isfinite().all()],
    }
    told = [f"{kind}: {', '.join(_some(names))}" for kind, names in problems.items() if names]
    if told:
        raise IntegrityError(f"This is not an ECDet-L checkpoint; {'; '.join(told)}.")


def _fits(name: str, own: Tensor, given: Tensor) -> bool:
    """Same shape, except for the number of classes where that is the first dimension."""
    if name == DENOISING or name.startswith(SCORE_HEADS):
        return given.dim() == own.dim() and given.shape[1:] == own.shape[1:] and len(given) > 0
    return given.shape == own.shape


def _some(names: list[str], limit: int = 8) -> list[str]:
    more = len(names) - limit
    return names if more <= 0 else [*names[:limit], f"and {more} more"]


def read_checkpoint(path: Path) -> dict[str, Tensor]:
    """Tensors of a ``.pth`` or ``.safetensors`` file by name; nothing in the file is executed."""
    if not path.is_file():
        raise InputNotFound(f"There is no checkpoint at {path}.")
    try:
        if path.suffix == ".safetensors":
            return _read_safetensors(path)
        content = torch.load(path, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, KeyError, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise IntegrityError(f"{path.name} cannot be read as a checkpoint: {reason}") from error
    return _state_of(content, path.name)


def _state_of(content: object, name: str) -> dict[str, Tensor]:
    """The averaged weights if the file has them, else the plain ones, else the file itself."""
    for keys in (("ema", "module"), ("model",), ()):
        state = content
        for key in keys:
            state = state.get(key) if isinstance(state, dict) else None
        if isinstance(state, dict) and state and all(isinstance(v, Tensor) for v in state.values()):
            return state
    raise IntegrityError(f"{name} holds no state dict under ema.module, model or at the top.")


def _read_safetensors(path: Path) -> dict[str, Tensor]:
    """The format is a length, a JSON table and the bytes; read here to spare a dependency."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8]) if len(data) >= 8 else (0,)
    if not 2 <= length <= len(data) - 8:
        raise ValueError("the header does not fit into the file")
    table = json.loads(data[8 : 8 + length])
    table.pop("__metadata__", None)
    body = bytearray(data[8 + length :])
    return {name: _tensor(body, entry) for name, entry in table.items()}


def _tensor(body: bytearray, entry: dict[str, object]) -> Tensor:
    """One tensor of the table; `ValueError` when its bytes are not all there."""
    dtype, shape, offsets = _DTYPES[str(entry["dtype"])], entry["shape"], entry["data_offsets"]
    assert isinstance(shape, list)
    assert isinstance(offsets, list)
    start, end = offsets
    count = int(torch.Size(shape).numel())
    if not 0 <= start <= end <= len(body) or end - start != count * dtype.itemsize:
        raise ValueError("the file is shorter than its header says")
    return torch.frombuffer(body, dtype=dtype, count=count, offset=start).view(shape)
