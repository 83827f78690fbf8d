# SPDX-License-Identifier: Apache-2.0
"""Run identity: what a run folder is about, and a refusal that names what differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from acromeld.errors import IntegrityError
from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.provenance.records import json_bytes, read_json

if TYPE_CHECKING:
    from pathlib import Path

    from acromeld.model.contract import ModelContract
    from acromeld.train.data.cache import PageCache
    from acromeld.train.engine.plan import TrainingPlan

CONFIGURATION = "run.json"
IDENTITY = "run-identity.json"
_TOLD = 4


def configuration(
    plan: TrainingPlan,
    contract: ModelContract,
    cache: PageCache,
    *,
    development: list[int],
    ranks: int,
    per_device: dict[str, int],
    pretrained: str | None,
) -> dict[str, Any]:
    """The resolved configuration: plain values all the way down, so that two can be compared by name."""
    keys = [list(cache.pages[row].key) for row in development]
    return {
        "plan": plan.model_dump(mode="json"),
        "contract": contract.model_dump(mode="json"),
        "cache": cache.digest,
        "development": {"pages": len(keys), "list": sha256_object(keys)},
        "ranks": ranks,
        "per_device": per_device,
        "pretrained": pretrained,
    }


def run_identity(resolved: dict[str, Any], cache: PageCache, contract: ModelContract) -> RunIdentity:
    """Data, contract, starting point, configuration and code."""
    project = project_implementation()
    return RunIdentity(
        index=cache.index,
        model=contract.digest(),
        pretrained=resolved["pretrained"],
        configuration=sha256_object(resolved),
        implementation=package_implementation().digest,
        project=None if project is None else project.digest,
    )


def claim_folder(
    folder: Path, resolved: dict[str, Any], identity: RunIdentity, accepted: str | None = None
) -> RunIdentity:
    """Write what a new run folder is about, or check that an old one is about the same.

    Args:
        folder: The run folder.
        resolved: Configuration of the run that wants to work in it.
        identity: Its identity.
        accepted: Digest of code other than that of the start with which the run may go on. The identity of
            the run stays that of its start; metric lines say which code made them.

    Returns:
        The identity of the run as it was started.
    """
    if not (folder / CONFIGURATION).exists():
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(json_bytes(identity.record()), folder / IDENTITY, overwrite=True)
        write_atomically(json_bytes(resolved), folder / CONFIGURATION, overwrite=False)
        return identity
    wrong = differences(read_json(folder / CONFIGURATION), resolved)
    if wrong:
        more = f" and {len(wrong) - _TOLD} more" if len(wrong) > _TOLD else ""
        raise IntegrityError(f"{folder} holds another run; these differ: {', '.join(wrong[:_TOLD])}{more}.")
    return _check_identity(folder, identity, accepted)


def _check_identity(folder: Path, identity: RunIdentity, accepted: str | None) -> RunIdentity:
    started = RunIdentity.model_validate(read_json(folder / IDENTITY))
    same = ("index", "model", "pretrained", "configuration")
    wrong = [name for name in same if getattr(started, name) != getattr(identity, name)]
    if wrong:
        raise IntegrityError(f"{folder} holds another run; these differ: {', '.join(wrong)}.")
    if identity.implementation not in (started.implementation, accepted):
        raise IntegrityError(
            f"{folder} was started with other code; go on with that version, or accept this one by"
            f" --accept-implementation {identity.implementation}."
        )
    return started


def differences(old: Any, new: Any, name: str = "") -> list[str]:
    """What differs between two plain values, as ``name (new instead of old)``."""
    if isinstance(old, dict) and isinstance(new, dict):
        keys = sorted(old.keys() | new.keys())
        found = [differences(old.get(key), new.get(key), f"{name}.{key}" if name else key) for key in keys]
        return [difference for part in found for difference in part]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        parts = [differences(a, b, f"{name}.{i}") for i, (a, b) in enumerate(zip(old, new, strict=True))]
        return [difference for part in parts for difference in part]
    return [] if old == new else [f"{name} ({_short(new)} instead of {_short(old)})"]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:21]}..."
