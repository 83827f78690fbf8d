# SPDX-License-Identifier: Apache-2.0
"""Pages shown as scans: nothing of their structure is left, and the same page gives the same scan."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from acromeld.cli import run
from acromeld.corpus.as_scan import as_scan
from acromeld.corpus.build import build_index
from acromeld.corpus.index import seal
from acromeld.detect.rules import RulesDetector
from acromeld.evaluate.scanned import OnScans, poor_scan
from acromeld.pdf.document import open_document
from acromeld.pdf.page import Page
from acromeld.structure.availability import usable_primitives
from tests.corpus.tiny_forms import varied_documents, write_corpus
from tests.form.samples import EXAMPLE


def first_page() -> Page:
    with open_document(EXAMPLE) as document:
        return document.read_page(0, RulesDetector().needs)


def test_nothing_but_a_poor_picture_is_left() -> None:
    page = first_page()
    scan = poor_scan(page)
    assert page.raster is not None
    assert scan.raster is not None
    assert scan.primitives is not None
    assert not len(scan.primitives.words)
    assert scan.raster.pixels.shape == page.raster.pixels.shape
    assert (scan.raster.pixels != page.raster.pixels).any()
    found, inferred = usable_primitives(scan)
    assert inferred
    assert found is not None
    assert len(found.shapes) > 10, "structure is read off the picture again"


def test_the_same_page_gives_the_same_scan() -> None:
    one, other = poor_scan(first_page()), poor_scan(first_page())
    assert one.raster is not None
    assert other.raster is not None
    np.testing.assert_array_equal(one.raster.pixels, other.raster.pixels)


def test_a_text_layer_may_stay() -> None:
    page = first_page()
    scan = as_scan(page, words=True)
    assert scan.raster is page.raster
    assert scan.primitives is not None
    assert page.primitives is not None
    assert scan.primitives.words is page.primitives.words


def test_a_wrapped_detector_is_still_itself() -> None:
    rules = RulesDetector()
    shown = OnScans(rules)
    assert (shown.ref, shown.needs, shown.cap, shown.operating_point) == (
        rules.ref, rules.needs, rules.cap, rules.operating_point,
    )  # fmt: skip
    (found,) = shown.detect([first_page()])
    (expected,) = rules.detect([poor_scan(first_page())])
    np.testing.assert_array_equal(found.box, expected.box)


def test_predictions_say_that_pages_were_shown_as_scans(tmp_path: Path) -> None:
    index = tmp_path / "index.sqlite"
    build_index(tmp_path / "pdf", write_corpus(tmp_path / "pdf", varied_documents(4)), index)
    seal(index)
    told = ["predict", str(index), "--role", "train-real", "--pdf", str(tmp_path / "pdf")]
    told += ["--detector", "rules"]
    assert run([*told, "-o", str(tmp_path / "clean")]) == 0
    assert run([*told, "-o", str(tmp_path / "scans"), "--scanned"]) == 0
    records = [
        json.loads((tmp_path / name / "prediction-run.json").read_text()) for name in ("clean", "scans")
    ]
    assert [record.get("scanned") for record in records] == [None, True]
    assert run([*told, "-o", str(tmp_path / "scans")]) != 0, "never both in one folder"
    crooked = [*told, "-o", str(tmp_path / "crooked"), "--crooked", "1.5"]
    assert run(crooked) != 0, "only scans lie askew"
    assert run([*crooked, "--scanned"]) == 0
    assert json.loads((tmp_path / "crooked" / "prediction-run.json").read_text())["crooked"] == 1.5
