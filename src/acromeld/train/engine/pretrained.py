# SPDX-License-Identifier: Apache-2.0
"""Where a run starts from: random weights, the published ECDet-L, weights of an earlier run or a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from acromeld.errors import IntegrityError
from acromeld.model.read_back import read_back
from acromeld.model.visual.ecdet import EcdetL
from acromeld.model.visual.transfer import read_checkpoint, transfer
from acromeld.provenance.digests import sha256_file
from acromeld.train.engine.checkpoint import WEIGHTS_SCHEMA, load_weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from acromeld.model.acromeld import AcroMeld


def start_from(model: AcroMeld, path: Path) -> str:
    """Fill the model from a file; the digest of the file.

    Weights of an earlier run (``best-NNNN.pt``) and exported ones (``.onnx``, also those of a release) give
    every tensor that has the same name and shape here; the raster branch must be there whole. Any other file
    must be a published ECDet-L checkpoint.
    """
    digest = sha256_file(path)
    if path.suffix == ".onnx":
        adopt(model, read_back(path.read_bytes(), path.name).state_dict(), path.name)
    elif _ours(path):
        adopt(model, load_weights(path)["state"], path.name)
    elif isinstance(model.visual, EcdetL):
        transfer(model.visual, read_checkpoint(path))
    else:
        raise IntegrityError(f"{path} holds no weights for the contract {model.contract.name}.")
    return digest


def _ours(path: Path) -> bool:
    if path.suffix != ".pt":
        return False
    content = torch.load(path, map_location="cpu", weights_only=True)
    return isinstance(content, dict) and content.get("schema") == WEIGHTS_SCHEMA


def adopt(model: AcroMeld, state: Mapping[str, torch.Tensor], name: str) -> tuple[str, ...]:
    """Copy what fits by name and shape; the names of what stays as it was."""
    own = model.state_dict()
    fitting = {key for key, value in state.items() if key in own and own[key].shape == value.shape}
    left = tuple(key for key in own if key not in fitting)
    missing = [key for key in left if key.startswith("visual.") and not key.startswith("visual.project.")]
    if missing:
        raise IntegrityError(f"{name} has another raster branch: {missing[0]} does not fit.")
    with torch.no_grad():
        for key in fitting:
            own[key].copy_(state[key])
    return left
