# SPDX-License-Identifier: Apache-2.0
"""From files on disk to the record, on small PDFs made here."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pikepdf
import pytest

from acromeld.errors import BadFields, InputNotFound
from acromeld.evaluate.coco import export_annotations
from acromeld.evaluate.report_data import evaluate, evaluate_file
from acromeld.evaluate.targets import read_targets
from acromeld.fields import SCHEMA, OperatingPoint
from tests.evaluate.made_up import corpus


def _widget(pdf: pikepdf.Pdf, kind: str, rect: list[float], flags: int = 4) -> pikepdf.Object:
    return pdf.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.Annot,
            Subtype=pikepdf.Name.Widget,
            FT=pikepdf.Name(kind),
            T=pikepdf.String(f"{kind}{rect[0]}"),
            Rect=pikepdf.Array(rect),
            F=flags,
        )
    )


def _pdf(path: Path, pages: list[list[tuple[str, list[float]]]]) -> str:
    pdf = pikepdf.new()
    form = pdf.Root.AcroForm = pdf.make_indirect(pikepdf.Dictionary(Fields=pikepdf.Array()))
    for _ in pages:
        pdf.add_blank_page(page_size=(612, 792))
    for page, widgets in zip(pdf.pages, pages, strict=True):
        page.obj.Annots = pikepdf.Array([_widget(pdf, kind, rect) for kind, rect in widgets])
        form.Fields.extend(page.obj.Annots)
    pdf.save(path, deterministic_id=True)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _line(sha: str, index: int, fields: list[tuple[str, list[float], float]], width: float = 612.0) -> str:
    return json.dumps(
        {
            "schema": SCHEMA,
            "document": {"name": "x.pdf", "sha256": sha},
            "page": {"index": index, "width": width, "height": 792.0},
            "fields": [{"kind": kind, "box": box, "score": score} for kind, box, score in fields],
        }
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "pdf" / "deep").mkdir(parents=True)
    return tmp_path / "pdf"


@pytest.fixture
def first(folder: Path) -> str:
    """Two pages: a text and a signature field on one, nothing on the other."""
    rows = [("/Tx", [100.0, 700.0, 200.0, 720.0]), ("/Sig", [100.0, 100.0, 300.0, 130.0])]
    return _pdf(folder / "first.pdf", [rows, []])


@pytest.fixture
def second(folder: Path) -> str:
    """A check box, and a text field too small to count."""
    rows = [("/Btn", [50.0, 50.0, 62.0, 62.0]), ("/Tx", [1.0, 1.0, 2.0, 2.0])]
    return _pdf(folder / "deep" / "second.PDF", [rows])


def test_targets_are_read_once_per_content_with_rejections_and_broken_files(
    folder: Path, first: str, second: str
) -> None:
    (folder / "copy.pdf").write_bytes((folder / "first.pdf").read_bytes())
    (folder / "broken.pdf").write_bytes(b"no pdf")
    targets = read_targets(folder, vector=lambda document, index: document == first and index == 0)
    assert set(targets.names) == {first, second}
    assert set(targets.pages) == {(first, 0), (first, 1), (second, 0)}
    page = targets.pages[first, 0]
    assert page.box.tolist() == [[100, 72, 200, 92], [100, 662, 300, 692]]
    assert page.kind.tolist() == [0, 2]
    assert page.vector is True
    assert targets.pages[first, 1].vector is False
    assert targets.rejected == {"text: degenerate box": 1}
    assert [name for name, _ in targets.unreadable] == ["broken.pdf"]
    assert set(read_targets(folder, only={second}).names) == {second}
    with pytest.raises(InputNotFound):
        read_targets(folder / "nowhere")


def test_a_file_of_lines_is_scored_against_the_folder(
    tmp_path: Path, folder: Path, first: str, second: str
) -> None:
    lines = tmp_path / "lines.jsonl"
    found = [("text", [101.0, 73.0, 199.0, 91.0], 0.9), ("text", [100.0, 662.0, 300.0, 692.0], 0.5)]
    lines.write_text(_line(first, 0, found) + "\n" + _line(first, 1, [("choice", [0.0, 0.0, 9.0, 9.0], 0.2)]))
    record = evaluate_file(lines, folder, point=OperatingPoint(text=0.8, choice=0.1), resamples=50)
    selected, fixed = record["points"]["selected"], record["points"]["fixed"]
    assert [selected["native"]["micro"][key] for key in ("tp", "fp", "fn")] == [1, 1, 2]
    assert [fixed["native"]["micro"][key] for key in ("tp", "fp", "fn")] == [1, 1, 2]
    assert selected["native"]["classes"]["signature"] == {
        "tp": 0,
        "fp": 0,
        "fn": 1,
        "precision": None,
        "recall": 0.0,
        "f1": 0.0,
    }
    assert record["strata"]["empty"]["share_with_fp"] == 1.0
    assert record["coverage"] == {"documents": 2, "pages": 3, "targets": 3, "pages_without_line": 1}
    assert record["rejected_widgets"] == {"text: degenerate box": 1}
    assert selected["bootstrap"]["seed"] == 12345
    json.dumps(record, allow_nan=False)
    only = evaluate_file(lines, folder, only_predicted=True, resamples=0)
    assert only["coverage"]["documents"] == 1
    assert set(only["points"]) == {"given", "fixed"}


def test_strict_annotations_may_come_from_elsewhere(tmp_path: Path, folder: Path, first: str) -> None:
    targets = read_targets(folder)
    strict = export_annotations(targets.pages.values())
    strict["annotations"] = strict["annotations"][:1]
    (tmp_path / "strict.json").write_text(json.dumps(strict))
    lines = tmp_path / "lines.jsonl"
    lines.write_text(_line(first, 0, [("text", [100.0, 72.0, 200.0, 92.0], 0.9)]))
    record = evaluate_file(lines, folder, strict_annotations=tmp_path / "strict.json", resamples=0)
    assert record["points"]["fixed"]["native"]["micro"]["fn"] == 1
    assert record["points"]["fixed"]["strict"]["micro"]["fn"] == 0
    assert record["coco"]["map"] == pytest.approx(1.0)


def test_lines_that_do_not_belong_are_refused(tmp_path: Path, folder: Path, first: str) -> None:
    lines = tmp_path / "lines.jsonl"
    lines.write_text(_line("0" * 64, 0, []))
    with pytest.raises(InputNotFound, match="0000"):
        evaluate_file(lines, folder)
    lines.write_text(_line(first, 7, []))
    with pytest.raises(BadFields, match="no page 8"):
        evaluate_file(lines, folder)
    lines.write_text(_line(first, 0, [], width=1224.0))
    with pytest.raises(BadFields, match="612 x 792"):
        evaluate_file(lines, folder)


def test_candidates_are_decoded_at_each_point() -> None:
    predicted, targets = corpus(11, links=True, decoded=False)
    record = evaluate(predicted, targets, OperatingPoint(text=0.6, nms=0.5, link=0.8), resamples=20)
    assert record["strata"]["suppression"] is not None
    assert record["points"]["fixed"]["operating_point"] == {
        "text": 0.3,
        "choice": 0.3,
        "signature": 0.3,
        "nms": 0.5,
        "link": 0.8,
    }
    mistakes = [row["fp"] + row["fn"] for row in record["worst_pages"]]
    assert mistakes == sorted(mistakes, reverse=True)
    json.dumps(record, allow_nan=False)
