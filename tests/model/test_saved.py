# SPDX-License-Identifier: Apache-2.0
"""From a saved model to the file the detector runs."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
import torch

from acromeld.cli import run
from acromeld.detect.acromeld.detector import AcromeldDetector, as_candidates
from acromeld.detect.acromeld.inputs import read_inputs
from acromeld.detect.acromeld.weights import OUTPUTS
from acromeld.errors import AcromeldError, InputNotFound, IntegrityError
from acromeld.model.batch import TokenBatch, page_batch
from acromeld.model.export import ForDecoding, round_to_half
from acromeld.model.saved import load_model, save_model
from acromeld.pdf.page import Raster
from tests.detect.acromeld.pages import page, ruled
from tests.model.made import TINY as TINY_COMPACT
from tests.model.made import distinct_model

TINY = TINY_COMPACT.model_copy(
    update={"opinions": False, "head_start": False, "descriptor": 32, "glimpse_width": 0, "word_buckets": 0}
)
"""Reads pages without the help of FFGBT."""


def test_what_does_not_fit_the_contract_is_told(tmp_path: Path) -> None:
    save_model(distinct_model(TINY), tmp_path / "model.pt")
    assert load_model(tmp_path / "model.pt", free_queries=TINY.free_queries).contract == TINY
    few = TINY.neighbours - 1
    with pytest.raises(AcromeldError, match="suffice as neighbours"):
        load_model(tmp_path / "model.pt", least_hope=(0.0, 0.0), free_queries=few)


def test_a_saved_model_comes_back(tmp_path: Path) -> None:
    model = distinct_model(TINY)
    save_model(model, tmp_path / "model.pt")
    back = load_model(tmp_path / "model.pt")
    assert back.contract == TINY
    assert not back.training
    pairs = zip(model.state_dict().values(), back.state_dict().values(), strict=True)
    assert all(torch.equal(a, b) for a, b in pairs)


def test_what_is_chosen_after_training_is_not_in_contracts_that_do_not_choose_it() -> None:
    told = TINY.model_dump(mode="json")
    assert not {"page_evidence", "evidence_scores", "signing"} & told.keys(), "so they keep their digests"
    chosen = TINY.model_copy(update={"page_evidence": 2.0, "evidence_scores": 5, "signing": True})
    assert chosen.runtime.evidence_scores == 5
    assert {"page_evidence", "evidence_scores", "signing"} <= chosen.model_dump(mode="json").keys()


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputNotFound):
        load_model(tmp_path / "nothing.pt")
    (tmp_path / "bad.pt").write_bytes(b"no model")
    with pytest.raises(IntegrityError):
        load_model(tmp_path / "bad.pt")
    torch.save({"contract": TINY.model_dump(), "state": {}}, tmp_path / "empty.pt")
    with pytest.raises(IntegrityError):
        load_model(tmp_path / "empty.pt")


def test_the_command_writes_a_file_the_detector_runs_as_torch_does(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = distinct_model(TINY)
    source, out = tmp_path / "model.pt", tmp_path / "model.onnx"
    save_model(model, source)
    assert run(["model", "export", str(source), str(out), "--half"]) == 0
    assert "contract tiny" in capsys.readouterr().out
    assert run(["model", "export", str(source), str(out)]) != 0, "never overwrites unasked"
    detector = AcromeldDetector.from_file(out, threads=1)
    noise = np.random.default_rng(0).integers(0, 256, (1600, 1200), dtype=np.uint8)
    seen = page(primitives=ruled(), raster=Raster(noise, 2.0))
    (found,) = detector.detect([seen])
    round_to_half(model)
    inputs = read_inputs(seen, TINY.runtime)
    batch = page_batch([inputs])
    with torch.no_grad():
        given = (getattr(batch.tokens, field.name) for field in fields(TokenBatch))
        answers = [part[0].numpy() for part in ForDecoding(model)(batch.images, *given)]
    expected = as_candidates(dict(zip(OUTPUTS, answers, strict=True)), inputs.place, TINY.runtime)
    assert len(found) == len(expected) > TINY.queries / 2
    assert np.abs(np.sort(found.score) - np.sort(expected.score)).max() < 1e-3
    assert np.abs(np.sort(found.box, axis=0) - np.sort(expected.box, axis=0)).max() < 0.1


def test_rounding_keeps_vectors_and_loses_little() -> None:
    model, before = distinct_model(TINY), distinct_model(TINY)
    round_to_half(model)
    for (name, a), b in zip(model.named_parameters(), before.parameters(), strict=True):
        assert torch.allclose(a, b, rtol=1e-3, atol=1e-6), name
        assert torch.equal(a, b if a.dim() == 1 else a.half().float()), name
