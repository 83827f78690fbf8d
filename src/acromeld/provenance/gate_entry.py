# SPDX-License-Identifier: Apache-2.0
"""The way into the gate: everything that is decided and written before an external document is read.

What can be refused is refused before anything is registered, so that a folder which was put in order can
simply be judged. Registration, identity and claim then fix who is judged, on what and against which value.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from acromeld.errors import OutputProblem, Refused
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.records import create_bytes, create_json, ensure_bytes, json_bytes, read_json
from acromeld.provenance.registration import REGISTRATION_SCHEMA

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from acromeld.provenance.external import ExternalCorpus
    from acromeld.provenance.registration import GatePlan

CLAIM = "gate-claim.json"
REGISTRATION = "registration.json"
IDENTITY = "external-identity.json"
RUN = "run.json"
RESULT = "result"

CLAIM_SCHEMA = "acromeld.gate-claim/1"
_ATTEMPT_SCHEMA = "acromeld.gate-attempt/1"


def refuse_second_run(plan: GatePlan, *, resume: bool) -> None:
    """A candidate is judged once; an unfinished run goes on only when that is asked for."""
    if (plan.out / RESULT).exists():
        raise Refused(f"The gate has been run: {plan.out / RESULT} holds the report of its one evaluation.")
    if (plan.candidate / CLAIM).exists() and not resume:
        raise Refused(
            f"This candidate has been claimed for its one external evaluation ({plan.candidate / CLAIM}); "
            "if that run died before its report, resume it in the same output folder."
        )


def check_writable(plan: GatePlan) -> None:
    """Records must be possible in both folders: a claim that cannot be followed by a report is a waste."""
    for folder in (plan.candidate, plan.out):
        probe = folder / f".probe-{secrets.token_hex(6)}"
        try:
            create_bytes(probe, b"")
            probe.unlink()
        except (OutputProblem, OSError) as error:
            raise OutputProblem(
                f"The gate must be able to write to {folder}, so nothing was registered: {error}"
            ) from None


def ensure_registration(plan: GatePlan, record: dict[str, Any], *, resume: bool) -> str:
    """Write the registration, or find the same one there; returns its digest.

    A resumed run may be by repaired code, if that is accepted by its digest. The registration stays what it
    is; the record of the attempt says which code it was.
    """
    path = plan.out / REGISTRATION
    try:
        return ensure_bytes(path, json_bytes(record))
    except OutputProblem:
        if not path.exists():
            raise
    registered = read_json(path, schema=REGISTRATION_SCHEMA)
    if not resume or registered | {"implementation": plan.implementation} != record:
        raise Refused(f"{path} registers other values; what was registered cannot be changed.")
    if plan.accept_implementation != plan.implementation:
        raise Refused(
            f"{path} registers other code; go on with that version, or accept this one by"
            f" --accept-implementation {plan.implementation}."
        )
    return sha256_file(path)


def ensure_identity(plan: GatePlan, registered: str, corpus: ExternalCorpus) -> str:
    """Bind registration and corpus; returns the digest of the record."""
    record = {
        "schema": "acromeld.external-identity/1",
        "registration": registered,
        "corpus": corpus.digest,
        "documents": len(corpus.entries),
    }
    return ensure_bytes(plan.out / IDENTITY, json_bytes(record))


def claim(plan: GatePlan, identity: str, *, resume: bool) -> None:
    """Take the candidate's one evaluation, or show that this folder is the one that took it.

    The output folder gets a random run name that the claim binds; a copy of the registration in another
    folder therefore cannot pass for the folder of the run.
    """
    path = plan.candidate / CLAIM
    run_path = plan.out / RUN
    if not run_path.exists():
        create_json(run_path, {"schema": "acromeld.gate-run/1", "run": secrets.token_hex(16)})
    record = {"schema": CLAIM_SCHEMA, "identity": identity, "run": sha256_file(run_path)}
    if path.exists() and resume:
        if read_json(path, schema=CLAIM_SCHEMA) != record:
            raise Refused(f"{path} belongs to another gate run; only that run may be resumed.")
        return
    try:
        create_json(path, record)
    except OutputProblem:
        if not path.exists():
            raise
        raise Refused(f"This candidate has been claimed for its one external evaluation ({path}).") from None


def attempts(out: Path) -> list[Path]:
    """The record of every attempt, in order."""
    return sorted(out.glob("attempt-[0-9][0-9][0-9].json"))


def record_attempt(plan: GatePlan, identity: str, started: datetime) -> None:
    """Say that somebody sets out, when, and with which code."""
    record = {
        "schema": _ATTEMPT_SCHEMA,
        "identity": identity,
        "started": started.isoformat(),
        "implementation": plan.implementation,
    }
    create_json(plan.out / f"attempt-{len(attempts(plan.out)) + 1:03d}.json", record)


def implementations(out: Path) -> list[str]:
    """Digests of the code of all attempts, each once, in order."""
    found = (read_json(path, schema=_ATTEMPT_SCHEMA) for path in attempts(out))
    return list(dict.fromkeys(record["implementation"] for record in found if "implementation" in record))
