# SPDX-License-Identifier: Apache-2.0
"""A model on disk: its contract and its weights, nothing executable."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import torch
from pydantic import ValidationError

from acromeld.errors import AcromeldError, InputNotFound, IntegrityError
from acromeld.model.acromeld import AcroMeld
from acromeld.model.contract import ModelContract

if TYPE_CHECKING:
    from pathlib import Path


def save_model(model: AcroMeld, path: Path) -> None:
    """Contract and weights in one file."""
    torch.save({"contract": model.contract.model_dump(mode="json"), "state": model.state_dict()}, path)


def load_model(path: Path, **chosen: Any) -> AcroMeld:
    """The model of a file of `save_model` or of a training run, ready for use.

    ``chosen`` replaces parts of its contract that are chosen after training, such as ``least_hope``.
    """
    try:
        saved = torch.load(path, map_location="cpu", weights_only=True)
        contract = ModelContract.model_validate(saved["contract"])
        model = AcroMeld(_with(contract, chosen))
        model.load_state_dict(saved["state"])
    except OSError as error:
        raise InputNotFound(f"{path} cannot be read: {error.strerror}.") from None
    except (KeyError, TypeError, ValueError, RuntimeError, EOFError, pickle.UnpicklingError):
        raise IntegrityError(f"{path} is not a model of AcroMELD, or is damaged.") from None
    return model.eval()


def _with(contract: ModelContract, chosen: dict[str, Any]) -> ModelContract:
    """The contract with something else in it, if that fits the rest."""
    try:
        return ModelContract.model_validate(contract.model_dump() | chosen)
    except ValidationError as error:
        raise AcromeldError(error.errors()[0]["msg"].removeprefix("Value error, ")) from None
