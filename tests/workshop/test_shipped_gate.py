# SPDX-License-Identifier: Apache-2.0
"""``acromeld gate --corpus DIR --reference VALUE``: the model that ships, on a folder nobody has listed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from acromeld.provenance.external import MANIFEST
from acromeld.provenance.implementation import package_implementation
from tests.workshop.conftest import Workshop, do


@pytest.fixture
def shipped(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pretend that the workshop's candidate is the one inside the package, made by other code."""
    monkeypatch.setattr("acromeld.cli.gate.shipped_candidate", lambda: workshop.candidate)
    monkeypatch.setattr("acromeld.provenance.registration.package_implementation", package_implementation)
    return workshop.candidate


def test_one_command_judges_what_ships(
    workshop: Workshop, shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = tmp_path / "external"
    shutil.copytree(workshop.external, corpus, ignore=shutil.ignore_patterns(MANIFEST))
    monkeypatch.chdir(tmp_path)
    do("gate", "--corpus", corpus, "--reference", "0.1")
    assert not (corpus / MANIFEST).exists(), "nothing is written into the corpus"
    assert (tmp_path / "gate" / MANIFEST).is_file()
    registered = json.loads((tmp_path / "gate" / "registration.json").read_text())
    assert registered["implementation"] == package_implementation().digest
    do("gate", "verify")
    assert (shipped / "gate-claim.json").is_file()
