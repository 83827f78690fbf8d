# SPDX-License-Identifier: Apache-2.0
"""Audits on disk, and evaluations of the pages that they trust, on made-up pages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acromeld.corpus.index import PageRow
from acromeld.corpus.roles import Role
from acromeld.errors import InputNotFound, IntegrityError
from acromeld.evaluate.adapters import NATIVE, compare, score_page, total
from acromeld.evaluate.label_audit import (
    Audited,
    AuditedPage,
    Faults,
    Grade,
    LabelAudit,
    ideal_reader,
    read_audit,
    to_lines,
)
from acromeld.evaluate.records import Bound, load_evaluation, write_evaluation
from acromeld.evaluate.report.contents import from_evaluations
from acromeld.evaluate.report_data import evaluate
from acromeld.fields import OperatingPoint
from tests.evaluate.made_up import corpus, digest, predicted_page, target_page

INDEX = "1" * 64
GRADES = [Grade.GOOD, Grade.NOISY, Grade.EMPTY, Grade.MISLEADING, Grade.GOOD]


def _audit() -> LabelAudit:
    """Five pages of three documents."""
    pages = [
        AuditedPage(digest(number // 2), number % 2, grade, Faults(unseen=number), "why", again)
        for number, (grade, again) in enumerate(zip(GRADES, [Grade.NOISY, *[None] * 4], strict=True))
    ]
    sample = {"pages": 5, "seed": 3}
    return LabelAudit(INDEX, "internal-test", sample, "a test", {page.key: page for page in pages})


def _rows(numbers: range) -> dict[str, list[PageRow]]:
    rows: dict[str, list[PageRow]] = {}
    for number in numbers:
        row = PageRow(digest(number // 2), number % 2, 612.0, 792.0, 0, "portrait", 1, 0, 0, 0)
        rows.setdefault(row.sha256, []).append(row)
    return rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The audit as a file."""
    path = tmp_path / "audit.jsonl"
    path.write_text("".join(f"{line}\n" for line in to_lines(_audit())), encoding="utf-8")
    return path


def test_an_audit_reads_back_as_it_was_written(path: Path) -> None:
    audit = read_audit(path)
    assert audit == _audit()
    assert audit.counts() == {Grade.GOOD: 2, Grade.NOISY: 1, Grade.MISLEADING: 1, Grade.EMPTY: 1}
    assert {page.grade for page in audit.of([Grade.GOOD, Grade.EMPTY]).values()} == {Grade.GOOD, Grade.EMPTY}
    assert len(audit.of([])) == 5


@pytest.mark.parametrize(
    ("line", "change", "sentence"),
    [
        (0, {"schema": "acromeld.label-audit/9"}, "label-audit/9"),
        (0, {"sample": None}, "first line"),
        (2, {"grade": "splendid"}, "line 3"),
        (2, {"faults": {"ugly": 1}}, "line 3"),
        (2, {"faults": [1]}, "line 3"),
        (3, {"page": None}, "line 4"),
    ],
)
def test_what_is_not_an_audit_is_named(
    path: Path, line: int, change: dict[str, object], sentence: str
) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[line] = json.dumps(json.loads(lines[line]) | change)
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(IntegrityError, match=sentence):
        read_audit(path)


@pytest.mark.parametrize("text", ["", "no json\n", "[1]\n"])
def test_a_file_without_a_head_is_refused(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(IntegrityError, match="line 1"):
        read_audit(path)


def test_a_page_is_graded_once(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[-1]]), encoding="utf-8")
    with pytest.raises(IntegrityError, match="twice"):
        read_audit(path)


def test_only_audited_pages_of_the_grades_are_kept(path: Path) -> None:
    kept, chosen = Audited(path, (Grade.GOOD,)).keep(_rows(range(8)), INDEX, Role.INTERNAL_TEST)
    assert {document: [row.page for row in rows] for document, rows in kept.items()} == {
        digest(0): [0],
        digest(2): [0],
    }
    assert chosen["grades"] == ["good"]
    every, _ = Audited(path).keep(_rows(range(8)), INDEX, Role.INTERNAL_TEST)
    assert sum(map(len, every.values())) == 5


def test_an_audit_says_nothing_about_another_index_role_or_sample(path: Path) -> None:
    audited = Audited(path, (Grade.GOOD,))
    with pytest.raises(IntegrityError, match="another index or role"):
        audited.keep(_rows(range(8)), "2" * 64, Role.INTERNAL_TEST)
    with pytest.raises(IntegrityError, match="another index or role"):
        audited.keep(_rows(range(8)), INDEX, Role.DEVELOPMENT)
    with pytest.raises(InputNotFound, match="grade good"):
        audited.keep(_rows(range(5, 8)), INDEX, Role.INTERNAL_TEST)
    with pytest.raises(InputNotFound, match="does not exist"):
        Audited(path.with_name("none")).keep(_rows(range(8)), INDEX, Role.INTERNAL_TEST)


def test_an_ideal_reader_of_the_print_scores_what_the_faults_say() -> None:
    """The same page once in counts and once as boxes that are really matched."""
    place = [[20.0 + 60 * number, 20.0, 60.0 + 60 * number, 40.0] for number in range(7)]
    labels = target_page([*place[:5], place[0]], [0, 0, 1, 0, 0, 0])
    printed = predicted_page([*place[:4], *place[5:]], [0, 0, 0, 2, 0, 1], [0.9] * 6)
    faults = Faults(
        missing_text=1, missing_choice=1, unseen=1, doubled=1, signature_as_text=1, wrong_class=1, misplaced=0
    )
    pages = compare({printed.key: printed}, {labels.key: labels})
    assert ideal_reader(6, faults) == score_page(pages[0], NATIVE, OperatingPoint()).counts()


def test_faults_add_up_over_pages() -> None:
    both = Faults(missing_text=2, unseen=1) + Faults(missing_office=3)
    assert both == Faults(missing_text=2, missing_office=3, unseen=1)
    assert both.missing == 5
    assert not Faults()


def test_a_record_is_bound_to_the_audit_its_pages_were_chosen_by(tmp_path: Path, path: Path) -> None:
    predicted, targets = corpus(3, documents=2, pages=2)
    lines = tmp_path / "lines.jsonl"
    lines.write_text("{}\n", encoding="utf-8")
    known = {lines: "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356"}
    for name, keys, audit in (
        ("all", list(targets), None),
        ("good", list(targets)[:2], {"digest": "d", "grades": ["good", "empty"]}),
    ):
        results = evaluate(predicted, {key: targets[key] for key in keys}, OperatingPoint(), resamples=0)
        truth = {
            "index": INDEX,
            "role": "internal-test",
            "digest": name,
            **({"audit": audit} if audit else {}),
        }
        bound = Bound(known, truth, audit=path if audit else None)
        write_evaluation(tmp_path / f"{name}.json", "made up", bound, results)
    everything, good = load_evaluation(tmp_path / "all.json"), load_evaluation(tmp_path / "good.json")
    assert "audit" not in everything
    assert list(good["audit"]) == ["audit.jsonl"]
    sections = from_evaluations([tmp_path / "all.json", tmp_path / "good.json"]).sections
    assert [section.title.split(" ")[0] for section in sections] == ["4", "2"]
    assert "graded good or empty in the label audit d" in sections[1].text[0]
    assert "audit" not in sections[0].text[0]
    path.write_text("changed\n", encoding="utf-8")
    load_evaluation(tmp_path / "all.json")
    with pytest.raises(IntegrityError, match=r"audit\.jsonl"):
        load_evaluation(tmp_path / "good.json")


def test_the_parts_of_an_audit_add_up_to_the_whole() -> None:
    predicted, targets = corpus(5, documents=3, pages=2)
    pages = compare(predicted, targets)
    outcomes = {page.targets.key: score_page(page, NATIVE, OperatingPoint()) for page in pages}
    audit = _audit()
    parts = [
        total(outcomes[key] for key in audit.of([grade]) if key in outcomes).counts().matched
        for grade in Grade
    ]
    assert sum(parts) == total(outcomes[key] for key in audit.pages).counts().matched
    assert sum(parts) > 0
