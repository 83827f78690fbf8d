# SPDX-License-Identifier: Apache-2.0
"""From weights and a sealed index to the table, by the command."""

from __future__ import annotations

import csv
import hashlib
import json
from pathlib import Path

import pytest

from acromeld.cli import run
from acromeld.corpus.build import build_index
from acromeld.corpus.index import open_index, seal
from acromeld.corpus.roles import Role
from acromeld.errors import ExitCode
from acromeld.model.acromeld import AcroMeld
from acromeld.model.saved import load_model, save_model
from tests.corpus.tiny_forms import varied_documents, write_corpus
from tests.evaluate.interventions.made import PLAIN, POINT
from tests.model.made import distinct_model


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sealed corpus of small forms, weights and a bare operating point; not to be changed."""
    root = tmp_path_factory.mktemp("shop")
    build_index(root / "pdf", write_corpus(root / "pdf", varied_documents(8)), root / "index.sqlite")
    seal(root / "index.sqlite")
    save_model(distinct_model(PLAIN), root / "model.pt")
    (root / "point.json").write_text(POINT.model_dump_json())
    return root


def intervene(
    shop: Path, out: Path, *more: object, point: Path | None = None, pdf: Path | None = None
) -> int:
    pages = ("--index", shop / "index.sqlite", "--role", "train-real", "--pdf", pdf or shop / "pdf")
    given = (*pages, "--threads", 1)
    at = ("--point", point or shop / "point.json", "-o", out, "--resamples", 50)
    return run([str(part) for part in ("interventions", shop / "model.pt", *given, *at, *more)])


def test_one_table_on_the_same_pages(shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "table"
    assert intervene(shop, out, "--sample", 2, "--seed", 7) == 0
    assert "structure queries removed" in capsys.readouterr().out
    record = json.loads((out / "interventions.json").read_bytes())
    assert record["weights"] == hashlib.sha256((shop / "model.pt").read_bytes()).hexdigest()
    assert record["truth"]["sample"] == {"pages": 2, "seed": 7}
    counts = [row["native"]["micro"] for row in record["rows"]]
    assert len({micro["tp"] + micro["fn"] for micro in counts}) == 1, "the same fields for every row"
    assert len({(micro["tp"], micro["fp"]) for micro in counts}) > 3
    with (out / "interventions.csv").open() as stream:
        names = [row["intervention"] for row in csv.DictReader(stream)]
    assert names == [row["intervention"] for row in record["rows"]]
    assert "2 pages of 2 documents" in (out / "interventions.md").read_text()
    assert intervene(shop, out) == ExitCode.OUTPUT, "a table is written once"


def state_bytes(model: AcroMeld, _expert: bytes | None = None) -> bytes:
    """Stands for the exported file, which takes long to make: other weights give other bytes."""
    return b"".join(value.numpy().tobytes() for value in model.state_dict().values())


def test_a_frozen_point_must_be_that_of_the_weights(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("acromeld.model.export.export_onnx", state_bytes)
    exported = hashlib.sha256(state_bytes(load_model(shop / "model.pt"))).hexdigest()
    point = tmp_path / "operating-point.json"
    point.write_text(json.dumps({"candidate": exported, "point": POINT.model_dump()}))
    assert intervene(shop, tmp_path / "a", "--sample", 1, point=point) == ExitCode.INTEGRITY, "rounded"
    assert "belongs to other weights" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
    assert intervene(shop, tmp_path / "a", "--sample", 1, "--full", point=point) == 0


def test_without_a_point_or_with_other_files_it_stops(
    shop: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert intervene(shop, tmp_path / "a", point=tmp_path / "none.json") == ExitCode.NOT_FOUND
    assert "--point FILE names the operating point" in capsys.readouterr().err
    with open_index(shop / "index.sqlite") as index:
        names = [row.file for row in index.documents(Role.TRAIN_REAL)]
    others = tmp_path / "pdf"
    others.mkdir()
    for name in names:
        (others / name).write_bytes((shop / "pdf" / name).read_bytes() + b"\n")
    assert intervene(shop, tmp_path / "a", pdf=others) == ExitCode.INTEGRITY
