# SPDX-License-Identifier: Apache-2.0
"""Checkpoints: everything a run needs to go on as if nothing had happened.

A file appears complete or not at all. ``last.pt`` is the state of the run, behind the digest of its own
bytes; ``best-NNNN.pt`` are averaged weights of an epoch, named by it, so that a run that dies between the two
writes still finds the one its state speaks of, by name and by digest.
"""

from __future__ import annotations

import io
import pickle
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from acromeld.errors import InputNotFound, IntegrityError
from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_bytes, sha256_file
from acromeld.train.engine.selection import Selection

if TYPE_CHECKING:
    from acromeld.model.acromeld import AcroMeld
    from acromeld.train.engine.ema import Ema

SCHEMA = "acromeld.checkpoint/1"
WEIGHTS_SCHEMA = "acromeld.weights/1"
LAST = "last.pt"


@dataclass
class Position:
    """Where a run is.

    Attributes:
        phase: Index of the phase.
        phase_epoch: Completed epochs of the phase.
        epoch: Completed epochs of the run.
        micro: Micro-batches of the current epoch that this process has done.
        step: Optimiser steps of the phase.
        total_steps: Optimiser steps of the run.
        seconds: Time spent training so far.
        sums: Sums of the loss terms of the current epoch, and how many steps they are of.
        skipped: Steps of the current epoch left out because their gradient was not finite.
        ended: Why the run is over, none while it is not.
    """

    phase: int = 0
    phase_epoch: int = 0
    epoch: int = 0
    micro: int = 0
    step: int = 0
    total_steps: int = 0
    seconds: float = 0.0
    sums: dict[str, float] = field(default_factory=dict)
    skipped: int = 0
    ended: str | None = None


@dataclass
class RunState:
    """Everything that is not a tensor."""

    position: Position = field(default_factory=Position)
    selection: Selection = field(default_factory=Selection)
    history: list[dict[str, Any]] = field(default_factory=list)


def save_state(
    folder: Path,
    identity: str,
    state: RunState,
    model: AcroMeld,
    ema: Ema[AcroMeld],
    optimiser: torch.optim.Optimizer,
    random_states: list[dict[str, torch.Tensor]],
) -> None:
    """Write ``last.pt``."""
    content = {
        "schema": SCHEMA,
        "identity": identity,
        "state": asdict(state),
        "model": model.state_dict(),
        "ema": ema.module.state_dict(),
        "ema_updates": ema.updates,
        "optimiser": optimiser.state_dict(),
        # The schedule is a function of the step, and bf16 needs no scaler: neither has a state of its own.
        "scaler": None,
        "random": random_states,
    }
    data = _bytes(content)
    write_atomically(sha256_bytes(data).encode() + b"\n" + data, folder / LAST, overwrite=True)


def load_state(folder: Path, identity: str) -> dict[str, Any] | None:
    """The content of ``last.pt`` with its ``state`` as a `RunState`; none when there is none yet."""
    if not (folder / LAST).is_file():
        return None
    content = read_state_file(folder / LAST)
    if content["identity"] != identity:
        raise IntegrityError(f"{folder / LAST} belongs to another run than {folder} describes.")
    raw = content["state"]
    position, selection = Position(**raw["position"]), Selection(**raw["selection"])
    return content | {"state": RunState(position, selection, raw["history"])}


def read_state_file(path: Path) -> dict[str, Any]:
    """The content of ``last.pt``, whose bytes must be those that were written."""
    if not path.is_file():
        raise InputNotFound(f"There is no checkpoint at {path}.")
    digest, _, data = path.read_bytes().partition(b"\n")
    if digest.decode("latin-1") != sha256_bytes(data):
        raise IntegrityError(f"{path} was changed or is damaged: its digest is not that of its content.")
    return _content(io.BytesIO(data), path, SCHEMA)


def random_state(device: torch.device) -> dict[str, torch.Tensor]:
    """State of the generators that dropout and denoising use; data has generators of its own."""
    states = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["cuda"] = torch.cuda.get_rng_state(device)
    return states


def set_random_state(states: dict[str, torch.Tensor], device: torch.device) -> None:
    """Put the generators back."""
    torch.set_rng_state(states["cpu"].cpu())
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"].cpu(), device)


def best_path(folder: Path, epoch: int) -> Path:
    """Where the averaged weights of a completed epoch lie."""
    return folder / f"best-{epoch:04d}.pt"


def save_weights(path: Path, model: AcroMeld, identity: str, facts: dict[str, Any]) -> str:
    """Weights with the contract they are of; the digest of the file."""
    state = {name: value.cpu() for name, value in model.state_dict().items()}
    contract = model.contract.model_dump(mode="json")
    head = {"schema": WEIGHTS_SCHEMA, "identity": identity, "contract": contract, "facts": facts}
    data = _bytes(head | {"state": state})
    write_atomically(data, path, overwrite=True)
    return sha256_bytes(data)


def load_weights(path: Path, digest: str | None = None) -> dict[str, Any]:
    """The content of a weights file, which must have the digest if one is given; nothing is executed."""
    if not path.is_file():
        raise InputNotFound(f"There is no checkpoint at {path}.")
    if digest is not None and sha256_file(path) != digest:
        raise IntegrityError(f"{path} was changed: its digest is not the one its run recorded.")
    return _content(path, path, WEIGHTS_SCHEMA)


def forget_older(folder: Path, keep: int | None) -> None:
    """Remove the best weights of all epochs but one."""
    for path in folder.glob("best-*.pt"):
        if keep is None or path != best_path(folder, keep):
            path.unlink()


def _content(source: Path | io.BytesIO, path: Path, schema: str) -> dict[str, Any]:
    try:
        content = torch.load(source, map_location="cpu", weights_only=True)
    except (OSError, RuntimeError, EOFError, ValueError, KeyError, pickle.UnpicklingError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise IntegrityError(f"{path} cannot be read as a checkpoint: {reason}") from error
    if not isinstance(content, dict) or content.get("schema") != schema:
        raise IntegrityError(f"{path} is not a checkpoint of the format {schema}.")
    return content


def _bytes(content: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()
