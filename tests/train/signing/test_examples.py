# SPDX-License-Identifier: Apache-2.0
"""Places to sign of a real file, through a network whose answers are known."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from acromeld.corpus.index import DocumentRow
from acromeld.corpus.roles import Role
from acromeld.errors import AcromeldError
from acromeld.evaluate.pages import TargetPage
from acromeld.model.onnx_file import signed
from acromeld.pdf.document import open_document
from acromeld.pdf.page import PageNeeds
from acromeld.structure.signing_words import ASKS_TO_SIGN
from acromeld.train import answered
from acromeld.train.answered import Job, Reader, collect
from acromeld.train.data.halves import half_of
from acromeld.train.signing.examples import document_pages
from acromeld.train.signing.fitting import fit_all
from tests.detect.acromeld.test_detector import CONTRACT, graph

SAMPLES = Path(__file__).parents[3] / "examples"


def asking() -> tuple[int, np.ndarray, tuple[float, float]]:
    """The page of the sample that asks for a signature, where it first does, and its size."""
    with open_document(SAMPLES / "application.pdf") as document:
        for index in range(len(document)):
            page = document.read_page(index, PageNeeds())
            words = page.primitives.words
            for text, box in zip(words.text, words.box, strict=True):
                if ASKS_TO_SIGN.search(text):
                    return index, box, (page.width, page.height)
    raise AssertionError("the sample form asks for a signature")


@pytest.fixture
def job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Job, Path]:
    """The sample with a signature field above its caption, and a network that sees a field there."""
    index, word, size = asking()
    field = np.array([word[0], word[1] - 25, word[0] + 150, word[1] - 5])
    scale = min(1024 / size[1], 736 / size[0])
    margin = np.array([736 - size[0] * scale, 1024 - size[1] * scale]) / 2
    corners = np.concatenate([field[:2] * scale + margin, field[2:] * scale + margin]) / [
        736,
        1024,
        736,
        1024,
    ]
    answers = {
        "probability": np.tile(np.float32([0.6, 0.0, 0.2]), (5, 1)),
        "corners": np.tile(corners.astype(np.float32), (5, 1)),
        "quality": np.full(5, 0.9, dtype=np.float32),
        "link": np.eye(5, 32, dtype=np.float32),
    }
    weights = tmp_path / "network.onnx"
    weights.write_bytes(signed(graph(answers), CONTRACT))
    monkeypatch.setattr(answered, "load_expert", lambda path: None)
    sha256 = "0" * 64
    row = DocumentRow(
        sha256=sha256, file="application.pdf", source="here", manifest_group="g", final_group="g",
        role=Role.TRAIN_REAL, pages=2, bytes=1,
    )  # fmt: skip
    targets = [
        TargetPage(sha256, number, *size, field[None] if number == index else np.zeros((0, 4)),
                   np.array([2] if number == index else [], dtype=np.int64), True)
        for number in range(2)
    ]  # fmt: skip
    return Job(row, tuple(targets)), weights


def test_only_pages_that_ask_are_shown_to_the_network(job):
    given, weights = job
    pages = document_pages(given, reader=Reader(SAMPLES, weights, SAMPLES))
    (page,) = [page for page in pages if len(page.signed)]
    assert page.label.all()
    assert len(page.label) == 5
    assert page.group == "g"
    assert page.places.columns["sign below"] == pytest.approx(np.full(5, 5.0), abs=0.6)


def test_a_page_is_shown_to_the_network_of_the_other_half(job, tmp_path):
    given, weights = job
    mean = tmp_path / "mean.onnx"
    others = tuple(tmp_path / f"half-{half}.onnx" for half in (0, 1))
    unread = others[half_of(given.document.final_group)]
    others[1 - half_of(given.document.final_group)].write_bytes(weights.read_bytes())
    mean.write_bytes(weights.read_bytes())
    assert not unread.exists(), "the network that learned from the page is never opened"
    pages = document_pages(given, reader=Reader(SAMPLES, mean, SAMPLES, others))
    assert any(len(page.signed) for page in pages)


def test_documents_come_back_in_order(job):
    given, weights = job
    heard: list[tuple[int, int]] = []
    work = partial(document_pages, reader=Reader(SAMPLES, weights, SAMPLES))
    found = collect(work, [given, given], workers=1, progress=lambda *step: heard.append(step))
    assert len(found) % 2 == 0
    assert len(found) > 0
    assert heard[-1] == (2, 2)


def test_a_corpus_without_signature_fields_teaches_nothing():
    with pytest.raises(AcromeldError, match="no signature field"):
        fit_all([], log=lambda _: None)
