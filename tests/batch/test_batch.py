# SPDX-License-Identifier: Apache-2.0
"""Whole batches with real workers: outputs, copies, resuming, failures, reports."""

import csv
import io
import json
from dataclasses import replace

import pytest

from acromeld.batch.copies import Remembering
from acromeld.batch.doubt import doubts, pictures
from acromeld.batch.journal import Journal
from acromeld.batch.lock import locked
from acromeld.batch.names import JOURNAL, LOCK
from acromeld.detect.registry import load_detector
from acromeld.errors import ExitCode, InputNotFound, IntegrityError, OutputProblem, Refused
from acromeld.fields import (
    DocumentFields,
    DocumentRef,
    Field,
    FieldKind,
    OperatingPoint,
    PageFields,
    PageRef,
)
from acromeld.pdf.source import Source
from acromeld.recovery import opened, recover
from tests.batch.batches import RULES, batch, fill, forms, summary, tree
from tests.cli.test_bad_input import REFUSED
from tests.form.samples import flat
from tests.pdf import hostile


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The forms and their outputs, made once."""
    folder = tmp_path_factory.mktemp("unbroken")
    fill(folder / "in", forms())
    ran = batch(folder / "in", folder / "out")
    return folder, ran, tree(folder / "out")


def test_outputs_are_those_of_recover(unbroken):
    _, _, files = unbroken
    for relative, data in forms().items():
        if relative == "not.pdf":
            continue
        name = relative.rpartition("/")[2]
        alone = recover(Source(data, name), detector="rules", isolated=False)
        stem = relative[:-4]
        assert files[f"{stem}.pdf"] == alone.form.data
        assert files[f"{stem}.fields.json"] == alone.fields.to_json().encode()


def test_identical_files_are_worked_on_once_and_all_have_outputs(unbroken):
    _, ran, _ = unbroken
    assert sorted(ran.jobs) == ["a.pdf", "b.pdf", "c.PDF", "copy of a.pdf", "not.pdf"]
    assert ran.entries["sub/a.pdf"].digests == ran.entries["a.pdf"].digests


def test_what_was_found_on_a_page_is_remembered_for_the_same_content_only():
    detector = Remembering(load_detector("rules"))
    for name, data in {"a.pdf": flat(pages=2), "b.pdf": flat(pages=2), "c.pdf": flat(pages=1)}.items():
        source = Source(data, name)
        detector.turn_to(source.sha256)
        found = recover(source, detector=detector, isolated=False)
        assert found.fields == recover(source, detector="rules", isolated=False).fields
    assert detector.looked == 3


def test_the_largest_come_first(unbroken):
    folder, ran, _ = unbroken
    sizes = {path.name: path.stat().st_size for path in (folder / "in").rglob("*.*") if path.is_file()}
    assert [sizes[name] for name in ran.jobs] == sorted((sizes[name] for name in ran.jobs), reverse=True)


def test_failures_have_a_reason_and_no_output(unbroken):
    _, ran, files = unbroken
    assert ran.entries["not.pdf"].state == "failed"
    assert ran.reason("not.pdf") == "not.pdf is not a PDF, or is damaged beyond repair."
    assert not [name for name in files if name.startswith("not.")]


def test_a_second_run_has_nothing_to_do(unbroken):
    folder, _, files = unbroken
    again = batch(folder / "in", folder / "out")
    assert again.jobs == []
    assert tree(folder / "out") == files


@pytest.fixture
def folder(tmp_path):
    fill(tmp_path / "in", {"a.pdf": flat(pages=1), "b.pdf": hostile.numbered("b", 1), "bad.pdf": b"x"})
    return tmp_path


def test_changed_lost_and_new_files_are_done_and_nothing_else(folder):
    batch(folder / "in", folder / "out")
    fill(folder / "in", {"a.pdf": flat(pages=2), "new.pdf": hostile.numbered("n", 1)})
    (folder / "out" / "b.fields.json").unlink()
    ran = batch(folder / "in", folder / "out")
    assert sorted(ran.jobs) == ["a.pdf", "b.pdf", "new.pdf"]
    assert json.loads((folder / "out" / "a.fields.json").read_text())["pages"][1]["page"]["index"] == 1
    assert (folder / "out" / "b.fields.json").exists()


def test_files_that_are_gone_leave_the_report_and_keep_their_outputs(folder):
    batch(folder / "in", folder / "out")
    (folder / "in" / "a.pdf").unlink()
    batch(folder / "in", folder / "out")
    assert [row["input"] for row in summary(folder / "out")["files"]] == ["b.pdf", "bad.pdf"]
    assert (folder / "out" / "a.pdf").exists()


def test_failures_are_tried_again_only_when_asked(folder):
    batch(folder / "in", folder / "out")
    assert batch(folder / "in", folder / "out").jobs == []
    assert batch(folder / "in", folder / "out", retry_failed=True).jobs == ["bad.pdf"]


def test_another_configuration_is_refused_or_done_again(folder):
    batch(folder / "in", folder / "out")
    before = tree(folder / "out")
    other = replace(RULES, existing="replace")
    with pytest.raises(Refused, match=r"another configuration \(existing\)"):
        batch(folder / "in", folder / "out", other)
    assert tree(folder / "out") == before
    assert sorted(batch(folder / "in", folder / "out", other, redo=True).jobs) == [
        "a.pdf",
        "b.pdf",
        "bad.pdf",
    ]
    assert summary(folder / "out")["configuration"]["existing"] == "replace"


def test_limits_may_change_between_runs(folder):
    batch(folder / "in", folder / "out")
    assert batch(folder / "in", folder / "out", replace(RULES, file_seconds=5.0)).jobs == []


def test_files_of_others_are_not_replaced_unless_forced(folder):
    fill(folder / "out", {"a.pdf": b"precious"})
    for _ in range(2):
        ran = batch(folder / "in", folder / "out", retry_failed=True)
        assert ran.entries["a.pdf"].state == "failed"
        assert "not from this batch" in ran.reason("a.pdf")
        assert (folder / "out" / "a.pdf").read_bytes() == b"precious"
    (folder / "out" / "a.pdf").unlink()
    assert batch(folder / "in", folder / "out", retry_failed=True).entries["a.pdf"].state == "done"
    fill(folder / "forced", {"a.pdf": b"precious"})
    assert batch(folder / "in", folder / "forced", replace(RULES, force=True)).states()["a.pdf"] == "done"
    assert (folder / "forced" / "a.pdf").read_bytes().startswith(b"%PDF")


def test_fields_only_writes_no_pdf(folder):
    batch(folder / "in", folder / "out", replace(RULES, fields_only=True))
    assert sorted(path.name for path in (folder / "out").glob("*.*") if JOURNAL[:13] not in path.name) == [
        "a.fields.json",
        "b.fields.json",
    ]


def test_bad_files_between_good_ones_cost_nobody_else_anything(tmp_path):
    bad = {f"{number:02}b {name}.pdf": data for number, (name, (data, _)) in enumerate(REFUSED.items())}
    good = {f"{number:02}a.pdf": hostile.numbered(f"g{number}", 1) for number in range(len(REFUSED))}
    odd = {"odd1.pdf": hostile.stray_number_in_the_page_tree(), "odd2.pdf": hostile.endless_form()}
    fill(tmp_path / "in", bad | good | odd)
    ran = batch(tmp_path / "in", tmp_path / "out")
    assert {name for name, state in ran.states().items() if state == "done"} == {*good, *odd}
    codes = {f"{number:02}b {name}.pdf": code for number, (name, (_, code)) in enumerate(REFUSED.items())}
    assert {name: ran.entries[name].outcome.code for name in bad} == codes
    assert all(name in ran.reason(name) for name in bad)
    assert not any((tmp_path / "out").glob("*b *"))


def test_the_report_tells_it_all(tmp_path):
    names = {
        "=cmd|' /C calc'!A0.pdf": flat(),
        "<script>alert(1)</script>.pdf": b"no",
        "ok.pdf": flat(pages=2),
    }
    fill(tmp_path / "in", names)
    batch(tmp_path / "in", tmp_path / "out")
    told = summary(tmp_path / "out")
    assert told["totals"]["files"] == 3
    assert told["totals"]["done"] == 2
    assert told["totals"]["failures"] == {"not_a_pdf": 1}
    report = tmp_path / "out" / "batch-report"
    rows = list(csv.DictReader(io.StringIO((report / "summary.csv").read_text("utf-8"))))
    assert [row["state"] for row in rows] == ["failed", "done", "done"]
    assert rows[1]["input"].startswith("'=cmd")
    page = (report / "summary.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    pictures = [doubt["picture"] for row in told["files"] for doubt in row.get("doubts", ())]
    assert all((report / picture).read_bytes().startswith(b"\x89PNG") for picture in pictures if picture)


def scored(*pages: tuple[float, ...]) -> DocumentFields:
    """Text fields with these scores, at thresholds of 0.5."""
    point = OperatingPoint(text=0.5, choice=0.5, signature=0.5)
    made = [
        PageFields(
            page=PageRef(index=index, width=200, height=300),
            fields=tuple(Field(kind=FieldKind.TEXT, box=(10, 10, 90, 30), score=score) for score in scores),
            notes=() if scores else ("It could not be read.",),
        )
        for index, scores in enumerate(pages)
    ]
    return DocumentFields(
        document=DocumentRef(name="a.pdf", sha256="0" * 64), operating_point=point, pages=tuple(made)
    )


def test_the_most_doubtful_pages_are_shown_first():
    fields = scored((0.9,), (0.55,), (), (0.51, 0.59, 0.7), (0.59,))
    worst = doubts(fields)
    assert [(doubt.page, doubt.fields) for doubt in worst] == [(3, 2), (1, 1), (4, 1), (2, 0)]
    with opened(Source(hostile.numbered("a", 5), "a.pdf"), isolated=False) as document:
        shown = pictures(document, fields, worst)
    assert sorted(shown) == ["page-2", "page-4", "page-5"]
    assert all(data.startswith(b"\x89PNG") for data in shown.values())


def test_folders_without_pdfs_and_folders_in_use(tmp_path):
    (tmp_path / "in").mkdir()
    with pytest.raises(InputNotFound, match="no PDF"):
        batch(tmp_path / "in", tmp_path / "out")
    fill(tmp_path / "in", {"a.pdf": b"x"})
    with locked(tmp_path / "out" / LOCK), pytest.raises(OutputProblem, match="Another batch"):
        batch(tmp_path / "in", tmp_path / "out")


def test_a_journal_that_is_none(tmp_path):
    fill(tmp_path, {JOURNAL: b"something else entirely" * 100})
    with pytest.raises(IntegrityError, match="not a journal"):
        Journal(tmp_path / JOURNAL)


def test_links_out_of_the_folder_are_reported_and_not_read(tmp_path):
    fill(tmp_path, {"secret.pdf": flat(), "in/a.pdf": flat()})
    (tmp_path / "in" / "link.pdf").symlink_to(tmp_path / "secret.pdf")
    ran = batch(tmp_path / "in", tmp_path / "out")
    assert ran.jobs == ["a.pdf"]
    assert ran.entries["link.pdf"].outcome.code == ExitCode.NOT_FOUND
