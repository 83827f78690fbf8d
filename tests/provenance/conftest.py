# SPDX-License-Identifier: Apache-2.0
"""A trained-looking candidate, its sealed index and a quarantined external corpus, all of them tiny."""

from __future__ import annotations

import shutil
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from acromeld.corpus.build import build_index
from acromeld.corpus.index import seal
from acromeld.fields import OperatingPoint
from acromeld.provenance.candidate import complete_candidate, copy_weights, write_operating_point
from acromeld.provenance.digests import sha256_file
from acromeld.provenance.external import MANIFEST, quarantine
from acromeld.provenance.gate import GatePlan
from acromeld.provenance.identity import RunIdentity
from acromeld.provenance.implementation import package_implementation
from acromeld.provenance.registration import Reference
from tests.corpus.tiny_forms import form_pdf, layout, prose, write_corpus

POINT = OperatingPoint(text=0.4, choice=0.35, signature=0.2)
IMPLEMENTATION = package_implementation().digest


@dataclass(frozen=True)
class Workshop:
    """Folders of one rehearsal, and the plan of its gate run."""

    root: Path
    plan: GatePlan

    def planned(self, **changes: Any) -> GatePlan:
        return replace(self.plan, **changes)


def make_candidate(
    folder: Path, index_digest: str, weights: bytes = b"weights", documents: Collection[str] = ()
) -> Path:
    source = folder.with_suffix(".bin")
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_bytes(weights)
    copy_weights(folder, source)
    write_operating_point(folder, POINT, {"native_f1": 0.8})
    identity = RunIdentity(
        index=index_digest, model="1" * 64, configuration="2" * 64, implementation=IMPLEMENTATION
    )
    metrics = [{"epoch": 0, "f1": 0.7}, {"epoch": 1, "f1": 0.8}]
    complete_candidate(
        folder,
        identity=identity,
        summary={"epochs": 2},
        metrics=metrics,
        documents=documents,
        detector="fake",
    )
    return folder


@pytest.fixture(scope="session")
def model_workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders, made once; tests get copies."""
    root = tmp_path_factory.mktemp("workshop") / "root"
    training = {f"t{seed}.pdf": form_pdf([(prose(seed), layout(seed))]) for seed in range(3)}
    manifest = write_corpus(root / "training", training)
    build_index(root / "training", manifest, root / "index.sqlite")
    make_candidate(root / "candidate", seal(root / "index.sqlite"))
    external = {f"e{seed}.pdf": form_pdf([(prose(seed), layout(seed, 10))]) for seed in range(100, 104)}
    write_corpus(root / "external", external)
    quarantine(root / "external")
    return root


@pytest.fixture
def workshop(model_workshop: Path, tmp_path: Path) -> Workshop:
    root = shutil.copytree(model_workshop, tmp_path / "workshop")
    plan = GatePlan(
        candidate=root / "candidate",
        index=root / "index.sqlite",
        corpus=root / "external",
        corpus_digest=sha256_file(root / "external" / MANIFEST),
        reference=Reference(0.75, "a predecessor"),
        adapter={"name": "native", "overlap": 0.3, "cap": 896},
        out=root / "gate",
        shards=2,
        implementation=IMPLEMENTATION,
    )
    return Workshop(root, plan)
