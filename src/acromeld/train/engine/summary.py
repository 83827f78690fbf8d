# SPDX-License-Identifier: Apache-2.0
"""What is left when a run is over: a summary that binds its files, and the weights file users run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.detect.ffgbt.weights import weights_file
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.form.output import write_atomically
from acromeld.model.saved import load_model
from acromeld.provenance.digests import sha256_bytes, sha256_file
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.records import json_bytes, read_json
from acromeld.train.data.cache import open_cache
from acromeld.train.data.experts import WHOLE, experts_digest
from acromeld.train.engine.checkpoint import LAST, best_path, load_weights, read_state_file
from acromeld.train.engine.identity import CONFIGURATION, IDENTITY
from acromeld.train.engine.metrics import LINES

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.train.engine.run import Trainer

SUMMARY = "training-summary.json"


def finish(out: Path, trainer: Trainer) -> dict[str, Any]:
    """Write ``training-summary.json``; the digests in it bind checkpoints and metric history."""
    position, selection = trainer.state.position, trainer.state.selection
    assert selection.epoch is not None
    best = best_path(out, selection.epoch)
    summary = {
        "identity": trainer.identity.digest,
        "ended": position.ended,
        "epochs": position.epoch,
        "steps": position.total_steps,
        "best_epoch": selection.epoch,
        "best_native_f1": selection.best,
        "minutes": round(position.seconds / 60, 1),
        "training_pages": len(trainer.training),
        "development_pages": len(trainer.development),
        "ranks": trainer.group.ranks,
        "per_device": trainer.per_device,
        "parameters": sum(p.numel() for p in trainer.model.parameters() if p.dtype.is_floating_point),
        "best_checkpoint": {"file": best.name, "sha256": sha256_file(best)},
        "last_checkpoint": {"file": LAST, "sha256": sha256_file(out / LAST)},
        "metrics": sha256_file(out / LINES),
    }
    write_atomically(json_bytes(summary), out / SUMMARY, overwrite=True)
    return summary


def selected_weights(run: Path) -> Path:
    """The best averaged weights of a run, finished or not; they must be those its records speak of."""
    if (run / SUMMARY).is_file():
        named = read_json(run / SUMMARY)["best_checkpoint"]
        path = run / str(named["file"])
        if not path.is_file() or sha256_file(path) != named["sha256"]:
            raise IntegrityError(f"{path} is not the checkpoint that {SUMMARY} names.")
        return path
    selection = read_state_file(run / LAST)["state"]["selection"]
    if selection["epoch"] is None:
        raise IntegrityError(f"{run} has no evaluated epoch yet.")
    path = best_path(run, selection["epoch"])
    load_weights(path, selection["weights"])
    return path


def export_run(
    run: Path,
    target: Path,
    *,
    cache: Path | None = None,
    experts: Path | None = None,
    half: bool = True,
    least_hope: tuple[float, float] | None = None,
) -> str:
    """Write the selected weights of a run as the ONNX file a detector reads; the digest of the file.

    Args:
        run: Folder of the run.
        target: File to make.
        cache: The page cache the run learned from, if the model reads opinions.
        experts: The folder of FFGBT weights the cache was made with, if the model reads opinions.
        half: Store weights in half precision. They are rounded first, so that every later number, from
            calibration to the gate, is about what the file holds.
        least_hope: Which queries the file asks about, see `ModelContract`; none as the run's contract says.
    """
    from acromeld.model.export import export_onnx, round_to_half

    path = selected_weights(run)
    identity = RunIdentity.model_validate(read_json(run / IDENTITY))
    if load_weights(path)["identity"] != identity.digest:
        raise IntegrityError(f"The weights in {run} belong to another run than {IDENTITY} describes.")
    model = load_model(path, **({} if least_hope is None else {"least_hope": least_hope}))
    if half:
        round_to_half(model)
    expert = expert_of(run, cache, experts) if model.contract.opinions else None
    data = export_onnx(model, expert)
    write_atomically(data, target, overwrite=False)
    return sha256_bytes(data)


def expert_of(run: Path, cache: Path | None, experts: Path | None) -> bytes:
    """The FFGBT that a model learned to read: the one its pages were judged by, traced through the cache."""
    if cache is None or experts is None:
        raise InputNotFound("The model reads the opinion of an FFGBT: name --cache and --experts of the run.")
    record = open_cache(cache, verify=False)
    if read_json(run / CONFIGURATION)["cache"] != record.digest:
        raise IntegrityError(f"{run} did not learn from {cache}.")
    if experts_digest(experts) != record.experts:
        raise IntegrityError(f"The pages of {cache} were not judged by the weights in {experts}.")
    return weights_file(experts / WHOLE)
