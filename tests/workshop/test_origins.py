# SPDX-License-Identifier: Apache-2.0
"""A training document in the state before it was cleaned is as well known as the cleaned one."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pikepdf
import pytest

from acromeld.provenance.candidate import load_candidate
from acromeld.provenance.external import MANIFEST
from tests.workshop.conftest import Workshop, do

Refused = Callable[..., str]


def uncleaned(shop: Workshop) -> dict[str, Path]:
    """Originals of two documents of the corpus, by the hash of what they were cleaned to."""
    shop.originals.mkdir()
    found = {}
    for path in sorted(shop.pdf.iterdir())[:2]:
        with pikepdf.open(path) as pdf:
            pdf.docinfo["/Title"] = f"{path.stem} before it was cleaned"
            pdf.save(shop.originals / path.name)
        found[hashlib.sha256(path.read_bytes()).hexdigest()] = shop.originals / path.name
    return found


@pytest.fixture
def manifest(workshop: Workshop) -> Path:
    """The manifest of a corpus that was cleaned, and an index of it: the same as without the originals."""
    originals = uncleaned(workshop)
    path = workshop.made / "manifest.jsonl"
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["sha256"] in originals:
            row["origin_sha256"] = hashlib.sha256(originals[row["sha256"]].read_bytes()).hexdigest()
    path.chmod(0o644)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def frozen(shop: Workshop, manifest: Path, *more: object) -> Path:
    """Everything up to a candidate, on an index that was built with the manifest."""
    do("corpus", "build", shop.pdf, "--manifest", manifest, "--out", shop.root / "cleaned.sqlite")
    do("corpus", "seal", shop.root / "cleaned.sqlite")
    index = ("--index", shop.root / "cleaned.sqlite")
    shown = ("--role", "calibration", "--pdf", shop.pdf, "--detector", "rules", "-o", shop.root / "shown")
    do("predict", shop.root / "cleaned.sqlite", *shown)
    do("calibrate", shop.root / "shown", *index, "-o", shop.root / "chosen.json")
    point = ("--calibration", shop.root / "chosen.json", "--detector", "rules")
    do("freeze", shop.root / "knowing", *index, *point, *more)
    return shop.root / "knowing"


@pytest.mark.parametrize("with_index", [True, False])
def test_the_gate_refuses_the_original_of_a_training_document(
    workshop: Workshop, manifest: Path, refused: Refused, with_index: bool
) -> None:
    candidate = frozen(workshop, manifest, "--origins", manifest)
    listed = load_candidate(candidate).documents()
    assert listed is not None
    assert len(listed) == 14 + 2
    (workshop.external / MANIFEST).unlink()
    shutil.copy(next(workshop.originals.iterdir()), workshop.external / "original.pdf")
    asked = ["gate", "--candidate", candidate, "--corpus", workshop.external, "--reference", "0.2"]
    index = ["--index", workshop.root / "cleaned.sqlite"] * with_index
    told = refused(10, *asked, *index, "--out", workshop.root / "strict")
    assert "training index" in told
    assert "original.pdf" in told
    assert not (candidate / "gate-claim.json").exists()


def test_without_origins_the_list_is_that_of_the_index(workshop: Workshop, manifest: Path) -> None:
    assert len(load_candidate(frozen(workshop, manifest)).documents() or ()) == 14


def test_origins_must_be_those_of_the_index(workshop: Workshop, manifest: Path, refused: Refused) -> None:
    frozen(workshop, manifest)
    manifest.write_text(manifest.read_text() + "\n")
    point = ("--calibration", workshop.root / "chosen.json", "--detector", "rules")
    asked = ("freeze", workshop.root / "other", "--index", workshop.root / "cleaned.sqlite", *point)
    assert "not a manifest of the index" in refused(10, *asked, "--origins", manifest)
    assert not (workshop.root / "other").exists()
