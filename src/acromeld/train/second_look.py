# SPDX-License-Identifier: Apache-2.0
"""The whole training of a second look: sealed index and a network in, weights and records out.

Leaves weights, ``run-identity.json`` and ``training-summary.json``. ``acromeld train finish`` puts the
weights into the file of the network, and ``acromeld freeze`` takes the records.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from acromeld.form.output import write_atomically
from acromeld.provenance.digests import sha256_bytes, sha256_file, sha256_object
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation, project_implementation
from acromeld.train.answered import collect, training_jobs
from acromeld.train.data.experts import experts_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from acromeld.train.answered import Reader

    Log = Callable[[str], None]

IDENTITY, SUMMARY = "run-identity.json", "training-summary.json"


class Fit(Protocol):
    """Learns from the pages of a corpus."""

    def __call__(self, pages: list[Any], *, threads: int, log: Log) -> tuple[bytes, dict[str, object]]:
        """The bytes of a weights file, and what is worth telling about them."""


@dataclass(frozen=True)
class SecondLook:
    """What is particular to one second look.

    Attributes:
        about: What it looks at, in words.
        file: Name of its weights.
        pages: Examples of one document; takes the reader by keyword, and must be importable by its name.
        fit: Learns from them.
        settings: Everything the outcome depends on besides data and code.
    """

    about: str
    file: str
    pages: Callable[..., list[Any]]
    fit: Fit
    settings: Mapping[str, object]

    def train(
        self,
        index: Path,
        out: Path,
        reader: Reader,
        *,
        workers: int,
        limit: int | None = None,
        progress: Callable[[str, int, int], None],
        log: Log,
    ) -> str:
        """Train from the train-real documents; the digest of the weights."""
        began = time.perf_counter()
        experts, network = experts_digest(reader.experts), sha256_file(reader.weights)
        halves = None if reader.halves is None else [sha256_file(path) for path in reader.halves]
        jobs, digest = training_jobs(index, limit)
        found = collect(
            partial(self.pages, reader=reader),
            jobs,
            workers=workers,
            progress=lambda done, total: progress(f"Looking at {self.about}", done, total),
        )
        data, told = self.fit(found, threads=workers, log=log)
        summary = {
            "trained": f"second look at {self.about}",
            "network": network,
            "experts": experts,
            "halves": halves,
            "documents": len(jobs),
            "pages": len(found),
            **told,
            "bytes": len(data),
            "minutes": round((time.perf_counter() - began) / 60, 1),
        }
        configuration: dict[str, object] = {"experts": experts, "limit": limit, "halves": halves}
        identity = self._identity(digest, network, configuration)
        out.mkdir(parents=True, exist_ok=True)
        write_atomically(data, out / self.file, overwrite=True)
        for name, record in ((IDENTITY, identity.record()), (SUMMARY, summary)):
            text = json.dumps(record, indent=1, sort_keys=True) + "\n"
            write_atomically(text.encode(), out / name, overwrite=True)
        return sha256_bytes(data)

    def _identity(self, index: str, network: str, configuration: dict[str, object]) -> RunIdentity:
        """A run that starts from the network and adds to it."""
        project = project_implementation()
        return RunIdentity(
            index=index,
            model=sha256_object(self.settings),
            pretrained=network,
            configuration=sha256_object(configuration),
            implementation=package_implementation().digest,
            project=None if project is None else project.digest,
        )
