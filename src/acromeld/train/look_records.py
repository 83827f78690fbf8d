# SPDX-License-Identifier: Apache-2.0
"""The files that training a second look leaves: weights, ``run-identity.json``, ``training-summary.json``.

``acromeld train finish`` puts the weights into the file of the network, and ``acromeld freeze`` takes the
records.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_bytes, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

IDENTITY, SUMMARY = "run-identity.json", "training-summary.json"


def look_identity(
    index: str, network: str, learned: Mapping[str, object], configuration: Mapping[str, object]
) -> RunIdentity:
    """A run that starts from the network and adds to it what is learned with these settings."""
    project = project_implementation()
    return RunIdentity(
        index=index,
        model=sha256_object(learned),
        pretrained=network,
        configuration=sha256_object(configuration),
        implementation=package_implementation().digest,
        project=None if project is None else project.digest,
    )


def write_look(
    out: Path, name: str, data: bytes, identity: RunIdentity, summary: Mapping[str, object]
) -> str:
    """Write weights and records into a folder; the digest of the weights."""
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(data, out / name, overwrite=True)
    for file, record in ((IDENTITY, identity.record()), (SUMMARY, summary)):
        text = json.dumps(record, indent=1, sort_keys=True) + "\n"
        write_atomically(text.encode(), out / file, overwrite=True)
    return sha256_bytes(data)
