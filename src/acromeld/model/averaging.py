# SPDX-License-Identifier: Apache-2.0
"""The mean of exported networks, of which each was trained on from the one before.

Networks of one descent lie close enough together that the mean of their weights is a network, too. What they
have in common stays, and what the later ones learned by heart is halved.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import torch

from acromeld.detect.acromeld import weights
from acromeld.errors import IntegrityError
from acromeld.model.export import export_onnx, round_to_half
from acromeld.model.onnx_file import metadata
from acromeld.model.read_back import read_back

if TYPE_CHECKING:
    from collections.abc import Mapping

    from torch import Tensor


def averaged(files: Mapping[str, bytes]) -> bytes:
    """The mean of some weights files by name, rounded to half precision.

    Contract and FFGBT are those of the last one; second looks, which were learned for one network, are left
    out. Counters and the like are the last one's, too.
    """
    models = [read_back(data, name) for name, data in files.items()]
    last = models[-1]
    states = [model.state_dict() for model in models]
    for name, state in zip(files, states, strict=True):
        if _shapes(state) != _shapes(states[-1]):
            raise IntegrityError(f"{name} has other sizes than the network it is to be averaged with.")
    mean = {
        name: torch.stack([state[name].double() for state in states]).mean(dim=0).to(value.dtype)
        if value.is_floating_point()
        else value
        for name, value in states[-1].items()
    }
    last.load_state_dict(mean)
    round_to_half(last)
    told = metadata(list(files.values())[-1])
    expert = told.get(weights.EXPERT_KEY)
    return export_onnx(last, None if expert is None else base64.b64decode(expert))


def _shapes(state: Mapping[str, Tensor]) -> dict[str, torch.Size]:
    return {name: value.shape for name, value in state.items()}
