# SPDX-License-Identifier: Apache-2.0
"""What the gate's work keeps in memory, and when it stops blaming documents."""

from __future__ import annotations

import gc
import json
import weakref
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from acromeld.detect.candidates import PageCandidates
from acromeld.errors import IntegrityError, NotAPdf
from acromeld.evaluate import gate_kept, gate_run
from acromeld.evaluate.gate_run import FrozenDetector
from acromeld.evaluate.targets import PATIENCE, targets_of
from acromeld.fields import DetectorRef, OperatingPoint
from acromeld.pdf.frame import PageFrame
from acromeld.pdf.page import Page, PageNeeds, Raster
from acromeld.pdf.source import Source
from acromeld.provenance.external import ExternalDocument
from tests.corpus.tiny_forms import form_pdf, layout, prose

REF = DetectorRef(name="fake", weights="0" * 64)


class Fake:
    """Finds nothing, and wants pictures only."""

    ref = REF
    needs = PageNeeds(raster_long_side=100, primitives=False)
    cap = 7

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        return [PageCandidates.empty() for _ in pages]


CANDIDATE = cast("Any", SimpleNamespace(detector=REF, operating_point=OperatingPoint()))


def frozen() -> FrozenDetector:
    return FrozenDetector(cast("Any", Fake()), CANDIDATE)


def test_pictures_of_pages_are_not_kept() -> None:
    detector = frozen()
    pixels = np.zeros((100, 80), dtype=np.uint8)
    frame = PageFrame((0, 0, 80, 100), 0, 1.0)
    detector.detect([Page(3, frame, raster=Raster(pixels, 1.0))])
    alive = weakref.ref(pixels)
    del pixels
    gc.collect()
    assert alive() is None
    (kept,) = detector.proposed
    assert (kept.index, kept.width, kept.height, kept.structure) == (3, 80, 100, False)


def test_primitives_are_read_whatever_the_detector_needs() -> None:
    assert frozen().needs == PageNeeds(raster_long_side=100, primitives=True)


def sound(number: int) -> Source:
    return Source(form_pdf([(prose(number), layout(number))]), f"{number}.pdf")


def failing(error: Exception) -> Any:
    def load() -> Source:
        raise error

    return load


def files(*loads: Any) -> Any:
    return ((f"{place}.pdf", load) for place, load in enumerate(loads))


def test_documents_that_cannot_be_read_cost_themselves_however_many() -> None:
    bad = [failing(NotAPdf("It is no PDF."))] * (2 * PATIENCE)
    found = targets_of(files(*bad, lambda: sound(1)))
    assert len(found.names) == 1
    assert len(found.unreadable) == 2 * PATIENCE


def test_what_nobody_foresaw_costs_the_document_until_it_is_every_document() -> None:
    bad = [failing(ZeroDivisionError("our mistake"))] * (PATIENCE - 1)
    found = targets_of(files(*bad, lambda: sound(1), *bad, lambda: sound(2)))
    assert len(found.names) == 2
    assert set(found.unreadable) == {
        (f"{place}.pdf", "ZeroDivisionError: our mistake")
        for place in range(2 * PATIENCE)
        if place not in (PATIENCE - 1, 2 * PATIENCE - 1)
    }
    with pytest.raises(ZeroDivisionError):
        targets_of(files(*bad, bad[0], lambda: sound(1)))


def test_a_file_that_is_not_the_listed_one_is_no_bad_document() -> None:
    with pytest.raises(IntegrityError):
        targets_of(files(failing(IntegrityError("It was changed."))))


def test_a_detector_that_fails_on_every_document_stops_the_gate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_run, "candidate_detector", lambda _: Fake())
    monkeypatch.setattr(gate_run, "detect_pages", failing_call)
    document = written(tmp_path)
    with gate_run.GateWork(CANDIDATE, tmp_path / "out") as work:
        for _ in range(PATIENCE - 1):
            assert list(work.detect(document, CANDIDATE)) == []
        with pytest.raises(ZeroDivisionError):
            work.detect(document, CANDIDATE)


def written(folder: Path) -> ExternalDocument:
    source = sound(1)
    (folder / "1.pdf").write_bytes(source.data)
    return ExternalDocument(folder / "1.pdf", "1.pdf", source.sha256)


class Beyond(Fake):
    """Proposes, far below its threshold, a box that no candidate line can carry."""

    def detect(self, pages: Sequence[Page]) -> list[PageCandidates]:
        box = np.array([[0.0, 0.0, np.inf, 10.0]])
        return [PageCandidates(box, np.zeros(1, dtype=np.int64), np.array([0.05]), ("far",)) for _ in pages]


def test_what_could_not_be_read_back_costs_the_document_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate_run, "candidate_detector", lambda _: Beyond())
    document = written(tmp_path)
    with gate_run.GateWork(CANDIDATE, tmp_path / "out") as work:
        assert list(work.detect(document, CANDIDATE)) == []
    kept = tmp_path / "out" / gate_kept.RAW / f"{document.sha256}.json"
    assert "not a valid candidate line" in json.loads(kept.read_bytes())["problem"]
    assert kept.with_suffix(".jsonl").read_bytes() == b""


def failing_call(*_: object, **__: object) -> None:
    raise ZeroDivisionError
