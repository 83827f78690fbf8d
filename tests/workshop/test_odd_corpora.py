# SPDX-License-Identifier: Apache-2.0
"""The gate on folders as strangers have them: one odd file costs that file, and never the one evaluation."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pikepdf
import pytest

from acromeld.evaluate import gate_run, targets
from acromeld.provenance.external import MANIFEST
from tests.workshop.conftest import Workshop, do

Refused = Callable[..., str]


@pytest.fixture
def folder(workshop: Workshop) -> Path:
    """Three forms nobody has listed yet."""
    (workshop.external / MANIFEST).unlink()
    return workshop.external


def judged(shop: Workshop, *more: str) -> dict[str, Any]:
    """The details of a gate run that must come to its end."""
    do(*shop.gate(*more))
    do("gate", "verify", "--candidate", shop.candidate, "--out", shop.gate_out)
    report: dict[str, Any] = json.loads((shop.gate_out / "result" / "report.json").read_bytes())
    return report


def documents(report: dict[str, Any]) -> int:
    return int(report["details"]["evaluation"]["coverage"]["documents"])


def add_page(path: Path, size: float) -> None:
    with pikepdf.open(path, allow_overwriting_input=True) as pdf:
        pdf.add_blank_page(page_size=(size, size))
        pdf.save()


def test_a_document_whose_truth_cannot_be_read_costs_that_document(
    workshop: Workshop, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_page(sorted(folder.iterdir())[0], 333)
    sound = targets.page_widgets

    def fails(page: Any, frame: Any) -> Any:
        if frame.width == 333:
            raise ZeroDivisionError("on its last page")
        return sound(page, frame)

    monkeypatch.setattr(targets, "page_widgets", fails)
    report = judged(workshop)
    (row,) = report["details"]["unreadable"]
    assert "ZeroDivisionError: on its last page" in row["reason"]
    assert documents(report) == 2, "nothing is left of the pages before"


def test_a_document_the_detector_fails_on_costs_that_document(
    workshop: Workshop, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = sorted(path.name for path in folder.iterdir())[1]
    sound = gate_run.detect_pages

    def fails(document: Any, *rest: Any, **more: Any) -> Any:
        if document.facts.name == victim:
            raise RuntimeError("out of luck")
        return sound(document, *rest, **more)

    monkeypatch.setattr(gate_run, "detect_pages", fails)
    report = judged(workshop)
    (row,) = report["details"]["undetected"]
    assert (row["name"], row["reason"]) == (victim, "RuntimeError: out of luck")
    assert documents(report) == 3, "its fields count, as missed"
    assert report["details"]["evaluation"]["coverage"]["pages_without_line"] > 0


def test_what_could_not_be_opened_is_still_known_after_a_resume(
    workshop: Workshop, folder: Path, monkeypatch: pytest.MonkeyPatch, refused: Refused
) -> None:
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7 and no more")

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(gate_run.GateWork, "evaluate", dies)
        refused(130, *workshop.gate())
    report = judged(workshop, "--resume")
    assert [row["name"] for row in report["details"]["undetected"]] == ["torn.pdf"]
    assert [row["name"] for row in report["details"]["unreadable"]] == ["torn.pdf"]


def test_skipped_pages_and_structure_are_in_the_report(workshop: Workshop, folder: Path) -> None:
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(4, 4))
        pdf.add_blank_page(page_size=(612, 792))
        pdf.save(folder / "stamp.pdf")
    report = judged(workshop)
    (row,) = report["details"]["skipped_pages"]
    assert (row["name"], row["page"]) == ("stamp.pdf", 0)
    assert "outside the limits" in row["notes"][0]
    assert set(report["details"]["evaluation"]["strata"]["vector"]) == {"present", "absent"}


def test_a_file_beyond_the_limit_is_a_document_without_lines(workshop: Workshop, folder: Path) -> None:
    with (folder / "big.pdf").open("wb") as stream:
        stream.truncate(513 * 1024**2)
    report = judged(workshop)
    (row,) = report["details"]["undetected"]
    assert row["name"] == "big.pdf"
    assert "larger than the limit" in row["reason"]
    assert documents(report) == 3


def test_content_that_lies_there_twice_counts_once(workshop: Workshop, folder: Path) -> None:
    first = sorted(folder.iterdir())[0]
    shutil.copy(first, folder / "zz-copy.pdf")
    for name in ("empty.pdf", "nothing.pdf"):
        (folder / name).touch()
    report = judged(workshop)
    assert documents(report) == 3
    listed = [json.loads(line) for line in (workshop.gate_out / MANIFEST).read_text().splitlines()]
    assert {row["file"]: row.get("also") for row in listed if "also" in row} == {
        first.name: ["zz-copy.pdf"],
        "empty.pdf": ["nothing.pdf"],
    }


def test_a_list_in_the_output_folder_is_made_again_until_there_is_a_claim(
    workshop: Workshop, folder: Path, refused: Refused
) -> None:
    known = next(workshop.pdf.iterdir())
    shutil.copy(known, folder / "known.pdf")
    assert "training index" in refused(10, *workshop.gate())
    assert not (workshop.gate_out / "registration.json").exists()
    (folder / "known.pdf").unlink()
    assert documents(judged(workshop)) == 3


@pytest.mark.parametrize("name", ["caf\udce9.pdf", "a\u2028b.pdf", "two\nlines.pdf", "bell\x07.pdf"])
def test_any_file_name_can_be_judged(workshop: Workshop, folder: Path, name: str) -> None:
    (folder / "bad").mkdir()
    sorted(folder.glob("*.pdf"))[0].rename(folder / name)
    (folder / "bad" / name).write_bytes(b"no PDF")
    report = judged(workshop)
    assert documents(report) == 3
    (row,) = report["details"]["undetected"]
    assert row["name"].isprintable()
    assert row["name"].startswith("bad/")
    listed = [json.loads(line) for line in (workshop.gate_out / MANIFEST).read_bytes().split(b"\n") if line]
    assert os.fsencode(name) in {os.fsencode(entry["file"]) for entry in listed}


def test_the_truth_is_what_the_list_says_and_not_what_lies_there_by_then(
    workshop: Workshop, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sound = gate_run.GateWork.evaluate

    def later(work: Any, *rest: Any) -> Any:
        shutil.copy(next(workshop.pdf.iterdir()), folder / "later.pdf")
        return sound(work, *rest)

    monkeypatch.setattr(gate_run.GateWork, "evaluate", later)
    assert documents(judged(workshop)) == 3


def test_the_report_of_a_gate_run_shows_every_yardstick(
    workshop: Workshop, folder: Path, tmp_path: Path
) -> None:
    (folder / "torn.pdf").write_bytes(b"%PDF-1.7 and no more")
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(4, 4))
        pdf.save(folder / "stamp.pdf")
    elsewhere = Path(shutil.copytree(workshop.candidate, tmp_path / "candidate"))
    judged(workshop)
    do("report", tmp_path / "report", "--candidate", elsewhere, "--gate", workshop.gate_out)
    text = (tmp_path / "report" / "report.md").read_text()
    gate = text[text.index("## External gate") :]
    for heading in ("Verdict", "Micro scores", "Average precision", "Per class", "Vector structure"):
        assert heading in gate
    assert "| fixed 0.3/0.3/0.3 |" in gate
    assert "torn.pdf is not a PDF" in gate
    assert "outside the limits" in gate
    assert "copy of the claim" in gate
    tables = {path.name for path in (tmp_path / "report" / "tables").iterdir()}
    assert {"gate-verdict.csv", "gate-overall.csv", "gate-coco.csv", "gate-undetected.csv"} <= tables
    assert (tmp_path / "report" / "figures" / "gate-precision-recall.svg").is_file()
