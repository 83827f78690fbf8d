# SPDX-License-Identifier: Apache-2.0
"""The appraisal learns from made-up pages: what stands under "office use" is no field, whatever the score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from acromeld.corpus.index import DocumentRow
from acromeld.corpus.roles import Role
from acromeld.detect.acromeld.appraisal.appraiser import Appraiser, sources
from acromeld.detect.acromeld.appraisal.columns import measure
from acromeld.detect.acromeld.appraisal.places import speakers
from acromeld.detect.acromeld.appraisal.weights import pack, unpack
from acromeld.detect.acromeld.weights import shipped_file
from acromeld.detect.ffgbt.detector import FfgbtDetector
from acromeld.errors import AcromeldError, Refused
from acromeld.evaluate.pages import TargetPage
from acromeld.model.onnx_file import signed
from acromeld.train import answered
from acromeld.train.answered import Job, Reader
from acromeld.train.appraisal import examples
from acromeld.train.appraisal.examples import AppraisedPage, authored, document_pages
from acromeld.train.appraisal.fitting import fit_all, log_loss
from acromeld.train.appraisal.run import fit
from acromeld.train.word_evidence import balanced, caption_rows
from tests.detect.acromeld.appraisal.made import BOXES, ROW, SIZE, contract, opinions, seen
from tests.detect.acromeld.signing.made import words
from tests.detect.acromeld.test_detector import CONTRACT, graph

SAMPLES = Path(__file__).parents[3] / "examples"


def printed(*, office: bool):
    return words(("office" if office else "name", 55, 288), ("use" if office else "here", 100, 288))


def made_page(number: int, *, office: bool) -> AppraisedPage:
    network = seen(faint=0.2)
    spoken = speakers(network)
    found = measure(network, spoken, sources(contract()), opinions(), printed(office=office), SIZE)
    boxes = np.array(BOXES[1:3] + BOXES[4:5] if office else BOXES[:3] + BOXES[4:5])
    kind = np.array([0, 0, 1] if office else [0, 2, 0, 1])
    target = TargetPage("0" * 64, 0, *SIZE, boxes, kind, True)
    return AppraisedPage(
        f"group {number}",
        tuple(found.columns),
        np.column_stack(list(found.columns.values())).astype(np.float32),
        caption_rows(found.captions),
        authored(network, spoken.rows, target),
    )


def test_text_and_signature_are_one_and_a_field_is_found_once():
    page = made_page(0, office=False)
    assert page.label.tolist() == [True, True, True, True, False], "best first: tick, row, what is faint"
    network = seen()
    twice = TargetPage("0" * 64, 0, *SIZE, np.array([ROW[0]]), np.array([2]), True)
    assert authored(network, np.array([0, 3]), twice).tolist() == [True, False]


@pytest.fixture(scope="module")
def fitted():
    pages = [made_page(number, office=number % 2 == 0) for number in range(600)]
    said: list[str] = []
    return fit_all(pages, threads=1, log=said.append), said


def test_captions_are_learned_and_heard(fitted):
    found, said = fitted
    assert any("3,000 places on 600 pages, 2,100 of them fields" in line for line in said)
    assert found.after < 0.5 * found.before
    data = pack(found.weights)
    judge = Appraiser(unpack(data), contract())
    worth = {
        office: judge.appraise(seen(faint=0.2), opinions(), printed(office=office), SIZE).score[0]
        for office in (True, False)
    }
    assert worth[True] < 0.5 < worth[False]


def test_a_corpus_with_nothing_to_tell_apart_teaches_nothing():
    with pytest.raises(AcromeldError, match="no places to tell apart"):
        fit_all([], threads=1, log=lambda _: None)


def test_log_loss_is_the_mean_surprise():
    assert log_loss(np.array([0.5, 0.5]), np.array([True, False])) == pytest.approx(np.log(2))


def test_balanced_labels_weigh_the_same():
    label = np.array([True, False, False, False])
    weight = balanced(label, 2.0)
    assert weight[label].sum() == pytest.approx(weight[~label].sum())
    assert weight.sum() == pytest.approx(8.0)


def test_documents_are_read_with_some_pages_as_scans(tmp_path, monkeypatch):
    row = DocumentRow(
        sha256="0" * 64, file="application.pdf", source="here", manifest_group="g", final_group="g",
        role=Role.TRAIN_REAL, pages=2, bytes=1,
    )  # fmt: skip
    nothing = np.zeros((0, 4)), np.zeros(0, dtype=np.int64)
    job = Job(row, tuple(TargetPage("0" * 64, number, 595.0, 842.0, *nothing, True) for number in range(2)))
    reader = Reader(SAMPLES, shipped_file(), tmp_path)
    monkeypatch.setattr(answered, "load_expert", lambda path: FfgbtDetector())
    monkeypatch.setattr(examples, "_also_scanned", lambda target: target.index == 1)
    pages = document_pages(job, reader=reader)
    assert [page.words.nnz > 0 for page in pages] == [True, True, False], "a scan has no words"
    assert all(page.group == "g" and not page.label.any() for page in pages)
    data, told = fit(
        [made_page(number, office=number % 2 == 0) for number in range(200)], threads=1, log=print
    )
    assert unpack(data).columns[:-1] == pages[0].names
    assert told["places"] == 1_000


def test_a_network_without_opinions_is_refused(tmp_path):
    plain = tmp_path / "plain.onnx"
    plain.write_bytes(signed(graph(), CONTRACT))
    with pytest.raises(Refused, match="reads none"):
        document_pages(None, reader=Reader(SAMPLES, plain, tmp_path))
